import ProsperKit

/// The path of this program, for unit files.
enum ProgramPath {
  /// An absolute path that still leads to the program after an update: the path by which the program was started, with
  /// the symbolic links that a package manager may have made. If it can't be found, the path of the file itself.
  static var current: String {
    let itself = "/proc/self/exe"
    let word = ProcessInput.arguments.first ?? ""
    let found = word.contains("/") ? [absolutePath(of: word)] : folders.map { "\($0)/\(word)" }
    if let path = found.first(where: { FileIdentity($0) != nil && FileIdentity($0) == FileIdentity(itself) }) {
      return path
    }
    return FilePath.resolved(itself) ?? absolutePath(of: word)
  }

  private static var folders: [Substring] {
    ProcessInput.variable("PATH").map { $0.split(separator: ":").filter { $0.hasPrefix("/") } } ?? []
  }
}
