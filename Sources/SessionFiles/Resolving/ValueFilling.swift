import Markup

/// Fills parameters into the value of another one, whose paths are not known yet: what they mean is decided where the
/// value is used.
struct ValueFilling {
  let scope: ParameterScope
  let resolving: Resolving
  /// What stands before the relative paths of those parts that are values of parameters, by their indices.
  private(set) var others: [[Int]: String] = [:]
  private(set) var hasFailed = false

  init(scope: ParameterScope, resolving: Resolving) { (self.scope, self.resolving) = (scope, resolving) }

  /// A part of the value, filled in.
  ///
  /// - Throws: if the session becomes too large.
  mutating func filled(_ node: Node, at indices: [Int]) throws(Diagnostic) -> Node {
    guard indices.count <= Node.Limit.depth else { throw .tooMuch(node.location) }
    var node = node
    switch node.content {
    case .text(let text), .word(let text): return try filled(text, of: node, at: indices)
    case .list(var elements):
      for index in elements.indices { elements[index] = try filled(elements[index], at: indices + [index]) }
      node.content = .list(elements)
    case .map(var entries):
      for index in entries.indices { entries[index].value = try filled(entries[index].value, at: indices + [index]) }
      node.content = .map(entries)
    }
    return node
  }

  private mutating func filled(_ text: String, of node: Node, at indices: [Int]) throws(Diagnostic) -> Node {
    switch scope.filling(of: text, at: node.location, resolving.problems) {
    case .unchanged: return node
    case .text(let text):
      try resolving.size.add(text: text, at: node.location)
      return Node(location: node.location, content: .text(text))
    case .whole(let value):
      try resolving.size.add(values: value.node.count, at: node.location)
      note(value.prefix, of: value.node, at: indices)
      for (inner, prefix) in value.others { others[indices + inner] = prefix }
      return Node(location: node.location, content: value.node.content)
    case .failed:
      hasFailed = true
      return node
    }
  }

  /// Keeps what stands before the paths of a value, for each single value in it.
  private mutating func note(_ prefix: String, of node: Node, at indices: [Int]) {
    others[indices] = prefix
    switch node.content {
    case .text, .word: break
    case .list(let elements):
      for (index, element) in elements.enumerated() { note(prefix, of: element, at: indices + [index]) }
    case .map(let entries):
      for (index, entry) in entries.enumerated() { note(prefix, of: entry.value, at: indices + [index]) }
    }
  }
}
