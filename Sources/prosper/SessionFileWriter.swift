import ArgumentParser
import Foundation
import GeneratedSounds
import Glibc
import ProsperKit
import Sessions

/// Writes a session file, for `new` and `sit --save`. An existing file is replaced only on request, and only by a
/// complete file.
enum SessionFileWriter {
  /// What happens to a file that exists: it is kept, with a refusal that may mention `--force`, or it is replaced.
  enum Existing {
    case keep
    case keepUnlessForced
    case replace
  }

  /// Writes the session, and prints what was written and how to play it.
  ///
  /// - Parameters:
  ///   - path: ends with `.yaml`, `.yml` or `.json`; `-` writes YAML to stdout.
  ///   - existing: what happens to a file of that name.
  /// - Throws: a `Refusal` for another suffix; otherwise the exit code, after an error has been printed.
  static func write(_ session: Sessions.Session, to path: String, _ existing: Existing) throws {
    if path == "-" { return try print(text(of: session, at: "session.yaml", .yaml)) }
    let text = text(of: session, at: path, try format(of: path))
    try check(text, at: path)
    try save(text, to: path, existing)
    let file = shellWord(path)
    try print("\(path.withoutControls): \(session.title.withoutControls); play it with: prosper play \(file)\n")
  }

  /// The format for the suffix of a path.
  ///
  /// - Throws: a `Refusal` if it is not the suffix of a session file.
  static func format(of path: String) throws(Refusal) -> SessionWriter.Format {
    if path == "-" { return .yaml }
    if let format = SessionWriter.Format(path: path) { return format }
    throw Refusal(
      "'\(path.withoutControls)' is not a name for a session file; choose one that ends with .yaml or .json")
  }

  private static func text(of session: Sessions.Session, at path: String, _ format: SessionWriter.Format) -> String {
    let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    var writer = SessionWriter(format, in: folder)
    if path != "-" { writer.header = ["Check it with 'prosper check', see its times with 'prosper show'."] }
    return writer.text(of: session)
  }

  /// Checks that the text can be read as a session. If not, prosper has a defect.
  private static func check(_ text: String, at path: String) throws {
    let reader = Sessions.SessionReader(catalogue: GeneratedSoundLibrary.catalogue)
    let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    let reading = reader.read(text: text, path: path, folder: folder)
    if reading.session != nil { return }
    for diagnostic in reading.diagnostics { StandardError.printPlain(diagnostic.description) }
    throw ExitStatus.defect.code
  }

  private static func print(_ text: String) throws {
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    out.write(text)
    try out.finish()
  }

  /// Writes a temporary file in the same folder, and then gives it its name. `link` fails if a file with this name
  /// exists, even if it was created meanwhile.
  private static func save(_ text: String, to path: String, _ existing: Existing) throws {
    // A symbolic link is kept, and its target replaced.
    let target = realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let isReplacing = existing == .replace
    if target != nil, !isReplacing { throw refusal(of: path, existing) }
    let final = target ?? path
    let part = "\(final).\(getpid()).part"
    try write(text, to: part, for: path)
    defer { unlink(part) }
    let isNamed = isReplacing ? rename(part, final) == 0 : link(part, final) == 0
    if isNamed { return }
    if errno == EEXIST { throw refusal(of: path, existing) }
    throw failure(path, errno, .cannotCreate)
  }

  private static func write(_ text: String, to part: String, for path: String) throws {
    let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard 0 <= file else { throw failure(path, errno, .cannotCreate) }
    let out = LineWriter(descriptor: file)
    out.write(text)
    let isWritten = out.flush() && fsync(file) == 0
    let code = errno
    if close(file) == 0, isWritten { return }
    unlink(part)
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

  /// The text as a word for a shell, with quotes if it needs them.
  private static func shellWord(_ text: String) -> String {
    // A name that begins with a hyphen would be read as an option.
    let text = text.hasPrefix("-") ? "./" + text : text
    let isPlain = text.wholeMatch(of: #/[A-Za-z0-9_.\/+,:@%-]+/#) != nil
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''").withoutControls + "'"
  }
}
