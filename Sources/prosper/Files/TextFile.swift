import ArgumentParser
import Glibc
import ProsperKit

/// Writes files that have their name only when they are complete.
enum TextFile {
  /// What happens to a file that exists: it is kept, with a refusal that may mention `--force`, or it is replaced.
  enum Existing {
    case keep
    case keepUnlessForced
    case replace
  }

  /// Refuses files that can't be written, before a long work whose results they are to receive.
  ///
  /// - Parameters:
  ///   - output: a sound file that the command writes, and which may replace an older one; nil for none.
  ///   - inputs: the files that it reads.
  ///   - use: what the inputs are.
  /// - Throws: the exit code, after an error has been printed.
  static func check(
    _ paths: [String], beside output: String? = nil, sparing inputs: [String],
    _ use: String = "a file that the session uses"
  ) throws {
    let written = [output].compactMap(\.self)
    for path in written where FileIdentity.isOne(path, of: inputs) {
      throw refusal("\(path.withoutControls): is \(use); choose another name")
    }
    try check(paths, apartFrom: written, sparing: inputs, use)
  }

  private static func check(
    _ paths: [String], apartFrom others: [String], sparing inputs: [String], _ use: String
  ) throws {
    var written = others
    for path in paths {
      if path == "-" { throw refusal("-: this can't be written to stdout; give the name of a file") }
      let fix = "choose another name"
      if FileIdentity.isOne(path, of: inputs) { throw refusal("\(path.withoutControls): is \(use); \(fix)") }
      if FileIdentity.isOne(path, of: written) {
        throw refusal("\(path.withoutControls): is also written by this command; \(fix)")
      }
      if let kind = contentToKeep(path) {
        throw refusal("\(path.withoutControls): is \(kind), which would be lost; \(fix)")
      }
      try checkAccess(path)
      written.append(path)
    }
  }

  /// What a file is that a wrong name would destroy; nil for other files, such as an older report.
  private static func contentToKeep(_ path: String) -> String? {
    var facts = stat()
    guard stat(path.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, 0 < facts.st_size else { return nil }
    if SessionLibrary.isSession(path), SessionFile.isSession(path, countsParts: true) { return "a session" }
    let source = SoundSource(.file(path: absolutePath(of: path)))
    return (try? Sounds().probe(source, at: .studio)) == nil ? nil : "a sound"
  }

  private static func refusal(_ text: String) -> ExitCode {
    StandardError.say(text)
    return ExitStatus.usage.code
  }

  /// Refuses a folder, and a place where no file can be created.
  private static func checkAccess(_ path: String) throws {
    var facts = stat()
    let exists = stat(path.forSystem, &facts) == 0
    if exists, facts.st_mode & S_IFMT == S_IFDIR { throw failure(path, EISDIR, .cannotCreate) }
    let needed = exists && facts.st_mode & S_IFMT != S_IFREG ? path : FilePath.folder(of: path)
    if access(needed.forSystem, W_OK) != 0 { throw failure(path, errno, .cannotCreate) }
  }

  /// Writes a file that has its name only when it is complete. A device or pipe is not replaced, but written to.
  ///
  /// - Parameter inputs: the files from which the text was made. None of them is replaced, whatever name it is given.
  /// - Throws: the exit code, after an error has been printed.
  static func write(
    to path: String, _ existing: Existing, sparing inputs: [String], _ body: (LineWriter) -> Void
  ) throws {
    if FileIdentity.isOne(path, of: inputs) {
      StandardError.say("\(path): is a file that the session uses; choose another name")
      throw ExitStatus.usage.code
    }
    var facts = stat()
    let exists = stat(path.forSystem, &facts) == 0
    if exists, existing != .replace { throw refusal(of: path, existing) }
    if exists, ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) {
      let device = open(path.forSystem, O_WRONLY | O_CLOEXEC)
      guard 0 <= device else { throw failure(path, errno, .cannotCreate) }
      defer { close(device) }
      return try write(into: device, for: path, body)
    }
    let file: UnfinishedFile
    do throws(ErrorNumber) { file = try UnfinishedFile(for: path) } catch {
      throw failure(path, error.code, .cannotCreate)
    }
    try write(into: file.descriptor, for: path, body)
    do throws(ErrorNumber) { try file.publish(replaces: existing == .replace) } catch {
      if error.code == EEXIST { throw refusal(of: path, existing) }
      throw failure(path, error.code, .cannotCreate)
    }
  }

  private static func write(into file: Int32, for path: String, _ body: (LineWriter) -> Void) throws {
    let out = LineWriter(descriptor: file)
    body(out)
    // A device or pipe can't be synchronised.
    if out.flush(), fsync(file) == 0 || errno == EINVAL || errno == EROFS { return }
    throw failure(path, errno, .cannotWrite)
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
    StandardError.say("\(path): can't be \(what): \(ErrorNumber(code: code).message); \(fix)")
    return status.code
  }
}
