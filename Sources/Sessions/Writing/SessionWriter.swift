/// Writes sessions as files: every key that the session needs, and in YAML short comments that explain the format.
///
/// Reading the text gives the same session again, except for what no file contains: the positions of its values.
package struct SessionWriter: Sendable {
  /// The format of a file, by its suffix.
  package enum Format: Sendable, Hashable {
    case yaml, json

    /// Nil if the path ends with neither `.yaml`, `.yml` nor `.json`.
    package init?(path: String) {
      let name = path.lowercased()
      switch true {
      case name.hasSuffix(".yaml"), name.hasSuffix(".yml"): self = .yaml
      case name.hasSuffix(".json"): self = .json
      default: return nil
      }
    }
  }

  package var format: Format
  /// The absolute folder of the file. Sounds in it get relative paths.
  package var folder: String
  /// Lines of comment before the session; JSON has none.
  package var header: [String] = []

  package init(_ format: Format, in folder: String) { (self.format, self.folder) = (format, folder) }

  package func text(of session: Session) -> String {
    let root = SessionMarkup(of: session, in: folder).root
    switch format {
    case .json: return JSONText.text(of: root)
    case .yaml:
      let head = header.map { "# \($0)\n" }.joined()
      return head + YAMLText.text(of: root, comments: Self.comments)
    }
  }

  /// What a reader who sees the format for the first time wants to know, by the path of the key.
  private static let comments = [
    "prosper": "the version of the format",
    "volume": "of everything: 0 to 1, or decibels such as -6dB",
    "fadeIn": "of the first stage's music",
    "fadeOut": "of the last stage's music, up to its end",
    "crossfade": "between tracks and between stages",
    "sounds": "names for sounds; 'prosper sounds' lists the built-in ones",
    "stages": "one after the other",
    "stages.duration": "as in 90s, 1m30s or 1:30; without one, as long as the tracks",
    "stages.tracks": "its music; with a duration, it repeats until the stage ends",
    "stages.volume": "of this stage's music",
    "stages.overlays": "voices and other sounds above the music",
    "stages.overlays.at": "time from the start of the stage; -30s counts back from its end",
    "stages.overlays.duck": "the music is lowered meanwhile",
    "stages.overlays.repeat": "the delay is the silence between two of them",
    "stages.gongs": "bells; 'at' takes start, end, 2:30, or -10s before the end",
  ]
}
