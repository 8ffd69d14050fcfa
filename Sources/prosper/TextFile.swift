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
  /// exists, even if it was created meanwhile. A device or pipe is not replaced, but written to.
  ///
  /// - Throws: the exit code, after an error has been printed.
  static func write(to path: String, _ existing: Existing, _ body: (LineWriter) -> Void) throws {
    var facts = stat()
    let exists = stat(path, &facts) == 0
    let isReplacing = existing == .replace
    if exists, !isReplacing { throw refusal(of: path, existing) }
    if exists, ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) {
      return try write(into: try opened(path, O_WRONLY, for: path), for: path, body)
    }
    // A symbolic link to a file is kept, and the file replaced.
    let final =
      realpath(path, nil).map { resolved in
        defer { free(resolved) }
        return String(cString: resolved)
      } ?? path
    let part = "\(final).\(getpid()).part"
    let file = try opened(part, O_WRONLY | O_CREAT | O_EXCL, for: path)
    defer { unlink(part) }
    try write(into: file, for: path, body)
    let isNamed = isReplacing ? rename(part, final) == 0 : name(part, as: final)
    if isNamed { return }
    if errno == EEXIST { throw refusal(of: path, existing) }
    throw failure(path, errno, .cannotCreate)
  }

  /// Gives a file its name.
  ///
  /// - Returns: false if that is impossible, or if another file has the name; `errno` contains the reason.
  private static func name(_ part: String, as final: String) -> Bool {
    if link(part, final) == 0 { return true }
    // FAT and exFAT have no links.
    guard [EPERM, EOPNOTSUPP].contains(errno) else { return false }
    if access(final, F_OK) != 0 { return rename(part, final) == 0 }
    errno = EEXIST
    return false
  }

  private static func opened(_ name: String, _ flags: Int32, for path: String) throws -> Int32 {
    let file = open(name, flags | O_CLOEXEC, 0o666)
    guard 0 <= file else { throw failure(path, errno, .cannotCreate) }
    return file
  }

  /// Writes into an open file and closes it.
  private static func write(into file: Int32, for path: String, _ body: (LineWriter) -> Void) throws {
    let out = LineWriter(descriptor: file)
    body(out)
    // A device or pipe can't be synchronised.
    let isWritten = out.flush() && (fsync(file) == 0 || errno == EINVAL || errno == EROFS)
    let code = errno
    let isClosed = close(file) == 0
    if !isWritten || !isClosed { throw failure(path, isWritten ? errno : code, .cannotWrite) }
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
