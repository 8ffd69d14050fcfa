import Files
import Markup

/// One file of a session as it is read at one place: the file that was opened first, or an included one.
struct SessionPart {
  let root: Node
  /// Stands before each relative path of the file, so that the path starts at the folder of the session. Empty for files
  /// in that folder.
  let prefix: String
  /// The files through which it was included, and itself at the end: each with its path after symbolic links.
  let trail: [(path: String, name: String)]
  /// The include through which it was read; nil for the first file.
  let include: SourceLocation.Include?

  /// A path of this file as one that starts at the folder of the session.
  func path(_ text: String) -> String { Self.path(text, after: prefix) }

  static func path(_ text: String, after prefix: String) -> String {
    if prefix.isEmpty || text.hasPrefix("/") || text.hasPrefix("~/") { return text }
    let path = prefix + (text.hasPrefix("./") ? String(text.dropFirst(2)) : text)
    // Otherwise the folder's name could make an address or a built-in sound of the path.
    return path.hasPrefix("generate:") || path.contains("://") ? "./" + path : path
  }
}

extension SessionPart {
  /// The keys of a file that is only included.
  private static let keys: Set<String> = ["$schema", "prosper", "sounds", "parameters", "include"]

  /// Whether a file has only what other files include at the top: sounds and parameters.
  static func isLibrary(_ root: Node) -> Bool {
    guard case .map(let entries) = root.content else { return false }
    return keys.isSuperset(of: entries.map(\.key)) && ["sounds", "parameters", "include"].contains { root.has([$0]) }
  }

  /// The error for such a file, or for a day, in place of a session; nil for any other.
  static func refusal(_ root: Node) -> Diagnostic? {
    if SessionFile.isDay(root) {
      return Diagnostic(
        .notASession, root.location, "this file states at which times of a day sessions play, and is no session",
        fix: "give one of its sessions, or schedule the day")
    }
    guard isLibrary(root) else { return nil }
    return Diagnostic(
      .notASession, root.location, "this file has sounds or parameters for other files, and no stages",
      fix: "give a session that includes it")
  }
}

extension Node {
  /// Whether it is a group with these keys.
  func has(_ keys: [String]) -> Bool {
    guard case .map(let entries) = content else { return false }
    return keys.allSatisfy { key in entries.contains { $0.key == key } }
  }
}

/// Reads the files that a session includes. Each file is read once, however often it is included.
final class SessionPartReader {
  /// How many files may include each other in a row.
  static let maximumDepth = 8

  private let folder: String
  private let home: String?
  private let problems: Problems
  /// The folder of the first file as messages name it, with a slash at its end; empty for the current one.
  private let shownFolder: String
  private let size: ResolvedSize
  /// The content of each file that was read, with the number of its values, by its path after symbolic links; nil for
  /// one with an error that has been reported.
  private var roots: [String: (node: Node, values: Int)?] = [:]
  private var bytes = 0
  /// The absolute paths of the included files in the order in which they were read, also of those with errors.
  private(set) var files: [String] = []

