import Markup
import Player

/// Writes markup as JSON that is easy to edit: one key per line, with short objects and arrays on one line.
enum JSONText {
  /// The maximum number of columns of an object or array on one line, with its indentation.
  private static let width = 100

  static func text(of root: Node) -> String { written(root, indent: "", path: "") + "\n" }

  private static func written(_ value: Node, indent: String, path: String) -> String {
    let flow = flow(value)
    let isShort = indent.count + flow.count <= width && !["", "stages", "sounds"].contains(path)
    if isShort { return flow }
    let deeper = indent + "  "
    switch value.content {
    case .text, .word: return flow
    case .list(let elements):
      let lines = elements.map { element in
        // A stage is always written line by line.
        let isStage = path == "stages"
        return deeper + written(element, indent: deeper, path: isStage ? "" : path + "[]")
      }
      return "[\n" + lines.joined(separator: ",\n") + "\n" + indent + "]"
    case .map(let entries):
      let lines = entries.map { entry in
        let inner = path.isEmpty && indent.isEmpty ? entry.key : "." + entry.key
        return deeper + JSONLine.quoted(entry.key) + ": " + written(entry.value, indent: deeper, path: inner)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
    }
  }

  /// A value on one line.
  static func line(of value: Node) -> String { flow(value) }

  private static func flow(_ value: Node) -> String {
    switch value.content {
    case .word(let word): word
    case .text(let text): JSONLine.quoted(text)
    case .list(let elements): "[" + elements.map(flow).joined(separator: ", ") + "]"
    case .map(let entries):
      "{ " + entries.map { JSONLine.quoted($0.key) + ": " + flow($0.value) }.joined(separator: ", ") + " }"
    }
  }
}
