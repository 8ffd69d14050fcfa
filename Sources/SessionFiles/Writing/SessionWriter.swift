package import Markup

/// Converts sessions to the text of a session file. In YAML, comments explain the keys.
///
/// Reading the text results in the same session, except for source locations.
public struct SessionWriter: Sendable {
  /// The format of a file, by its suffix.
  public enum Format: Sendable, Hashable {
    /// YAML, with comments that explain the keys.
    case yaml
    /// JSON.
    case json

    /// Returns nil if the path does not end with `.yaml`, `.yml` or `.json`.
    public init?(path: String) {
      let name = path.lowercased()
      switch true {
      case name.hasSuffix(".yaml"), name.hasSuffix(".yml"): self = .yaml
      case name.hasSuffix(".json"): self = .json
      default: return nil
      }
    }
  }

  /// The format.
  public var format: Format
  /// The absolute path of the folder in which the file will be, from which paths of sounds are written; nil if all of
  /// them are absolute.
  public var folder: String?
  /// Lines of comment before the session. They are ignored in JSON, which has no comments.
  public var header: [String] = []
  /// Lines of comment at places in the session, in YAML.
  package var notes: [CommentPlace: [String]] = [:]

  /// Values of the session that become parameters.
  package var parameters: [DraftParameter] = []

  /// - Parameter folder: the absolute path of the folder in which the file will be; nil for absolute paths.
  public init(_ format: Format, in folder: String? = nil) { (self.format, self.folder) = (format, folder) }

  /// The text of a session file.
  public func text(of session: Session) -> String {
    let plain = SessionMarkup(of: session, in: folder).root
    // Only in a file with parameters, '${' begins one.
    let root = parameters.isEmpty ? plain : parameters.filled(into: plain.escaped)
    switch format {
    case .json: return JSONText.text(of: root)
    case .yaml:
      let head = (header + written(notes[.session] ?? [])).map { "# \($0)\n" }.joined()
      return head + YAMLText.text(of: root, comments: Self.comments, notes: notesOfLists)
    }
  }

  /// The text of a session whose parameters are filled in and whose includes are replaced.
  ///
  /// - Parameter format: that of its file.
  package static func text(ofResolved root: Node, _ format: Format) -> String {
    switch format {
    case .json: JSONText.text(of: root.normalized)
    case .yaml: YAMLText.text(of: root.normalized, comments: [:])
    }
  }

  /// The notes by list and index, see `YAMLText.notes`.
  private var notesOfLists: [String: [Int: [String]]] {
    var lists: [String: [Int: [String]]] = [:]
    for (place, lines) in notes {
      guard let (list, index) = place.element else { continue }
      lists[list, default: [:]][index] = written(lines)
    }
    return lists
  }

  /// Each note as one line without control characters.
  private func written(_ notes: [String]) -> [String] { notes.map { shown($0, upTo: 400) } }

  /// The comments, by the path of the key that they explain.
  private static let comments = [
    "prosper": "the version of the format",
    "parameters": "values that can be chosen each time the session is played",
    "volume": "master volume: 0 to 1, or decibels such as -6dB",
    "fadeIn": "of the first stage's music",
    "fadeOut": "of the last stage's music, up to its end",
    "crossfade": "between tracks and between stages",
    "loudness": "in LUFS; levels all sounds of a layer, so that voices are equally loud",
    "sounds": "names for sounds; 'prosper sounds' lists the built-in ones",
    "stages": "one after the other",
    "stages.duration": "such as 90s, 1m30s or 1:30; without it, as long as the tracks",
    "stages.tracks": "the music; with a duration, it repeats until the stage ends",
    "stages.volume": "of this stage's music",
    "stages.overlays": "voices and other sounds above the music",
    "stages.overlays.at": "time from the start of the stage; -30s is 30 s before its end",
    "stages.overlays.duck": "lowers the music while the overlay plays",
    "stages.overlays.repeat": "'delay' is the silence between two repeats",
    "stages.gongs": "bells; 'at' is start, end, 2:30, or -10s for 10 s before the end",
  ]
}

extension Node {
  /// The value with `$${` in its texts for the characters `${`, which would begin a parameter.
  fileprivate var escaped: Node {
    var node = self
    switch content {
    case .text(let text): if text.contains("${") { node.content = .text(text.replacing("${", with: "$${")) }
    case .word: break
    case .list(let elements): node.content = .list(elements.map(\.escaped))
    case .map(let entries):
      node.content = .map(
        entries.map { Entry(key: $0.key, location: $0.location, value: $0.value.escaped) })
    }
    return node
  }

  /// The value as it is written in either format: unquoted words of YAML that are text become text.
  fileprivate var normalized: Node {
    var node = self
    switch content {
    case .text: break
    case .word(let word): node.content = string.map { .text($0) } ?? .word(Node.isNull(word) ? "null" : word)
    case .list(let elements): node.content = .list(elements.map(\.normalized))
    case .map(let entries):
      node.content = .map(
        entries.map { Entry(key: $0.key, location: $0.location, value: $0.value.normalized) })
    }
    return node
  }
}