  /// - Parameters:
  ///   - file: the first file as the user named it.
  ///   - folder: its absolute folder.
  init(file: String, folder: String, home: String?, _ size: ResolvedSize, _ problems: Problems) {
    (self.folder, self.home, self.size, self.problems) = (folder, home, size, problems)
    shownFolder = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(file[...$0]) } ?? ""
  }

  /// The file that was opened first.
  func first(_ root: Node) -> SessionPart {
    let name = FilePath.parts(of: root.location.file).last.map(String.init) ?? ""
    let path = joined(folder, name)
    return SessionPart(
      root: root, prefix: "", trail: [(FilePath.resolved(path) ?? path, root.location.file)], include: nil)
  }

  /// The file that a part includes; nil, with an error reported, if it can't be read or may not be included.
  ///
  /// - Parameter node: its path, which starts at the folder of the session, at the place of the include.
  /// - Throws: if the session becomes too large.
  func part(_ node: Node, includedIn outer: SessionPart) throws(Diagnostic) -> SessionPart? {
    guard let file = path(node).map(short) else { return nil }
    let path = joined(folder, file)
    let identity = FilePath.resolved(path) ?? path
    let name = file.hasPrefix("/") ? file : shownFolder + file
    if SessionFile.isStream(path) {
      return refuse(node, "'\(shown(file))' is a stream", fix: "include a file", .fileLoadFailed)
    }
    if let first = outer.trail.firstIndex(where: { $0.path == identity }) {
      let names = outer.trail[(first + 1)...].map { shown($0.name) }
      let between = names.isEmpty ? "" : ", through " + names.joined(separator: " and ")
      return refuse(node, "'\(shown(outer.trail[first].name))' includes itself\(between)", fix: "remove the include")
    }
    if Self.maximumDepth < outer.trail.count {
      return refuse(
        node, "files include each other in more than \(Self.maximumDepth) levels", fix: "include them further outside",
        .tooLarge)
    }
    let include = SourceLocation.Include(at: node.location)
    guard let root = root(of: path, identity, named: name, include, at: node.location) else { return nil }
    try size.add(values: root.values, at: node.location)
    let end = file.utf8.lastIndex(of: UInt8(ascii: "/"))
    return SessionPart(
      root: root.node.located(by: include), prefix: end.map { String(file[...$0]) } ?? "",
      trail: outer.trail + [(identity, name)], include: include)
  }

  /// The path of an included file, with the home folder; nil, with an error reported, if it is none.
  private func path(_ node: Node) -> String? {
    guard let text = node.string, !text.allSatisfy(\.isWhitespace), !text.contains(where: \.isNewline) else {
      return refuse(node, "the path of an included file is \(node.kind)", fix: "write the path of a file")
    }
    if text.contains("://") {
      return refuse(node, "'\(shown(text))' is an address", fix: "include a file of this computer")
    }
    guard text.hasPrefix("~/"), let home else { return text }
    return home + text.dropFirst()
  }

  /// A path that starts at the folder of the session, without `.` and without those `..` that only lead back. The parent
  /// of what a symbolic link leads to is not the folder of the link.
  func short(_ path: String) -> String {
    guard path.contains("./") else { return path }
    let begin = path.hasPrefix("/") ? "/" : ""
    let parts = FilePath.parts(of: path).reduce(into: [Substring]()) { parts, part in
      let before = begin + parts.joined(separator: "/")
      switch part {
      case ".": break
      case ".." where parts.last.map { $0 != ".." } ?? false && FilePath.link(at: joined(folder, before)) == nil:
        parts.removeLast()
      default: parts.append(part)
      }
    }
    return begin + parts.joined(separator: "/")
  }

  private func joined(_ folder: String, _ file: String) -> String {
    file.hasPrefix("/") ? file : folder + (folder.hasSuffix("/") ? "" : "/") + file
  }

  private func refuse<Value>(
    _ node: Node, _ problem: @autoclosure () -> String, fix: String, _ code: Diagnostic.Code = .invalidValue
  ) -> Value? {
    problems.report(code, node.location, problem(), fix: fix)
    return nil
  }

  /// The content of a file; nil if it can't be read, which is reported once.
  private func root(
    of path: String, _ identity: String, named name: String, _ include: SourceLocation.Include,
    at location: SourceLocation
  ) -> (node: Node, values: Int)? {
    if let root = roots[identity] { return root }
    files.append(path)
    var root: (node: Node, values: Int)?
    do throws(SessionFileError) {
      let content = try SessionFile.bytes(path)
      bytes += content.count
      do throws(Diagnostic) {
        let node = try parsed(content, named: name)
        root = (node, node.count)
      } catch {
        var error = error
        error.location = error.location.included(by: include)
        problems.report(error)
      }
    } catch {
      problems.report(
        error.code, location, "\(shown(name, upTo: 4_096)): \(error.problem)",
        fix: "\(error.fix); a relative path starts at the folder of the file that includes it")
    }
    roots.updateValue(root, forKey: identity)
    return root
  }

  private func parsed(_ content: [UInt8], named name: String) throws(Diagnostic) -> Node {
    guard bytes <= Node.Limit.bytes else {
      throw Diagnostic(
        .tooLarge, SourceLocation(file: name), "the files of the session are larger than the limit of 16 MiB",
        fix: "include fewer files")
    }
    if let error = ForeignFile.refusal(content, path: name) { throw error }
    return try SessionReader.markup(try TextBytes.text(content, file: name), path: name)
  }
}

/// Counts what a session has become by its parameters and includes, so that a few lines can't exhaust the memory.
final class ResolvedSize {
  /// How many includes there may be in all files together.
  private static let maximumIncludes = 10_000

  private var values = 0
  private var bytes = 0
  private var includes = 0

  /// - Throws: if there are more includes than a session can need.
  func addInclude(at location: SourceLocation) throws(Diagnostic) {
    includes += 1
    if Self.maximumIncludes < includes { throw Self.excess("\(Self.maximumIncludes) includes", location) }
  }

  /// - Throws: if there are more values than `Node.Limit` allows.
  func add(values count: Int, at location: SourceLocation) throws(Diagnostic) {
    values += count
    if Node.Limit.values < values { throw Self.excess("\(Node.Limit.values) values", location) }
  }

  /// - Throws: if there is more text than `Node.Limit` allows.
  func add(text: String, at location: SourceLocation) throws(Diagnostic) {
    bytes += text.utf8.count
    if Node.Limit.bytes < bytes { throw Self.excess("16 MiB of text", location) }
  }

  private static func excess(_ limit: String, _ location: SourceLocation) -> Diagnostic {
    Diagnostic(
      .tooLarge, location, "with its parameters and includes, the session exceeds the limit of \(limit)",
      fix: "include fewer files, or use parameters less often")
  }
}

extension Node {
  /// The number of values in this one, itself included.
  var count: Int {
    switch content {
    case .text, .word: 1
    case .list(let elements): elements.reduce(1) { $0 + $1.count }
    case .map(let entries): entries.reduce(1) { $0 + $1.value.count }
    }
  }

  /// The value of a parameter where it is used: its parts keep their places, but differ from those of other uses.
  func used(at place: SourceLocation) -> Node {
    plainText == nil ? located(by: SourceLocation.Include(at: place, isUse: true)) : self
  }

  /// The value in a file that was read through an include.
  fileprivate func located(by include: SourceLocation.Include) -> Node {
    var node = self
    node.location = location.included(by: include)
    switch content {
    case .text, .word: break
    case .list(let elements): node.content = .list(elements.map { $0.located(by: include) })
    case .map(let entries):
      node.content = .map(
        entries.map { entry in
          Entry(
            key: entry.key, location: entry.location.included(by: include), value: entry.value.located(by: include))
        })
    }
    return node
  }
}
