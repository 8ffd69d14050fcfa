import ProsperKit

/// The sessions that are found by name, such as `three-stages`: the user's own, those that are installed with prosper,
/// and in a clone of the repository those of its folder `sessions`.
struct SessionLibrary {
  /// A session and the name under which it is found.
  struct Entry: Hashable {
    var name: String
    var path: String
  }

  /// The extensions of session files, in the order in which files with the same name are preferred.
  static let suffixes = [".yaml", ".yml", ".json"]

  /// Absolute paths. A name that several folders contain means the session in the first of them.
  let folders: [String]

  /// - Parameter program: the absolute path of this program; nil if it is unknown.
  init(environment: [String: String] = ProcessInput.environment, program: String? = Self.program) {
    var folders = Self.data(environment).prefix(1).map { $0 + "/prosper/sessions" }
    if let program {
      let folder = SessionLibrary.parent(of: program)
      folders.append(Self.parent(of: folder) + "/share/prosper/sessions")
      folders += Self.clone(around: folder).map { [$0 + "/sessions"] } ?? []
    }
    folders += Self.data(environment).dropFirst().map { $0 + "/prosper/sessions" }
    self.folders = folders.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// All sessions, in alphabetical order.
  var entries: [Entry] {
    var paths: [String: String] = [:]
    for folder in folders {
      let files = FilePath.names(in: folder)
      for name in Set(files.compactMap(Self.name)) where paths[name] == nil {
        paths[name] = Self.path(of: name, in: folder)
      }
    }
    return paths.map { Entry(name: $0.key, path: $0.value) }.sorted { $0.name < $1.name }
  }

  /// The sessions without files that are only parts of others. Reads all of them.
  var wholeEntries: [Entry] {
    let entries = entries
    let paths = Set(SessionFolder.withoutParts(entries.map(\.path)))
    return entries.filter { paths.contains($0.path) }
  }

  /// The path of the session with that name; nil if there is none.
  func path(named name: String) -> String? {
    Self.isName(name) ? folders.lazy.compactMap { Self.path(of: name, in: $0) }.first : nil
  }

  /// The file that an argument means: the argument itself if there is such a file, otherwise the session with that
  /// name. Without either it returns the argument.
  static func file(_ argument: String) -> String {
    isFile(at: argument) ? argument : SessionLibrary().path(named: argument) ?? argument
  }

  /// The session file that an argument means, which may also be a sound file; nil if it is one.
  static func session(_ argument: String) -> String? {
    let isName = !FilePath.exists(absolutePath(of: argument)) && SessionLibrary().path(named: argument) != nil
    return isSession(argument) || isName ? file(argument) : nil
  }

  /// Whether an argument can be a name: it is neither a path nor the name of a session file.
  static func isName(_ argument: String) -> Bool {
    !argument.isEmpty && !argument.contains("/") && !isSession(argument)
  }

  /// Whether a file is a session, by its name. The JSON Schema of the format is not one.
  static func isSession(_ file: String) -> Bool {
    suffixes.contains { file.hasSuffix($0) && $0.count < file.count } && !file.hasSuffix(".schema.json")
  }

  /// The name of a session file; nil if it is no session.
  static func name(of file: String) -> String? {
    guard isSession(file), !file.hasPrefix("."), let dot = file.lastIndex(of: ".") else { return nil }
    return String(file[..<dot])
  }

  private static func path(of name: String, in folder: String) -> String? {
    suffixes.lazy.map { "\(folder)/\(name)\($0)" }.first { isFile(at: $0) }
  }
}

extension SessionLibrary {
  /// The folders for the data of programs, the user's first. Relative paths in the variables are ignored.
  private static func data(_ environment: [String: String]) -> [String] {
    let own = [environment["XDG_DATA_HOME"], environment["HOME"].map { $0 + "/.local/share" }].compactMap { $0 }
    let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
    let all = shared.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    return own.filter { $0.hasPrefix("/") }.prefix(1) + all
  }

  /// The path of the program's file, after symbolic links; nil if the system does not say.
  static var program: String? { FilePath.resolved("/proc/self/exe") }

  /// The clone of the repository in which a folder is; nil if it is in none.
  private static func clone(around folder: String) -> String? {
    var folder = folder
    while folder != "/" {
      if FileIdentity(folder + "/Package.swift") != nil,
        FileIdentity(folder + "/sessions/session.schema.json") != nil
      {
        return folder
      }
      folder = parent(of: folder)
    }
    return nil
  }

  private static func parent(of path: String) -> String {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    return parent.isEmpty ? "/" : parent
  }
}
