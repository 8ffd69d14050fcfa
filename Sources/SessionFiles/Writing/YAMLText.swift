import Markup
import Player

/// Writes markup as YAML that is easy to edit: one key per line, short maps and lists on one line, and comments at the
/// ends of lines.
struct YAMLText {
  /// The comment for the first use of a key, by the path of the key, such as `stages.gongs.at`.
  let comments: [String: String]
  /// Lines of comment above the elements of lists: by the list with its indices, such as `stages[2].tracks`, and by the
  /// index of the element.
  let notes: [String: [Int: [String]]]
  private var lines: [(text: String, comment: String?)] = []
  private var explained: Set<String> = []

  /// The maximum number of columns of a map or list on one line, with its indentation.
  private static let width = 88
  /// The column at which comments begin unless the line is longer, and the maximum length of a line with its comment.
  private static let (column, limit) = (32, 112)

  private init(comments: [String: String], notes: [String: [Int: [String]]]) {
    (self.comments, self.notes) = (comments, notes)
  }

  static func text(of root: Node, comments: [String: String], notes: [String: [Int: [String]]] = [:]) -> String {
    var writer = YAMLText(comments: comments, notes: notes)
    writer.write(root, indent: "", first: "", path: "", place: "")
    return writer.lines.map { line in
      guard let comment = line.comment else { return line.text + "\n" }
      let padding = String(repeating: " ", count: max(2, Self.column - line.text.count))
      return line.text + padding + "# " + comment + "\n"
    }.joined()
  }

  /// Writes a group, or a list of groups, line by line.
  ///
  /// - Parameters:
  ///   - first: the beginning of the first line, which ends with `- ` in a list.
  ///   - place: the path with the indices of its lists.
  private mutating func write(_ node: Node, indent: String, first: String, path: String, place: String) {
    guard case .map(let entries) = node.content else { return }
    for (index, entry) in entries.enumerated() {
      let inner = { (outer: String) in outer.isEmpty ? entry.key : outer + "." + entry.key }
      write(entry, indent: indent, first: index == 0 ? first : indent, path: inner(path), place: inner(place))
    }
  }

  private mutating func write(_ entry: Node.Entry, indent: String, first: String, path: String, place: String) {
    let key = first + Self.scalar(entry.key) + ":"
    if case .text(let text) = entry.value.content, let block = YAMLBlock(text) {
      add("\(key) \(block.sign)", path)
      return lines += block.lines.map { ($0.isEmpty ? "" : indent + "  " + $0, nil) }
    }
    if notes[place] == nil, !Self.isLong(entry.value, at: key, path) {
      return add(key + " " + Self.flow(entry.value), path)
    }
    add(key, path)
    let inner = indent + "  "
    switch entry.value.content {
    case .list(let elements):
      for (index, element) in elements.enumerated() {
        // Stages are separated by empty lines.
        if path == "stages", 0 < index { lines.append(("", nil)) }
        addNotes(at: index, of: place, indent: inner)
        write(element, ofList: inner, path: path, place: "\(place)[\(index)]")
      }
      addNotes(at: elements.count, of: place, indent: inner)
    case .map: write(entry.value, indent: inner, first: inner, path: path, place: place)
    case .text, .word: break
    }
  }

  /// Writes one element of a list: a stage line by line, anything else on one line if it is short.
  private mutating func write(_ element: Node, ofList indent: String, path: String, place: String) {
    let flow = indent + "- " + Self.flow(element)
    let isGroup = if case .map = element.content { true } else { false }
    if isGroup, path == "stages" || Self.width < flow.count || YAMLBlock.isNeeded(for: element) {
      return write(element, indent: indent + "  ", first: indent + "- ", path: path, place: place)
    }
    add(flow, path + "[]")
  }

  private mutating func addNotes(at index: Int, of list: String, indent: String) {
    for note in notes[list]?[index] ?? [] { lines.append((indent + "# " + note, nil)) }
  }

  private mutating func add(_ text: String, _ path: String) {
    var comment: String?
    if let words = comments[path], explained.insert(path).inserted,
      max(Self.column, text.count + 2) + 2 + words.count <= Self.limit
    {
      comment = words
    }
    lines.append((text, comment))
  }

  /// Whether a value gets lines of its own.
  private static func isLong(_ value: Node, at key: String, _ path: String) -> Bool {
    switch value.content {
    case .text, .word: return false
    case .map:
      return ["sounds", "parameters"].contains(path) || width < key.count + flow(value).count
        || YAMLBlock.isNeeded(for: value)
    case .list(let elements):
      let hasGroups = elements.contains { if case .map = $0.content { true } else { false } }
      return hasGroups || width < key.count + flow(value).count
    }
  }

  /// A value on one line.
  private static func flow(_ value: Node) -> String {
    switch value.content {
    case .word(let word): word
    case .text(let text): scalar(text)
    case .list(let elements): "[" + elements.map(flow).joined(separator: ", ") + "]"
    case .map(let entries):
      "{" + entries.map { scalar($0.key) + ": " + flow($0.value) }.joined(separator: ", ") + "}"
    }
  }

  /// Text, with the quotes and escapes of JSON unless YAML and the session format read the plain text as the same text.
  private static func scalar(_ text: String) -> String {
    let isPlain =
      text.wholeMatch(of: #/[A-Za-z0-9-][A-Za-z0-9 _.\/+'-]*/#) != nil && !text.hasSuffix(" ") && !text.contains("  ")
      && text.contains { $0.isLetter } && !Node.isNumber(text) && !Node.isFlag(text) && !Node.isNull(text)
      && !text.hasPrefix("- ") && !text.hasPrefix("--")
    return isPlain ? text : JSONLine.quoted(text)
  }
}
