import Files
import Markup

/// Fills parameters into the values of one part of a session, and makes its relative paths start at the folder of the
/// session. Keys stay as they are.
struct PartFilling {
  /// What a value means, as far as paths and names of sounds are concerned.
  enum Role {
    case plain
    /// A sound, or a list of sounds.
    case sound
    /// A group of sounds with names.
    case definitions
    /// A path.
    case path

    /// The role of the value of a key. The keys have one meaning wherever they stand.
    init(ofKey key: String, in role: Role) {
      if role == .definitions {
        self = .sound
        return
      }
      self =
        switch key {
        case "tracks", "sound": .sound
        case "sounds": .definitions
        case "file", "cover": .path
        default: .plain
        }
    }
  }

  let scope: ParameterScope
  let prefix: String
  /// The names of the sounds that have another one here than in the file.
  var renamed: [String: String] = [:]
  let resolving: Resolving

  /// A value with its parameters filled in.
  ///
  /// - Parameter depth: the nesting depth, 0 for the root of a file.
  /// - Throws: if the session becomes too large.
  func filled(_ node: Node, as role: Role = .plain, depth: Int) throws(Diagnostic) -> Node {
    guard depth <= 2 * Node.Limit.depth else { throw .tooMuch(node.location) }
    switch node.content {
    case .text(let text), .word(let text): return try filled(text, of: node, as: role, depth)
    case .list, .map:
      return try walked(node, as: role) { (value, role) throws(Diagnostic) in
        try filled(value, as: role, depth: depth + 1)
      }
    }
  }

  /// The entries of a group with their values filled in.
  func filled(_ entries: [Node.Entry], in role: Role, depth: Int) throws(Diagnostic) -> [Node.Entry] {
    var filled: [Node.Entry] = []
    for entry in entries {
      let value = try self.filled(entry.value, as: Role(ofKey: entry.key, in: role), depth: depth)
      filled.append(Node.Entry(key: entry.key, location: entry.location, value: value))
    }
    return filled
  }

  private func filled(_ text: String, of node: Node, as role: Role, _ depth: Int) throws(Diagnostic) -> Node {
    switch scope.filling(of: text, at: node.location, resolving.problems) {
    case .unchanged: return written(node, as: role, after: prefix)
    case .text(let text):
      try resolving.size.add(text: text, at: node.location)
      return written(Node(location: node.location, content: .text(text)), as: role, after: prefix)
    case .whole(let value):
      try resolving.size.add(values: value.node.count, at: node.location)
      if let text = value.node.plainText { try resolving.size.add(text: text, at: node.location) }
      var placed = try written(value, value.node.used(at: node.location), at: [], as: role, depth)
      placed.location = node.location
      return placed
    case .failed:
      resolving.unfilled.insert(node.location)
      return node
    }
  }

  /// A part of a value that is filled in: its paths start at the folder of the file that wrote it.
  private func written(
    _ value: ParameterScope.Filled, _ node: Node, at indices: [Int], as role: Role, _ depth: Int
  ) throws(Diagnostic) -> Node {
    guard depth <= 2 * Node.Limit.depth else { throw .tooMuch(node.location) }
    switch node.content {
    case .text, .word:
      return written(node, as: role, after: value.others.isEmpty ? value.prefix : value.others[indices] ?? value.prefix)
    case .list, .map:
      var index = -1
      return try walked(node, as: role) { (node, role) throws(Diagnostic) in
        index += 1
        return try written(value, node, at: indices + [index], as: role, depth + 1)
      }
    }
  }

  /// A list or group with each value replaced.
  private func walked(
    _ node: Node, as role: Role, _ change: (Node, Role) throws(Diagnostic) -> Node
  ) throws(Diagnostic) -> Node {
    var node = node
    switch node.content {
    case .text, .word: break
    case .list(let elements):
      var changed: [Node] = []
      // A list of sounds has no names.
      for element in elements { changed.append(try change(element, role == .definitions ? .sound : role)) }
      node.content = .list(changed)
    case .map(var entries):
      for index in entries.indices {
        entries[index].value = try change(entries[index].value, Role(ofKey: entries[index].key, in: role))
      }
      node.content = .map(entries)
    }
    return node
  }

  /// A single value without parameters: a path starts at the folder of the session, and a sound has its new name.
  private func written(_ node: Node, as role: Role, after prefix: String) -> Node {
    guard role == .path || role == .sound, let text = node.string else { return node }
    var node = node
    if role == .sound, let name = renamed[text], name != text {
      node.content = .text(name)
    } else if !prefix.isEmpty, role == .path ? !text.contains("://") : OriginReader.isRelativePath(text) {
      node.content = .text(resolving.parts.short(SessionPart.path(text, after: prefix)))
    }
    return node
  }
}
