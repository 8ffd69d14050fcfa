import ArgumentParser
import Foundation
import GeneratedSounds
import Glibc
import ProsperKit
import Sessions

/// Writes a session as a file of its own, for `new` and `sit --save`. A file that exists is replaced only on request,
/// and then only by a complete one.
enum SessionFileWriter {
  /// Writes the session, and prints what was written and how to play it.
  ///
  /// - Parameters:
  ///   - path: ends with `.yaml`, `.yml` or `.json`; `-` writes YAML to stdout.
  ///   - isReplacing: whether an existing file may be replaced.
  /// - Throws: a `Refusal` for another suffix; otherwise the exit code, after an error has been printed.
  static func write(_ session: Sessions.Session, to path: String, isReplacing: Bool) throws {
    if path == "-" { return try print(text(of: session, at: "session.yaml", .yaml)) }
    let text = text(of: session, at: path, try format(of: path))
    try check(text, at: path)
    try save(text, to: path, isReplacing: isReplacing)
    let file = shellWord(path)
    try print("\(path.withoutControls): \(session.title.withoutControls); play it with: prosper play \(file)\n")
  }

  /// - Throws: if the suffix is not that of a session file.
  static func format(of path: String) throws(Refusal) -> SessionWriter.Format {
    if path == "-" { return .yaml }
    if let format = SessionWriter.Format(path: path) { return format }
    throw Refusal("'\(path.withoutControls)' is not the name of a session file; let it end with .yaml or .json")
  }

  private static func text(of session: Sessions.Session, at path: String, _ format: SessionWriter.Format) -> String {
    let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    var writer = SessionWriter(format, in: folder)
    if path != "-" { writer.header = ["Check it with 'prosper check', see its times with 'prosper show'."] }
    return writer.text(of: session)
  }

  /// What is written can be read: anything else is a defect of ours.
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

  /// Writes the text beside its final name first. `link` gives it that name only if no file has it, also if one appears
  /// in the meantime.
  private static func save(_ text: String, to path: String, isReplacing: Bool) throws {
    // A link to a file is kept, and its file replaced.
    let target = realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    if target != nil, !isReplacing { throw exists(path) }
    let final = target ?? path
    let part = "\(final).\(getpid()).part"
    try write(text, to: part, for: path)
    defer { unlink(part) }
    let isNamed = isReplacing ? rename(part, final) == 0 : link(part, final) == 0
    if isNamed { return }
    if errno == EEXIST { throw exists(path) }
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

  private static func exists(_ path: String) -> ExitCode {
    StandardError.say("\(path): exists already; choose another name, or replace it with --force")
    return ExitStatus.cannotCreate.code
  }

  private static func failure(_ path: String, _ code: Int32, _ status: ExitStatus) -> ExitCode {
    let (what, fix) = status == .cannotCreate ? ("created", "choose another place") : ("written", "make room")
    StandardError.say("\(path): can't be \(what): \(String(cString: strerror(code)).lowercased()); \(fix)")
    return status.code
  }

  /// A word that a shell takes as it is.
  private static func shellWord(_ text: String) -> String {
    let isPlain = text.wholeMatch(of: #/[A-Za-z0-9_.\/+,:@%-]+/#) != nil
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''").withoutControls + "'"
  }
}
