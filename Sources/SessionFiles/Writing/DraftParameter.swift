package import Markup

/// A parameter of a session that is written to a file. At its places the file has `${name}` instead of the value.
package struct DraftParameter: Sendable {
  /// A letter, then letters, digits, `-` and `_`.
  package var name: String
  /// What it means.
  package var summary: String
  /// The default, as it is written.
  package var standard: Node
  /// The values that it can have; empty if it can have any.
  package var choices: [String] = []
  /// The values that it replaces, by their keys and the indices of lists: `sounds.bell.generate`, `stages[1].duration`.
  /// A last key that is not there is added.
  package var places: Set<String>

  package init(name: String, summary: String, standard: Node, choices: [String] = [], places: Set<String>) {
    (self.name, self.summary, self.standard) = (name, summary, standard)
    (self.choices, self.places) = (choices, places)
  }

  /// The declaration in the file.
  fileprivate var declaration: Node {
    .map([
      ("default", standard), ("description", .text(summary)),
      ("values", choices.isEmpty ? nil : .list(choices.map { .text($0) })),
    ])
  }
}

extension [DraftParameter] {
  /// A session with the parameters at their places, declared after its title and its description.
  func filled(into root: Node) -> Node {
    guard !isEmpty, case .map(var entries) = replacing(root, at: "").content else { return root }
    let first = entries.firstIndex { !["prosper", "title", "description"].contains($0.key) } ?? entries.endIndex
    let declarations = Node.map(map { ($0.name, $0.declaration) })
    entries.insert(Node.Entry(key: "parameters", location: .none, value: declarations), at: first)
    return Node(location: root.location, content: .map(entries))
  }

  private func replacing(_ node: Node, at place: String) -> Node {
    if let parameter = first(where: { $0.places.contains(place) }) { return .text("${\(parameter.name)}") }
    var node = node
    switch node.content {
    case .text, .word: break
    case .list(let elements):
      node.content = .list(elements.enumerated().map { replacing($1, at: "\(place)[\($0)]") })
    case .map(let entries):
      let inner = { (key: String) in place.isEmpty ? key : "\(place).\(key)" }
      let written = entries.map { entry in
        Node.Entry(key: entry.key, location: entry.location, value: replacing(entry.value, at: inner(entry.key)))
      }
      node.content = .map(written + added(to: written.map { inner($0.key) }, at: inner("")))
    }
    return node
  }

  /// The entries of a group that are not in it but have a parameter.
  ///
  /// - Parameters:
  ///   - present: the places of its entries.
  ///   - prefix: the beginning of such places.
  private func added(to present: [String], at prefix: String) -> [Node.Entry] {
    flatMap { parameter in
      parameter.places.filter { place in
        place.hasPrefix(prefix) && !present.contains(place)
          && !place.dropFirst(prefix.count).contains { $0 == "." || $0 == "[" }
      }
      .sorted().map { place in
        Node.Entry(
          key: String(place.dropFirst(prefix.count)), location: .none, value: .text("${\(parameter.name)}"))
      }
    }
  }
}
