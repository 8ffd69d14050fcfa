import ArgumentParser
import Glibc

/// Writes files that have their name only when they are complete.
enum TextFile {
  /// What happens to a file that exists: it is kept, with a refusal that may mention `--force`, or it is replaced.
  enum Existing {
    case keep
    case keepUnlessForced
    case replace
  }

  /// Writes a temporary file in the same folder, and then gives it its name. `link` fails if a file with this name
  /// exists, even if it was created meanwhile. A device or FIFO is not replaced, but written to.
  ///
  /// - Throws: the exit code, after an error has been printed.
  static func write(to path: String, _ existing: Existing, _ body: (LineWriter) -> Void) throws {
    // A symbolic link is kept, and its target replaced.
    let target = realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let isReplacing = existing == .replace
    if target != nil, !isReplacing { throw refusal(of: path, existing) }
    var facts = stat()
    if let target, stat(target, &facts) == 0, ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) {
      return try write(into: open(target, O_WRONLY | O_CLOEXEC), for: path, body)
    }
    let final = target ?? path
    let part = "\(final).\(getpid()).part"
    defer { unlink(part) }
    try write(into: open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666), for: path, body)
    let isNamed = isReplacing ? rename(part, final) == 0 : link(part, final) == 0
    if isNamed { return }
    if errno == EEXIST { throw refusal(of: path, existing) }
    throw failure(path, errno, .cannotCreate)
  }

  /// Writes into an open file and closes it; `file` is negative if it could not be opened.
  private static func write(into file: Int32, for path: String, _ body: (LineWriter) -> Void) throws {
    guard 0 <= file else { throw failure(path, errno, .cannotCreate) }
    let out = LineWriter(descriptor: file)
    body(out)
    // A device or FIFO can't be synchronised.
    let isWritten = out.flush() && (fsync(file) == 0 || errno == EINVAL)
    let code = errno
    if close(file) == 0, isWritten { return }
    throw failure(path, code, .cannotWrite)
  }

  private static func refusal(of path: String, _ existing: Existing) -> ExitCode {
    let fix = existing == .keepUnlessForced ? "replace it with --force" : "remove the file first"
    StandardError.say("\(path): already exists; choose another name, or \(fix)")
    return ExitStatus.cannotCreate.code
  }

  private static func failure(_ path: String, _ code: Int32, _ status: ExitStatus) -> ExitCode {
    let choice = code == EISDIR ? "name" : "folder"
    let (what, fix) =
      status == .cannotCreate ? ("created", "choose another \(choice)") : ("written", "free some space")
    StandardError.say("\(path): can't be \(what): \(String(cString: strerror(code)).lowercased()); \(fix)")
    return status.code
  }
}
