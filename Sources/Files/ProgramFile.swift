import Glibc

/// A program, or a file that it needs.
package struct ProgramFile {
  package let path: String
  /// Size and time of the last change, which differ in another edition of the file.
  package let state: String

  /// Nil if there is no such file.
  package init?(path: String) {
    var facts = stat()
    guard stat(path.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    self.path = path
    state = "\(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
  }

  /// Finds a program that can be run. Nil if there is none.
  ///
  /// - Parameters:
  ///   - program: a path, or a name.
  ///   - folders: where a name is searched, as in `PATH`.
  package init?(program: String, folders: String? = ProcessInput.variable("PATH")) {
    if program.contains("/") {
      guard access(program.forSystem, X_OK) == 0 else { return nil }
      self.init(path: program)
      return
    }
    let paths = (folders ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
    guard let found = paths.first(where: { access($0.forSystem, X_OK) == 0 && ProgramFile(path: $0) != nil }) else {
      return nil
    }
    self.init(path: found)
  }
}
