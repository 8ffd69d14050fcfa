import Markup

/// What the parts of a session share while they are put together.
final class Resolving {
  let problems: Problems
  let size: ResolvedSize
  let parts: SessionPartReader
  /// The places of values that could not be filled in, which has been reported.
  var unfilled: Set<SourceLocation> = []
  /// Whether something is missing because of an error that has been reported.
  var isIncomplete = false
  /// The sounds of all files.
  var sounds = SoundTable()

  init(file: String, folder: String, home: String?, _ problems: Problems) {
    size = ResolvedSize()
    self.problems = problems
    parts = SessionPartReader(file: file, folder: folder, home: home, size, problems)
  }

  /// The files whose stages have been included.
  private var included: Set<String> = []

  /// Whether the stages of a file are included for the first time.
  func isNew(_ part: SessionPart) -> Bool { part.trail.last.map { included.insert($0.path).inserted } ?? true }

  /// The file that a part includes; nil, with an error reported, if it can't be used.
  func part(_ node: Node, includedIn outer: SessionPart) throws(Diagnostic) -> SessionPart? {
    try size.addInclude(at: node.location)
    let part = try parts.part(node, includedIn: outer)
    if part == nil { isIncomplete = true }
    return part
  }
}

/// The sounds of all files of a session, by name.
struct SoundTable {
  private struct Definition {
    var name: String
    /// The definition as it was read, with its original name.
    var entry: Node.Entry
    var meaning: Node.Meaning
  }

  /// In the order in which they were added.
  private var definitions: [Definition] = []
  private var indices: [String: Int] = [:]

  /// The group `sounds`.
  var entries: [Node.Entry] { definitions.map(\.entry) }

  /// Adds a definition. The same definition may be added several times.
  ///
  /// - Returns: its name. It is another one if the same lines of a file define another sound than at an earlier include,
  ///   because of other parameters.
  mutating func add(_ entry: Node.Entry, _ problems: Problems) -> String {
    let meaning = entry.value.meaning
    var (name, number) = (entry.key, 1)
    while let index = indices[name] {
      let known = definitions[index]
      if known.meaning == meaning { return name }
      guard 1 < number || known.entry.location.isSamePlace(as: entry.location) else {
        problems.report(
          .duplicateName, entry.location,
          "the sound '\(shown(entry.key))' is another one in \(known.entry.location)", fix: "rename one of them")
        return name
      }
      number += 1
      name = "\(entry.key) \(number)"
    }
    insert(name == entry.key ? entry : entry.renamed(to: name), as: name, meaning)
    return name
  }

  /// Adds an entry as it is, also if it repeats a name: that is reported when the session is read.
  mutating func addRepeated(_ entry: Node.Entry) { insert(entry, as: entry.key, entry.value.meaning) }

  private mutating func insert(_ entry: Node.Entry, as name: String, _ meaning: Node.Meaning) {
    if indices[name] == nil { indices[name] = definitions.count }
    definitions.append(Definition(name: name, entry: entry, meaning: meaning))
  }
}

extension Node.Entry {
  /// The definition of a sound with another name. Its title stays the same.
  fileprivate func renamed(to name: String) -> Node.Entry {
    var renamed = self
    renamed.key = name
    let title = Node.Entry(key: "title", location: location, value: Node(location: location, content: .text(key)))
    switch value.content {
    case .map(let entries):
      if !entries.contains(where: { $0.key == "title" }) { renamed.value.content = .map(entries + [title]) }
    case .text(let text), .word(let text):
      guard let (key, origin) = OriginReader.entry(of: text) else { break }
      let entry = Node.Entry(
        key: key, location: value.location, value: Node(location: value.location, content: .text(origin)))
      renamed.value.content = .map([entry, title])
    case .list: break
    }
    return renamed
  }
}
