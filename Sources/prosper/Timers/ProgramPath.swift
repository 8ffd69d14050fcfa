import Glibc
import ProsperKit

/// The path under which this program was started.
enum ProgramPath {
  /// An absolute path that still leads to the program after an update: links, such as those of a package manager, are
  /// kept.
  static var current: String {
    let itself = "/proc/self/exe"
    let word = CommandLine.arguments.first ?? ""
    let found = word.contains("/") ? [absolutePath(of: word)] : folders.map { "\($0)/\(word)" }
    if let path = found.first(where: { FileIdentity($0) != nil && FileIdentity($0) == FileIdentity(itself) }) {
      return path
    }
    guard let target = realpath(itself, nil) else { return absolutePath(of: word) }
    defer { free(target) }
    return String(cString: target)
  }

  private static var folders: [Substring] {
    getenv("PATH").map { String(cString: $0).split(separator: ":").filter { $0.hasPrefix("/") } } ?? []
  }
}
