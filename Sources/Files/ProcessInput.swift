import Glibc

/// What the process was given by the one that started it, as text that keeps bytes that are not UTF-8.
package enum ProcessInput {
  /// The words of the command line. The first is the program.
  package static let arguments: [String] = (0..<Int(CommandLine.argc)).compactMap { index in
    CommandLine.unsafeArgv[index].map { String(ofSystem: $0) }
  }

  /// The environment variables.
  package static var environment: [String: String] {
    var (variables, next) = ([String: String](), environ)
    while let entry = next.pointee {
      let words = String(ofSystem: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // Of a variable that is there twice, programs get the first.
      if words.count == 2, variables[String(words[0])] == nil { variables[String(words[0])] = String(words[1]) }
      next += 1
    }
    return variables
  }

  /// The value of an environment variable; nil if it is not set.
  package static func variable(_ name: String) -> String? { getenv(name).map { String(ofSystem: $0) } }

  /// The absolute path of the working directory; the root if it was removed.
  package static var folder: String {
    let path = getcwd(nil, 0)
    defer { free(path) }
    return path.map { String(ofSystem: $0) } ?? "/"
  }
}
