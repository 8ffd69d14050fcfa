import ArgumentParser
import Glibc
import ProsperKit

/// Writes a session file, for `new` and `sit --save`.
enum SessionFileWriter {
  /// Writes the session, and prints what was written and how to play it.
  ///
  /// - Parameters:
  ///   - path: ends with `.yaml`, `.yml` or `.json`; `-` writes YAML to stdout.
  ///   - existing: what happens to a file of that name.
  ///   - notes: comments at places in the session.
  ///   - parameters: values of the session that become parameters.
  /// - Throws: a `Refusal` for another suffix; otherwise the exit code, after an error has been printed.
  static func write(
    _ session: Session, to path: String, _ existing: TextFile.Existing, notes: [CommentPlace: [String]] = [:],
    parameters: [DraftParameter] = []
  ) throws {
    var writer = SessionWriter(try format(of: path), in: folder(of: path))
    writer.header = ["Check it with 'prosper check', see its times with 'prosper show'."]
    (writer.notes, writer.parameters) = (notes, parameters)
    let text = writer.text(of: session)
    try check(text, at: path)
    if path == "-" { return try print(text) }
    try TextFile.write(to: path, existing, sparing: session.files) { $0.writeExactly(text) }
    let file = shellWord(ofPath: path)
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

  /// Checks that the text can be read as a session. If not, prosper has a defect.
  private static func check(_ text: String, at path: String) throws {
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    let reading = reader.read(text: text, path: path == "-" ? "session.yaml" : path, folder: folder(of: path))
    if reading.session != nil { return }
    for diagnostic in reading.diagnostics { StandardError.printPlain(diagnostic.description) }
    throw ExitStatus.defect.code
  }

  /// The absolute folder of the file, without `..`: sounds in it get relative paths.
  private static func folder(of path: String) -> String { SessionFile.folder(of: absolutePath(of: path)) }

  private static func print(_ text: String) throws {
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    out.writeExactly(text)
    try out.finish()
  }
}
