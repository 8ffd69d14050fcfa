import Files
import Glibc
package import Markup

/// The voices that the user has described in `$XDG_CONFIG_HOME/prosper/voices.yaml`, or `~/.config/prosper/voices.yaml`.
package struct VoiceFile: Sendable {
  /// The voices by name. One that is not described correctly has its first mistake.
  package private(set) var voices: [String: Result<Voice, Diagnostic>] = [:]
  /// Every mistake, with its place, in the order of the file.
  package private(set) var problems: [Diagnostic] = []
  /// A mistake because of which the file has no voices; nil if it could be read.
  package private(set) var failure: Diagnostic?

  /// The path that the environment states; nil if it has no home folder.
  package static func path(environment: [String: String] = ProcessInput.environment) -> String? {
    let file = "/prosper/voices.yaml"
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + file }
    return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" + file : nil }
  }

  /// The bytes of the largest file that is read.
  private static let largest = 1 << 20

  /// Reads the file at a path; without a file there are no voices.
  package init(path: String?) {
    guard let path else { return }
    if let bytes = FilePath.contents(of: path, upTo: Self.largest) {
      read(String(decoding: bytes, as: UTF8.self), path)
      return
    }
    let cause = ErrorNumber(code: errno)
    if [ENOENT, ENOTDIR].contains(cause.code) { return }
    fail(
      Diagnostic(
        .fileLoadFailed, SourceLocation(file: path), "the file can't be read: \(cause.message)",
        fix: "make it a file that you may read, or remove it"))
  }

  /// Reads a text as if it were the file at a path.
  package init(text: String, path: String) { read(text, path) }

  private mutating func read(_ text: String, _ path: String) {
    // A file of comments has no voices.
    if text.split(whereSeparator: \.isNewline).allSatisfy({ line in
      line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true
    }) {
      return
    }
    do throws(Diagnostic) { try read(try YAMLReader.read(text, file: path)) } catch { fail(error) }
  }

  private mutating func fail(_ error: Diagnostic) { (failure, problems) = (error, problems + [error]) }

  private mutating func read(_ root: Node) throws(Diagnostic) {
    guard case .map(let entries) = root.content else {
      throw Diagnostic(
        .invalidValue, root.location, "the file is \(root.kind), not a group of voices",
        fix: "write lines like 'anna: {engine: piper, model: anna.onnx}'")
    }
    for entry in entries {
      var reader = VoiceReader(entry)
      if voices[entry.key] != nil {
        reader.report(
          .duplicateKey, entry.location, "the voice '\(shown(entry.key))' appears twice", "keep one of them")
      }
      let voice = reader.voice()
      problems += reader.problems
      voices[entry.key] = reader.problems.first.map { .failure($0) } ?? .success(voice)
    }
  }
}
