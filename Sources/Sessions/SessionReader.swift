package import Engine
import Glibc

/// Reads session files: every problem of a file at once, and a session when none is an error.
package struct SessionReader: Sendable {
  /// The built-in sounds that a file may name.
  package var catalogue: [GeneratorDescription]
  /// What `~/` stands for.
  package var home: String?

  package init(catalogue: [GeneratorDescription], home: String? = getenv("HOME").map { String(cString: $0) }) {
    self.catalogue = catalogue
    self.home = home
  }

  package struct Reading: Sendable {
    /// Nil exactly when a diagnostic is an error.
    package var session: Session?
    /// In order of place.
    package var diagnostics: [Diagnostic]
  }

  /// Reads a file; throws when it can't be read at all, as opposed to read and be wrong.
  package func read(path: String) throws(SessionFileError) -> Reading {
    let bytes = try SessionFile.bytes(path)
    if SoundMarks.begin(bytes) { return refusal(Self.sound, path: path) }
    do throws(TextError) {
      return read(text: try TextBytes.text(bytes), path: path, folder: SessionFile.folder(of: path))
    } catch {
      return refusal(error, path: path)
    }
  }

  /// Reads a text as if it were the file at `path`; relative sound paths begin at `folder`, an absolute path.
  package func read(text: String, path: String, folder: String) -> Reading {
    do throws(TextError) {
      let root = try Self.markup(text, path: path)
      var parser = SessionParser(catalogue: catalogue, folder: folder, home: home, problems: Problems(path: path))
      let session = parser.session(root)
      return Reading(session: parser.problems.hasErrors ? nil : session, diagnostics: parser.problems.sorted)
    } catch {
      return refusal(error, path: path)
    }
  }

  /// JSON by the extension `json`, or where a text without a known extension begins with a brace; YAML otherwise.
  package static func markup(_ text: String, path: String) throws(TextError) -> Markup {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw TextError(
        Place(line: 1, column: 1), "the file is empty", mend: "start from the example sessions/first-sit.yaml")
    }
    let name = path.lowercased()
    let isYAML = name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    let isJSON = name.hasSuffix(".json") || !isYAML && text.first { !$0.isWhitespace } == "{"
    return isJSON ? try JSONReader.read(text) : try YAMLReader.read(text)
  }

  private static let sound = TextError(
    Place(line: 1, column: 1), "this is a sound file, not a session",
    mend: "name it in a session, as in \"tracks\": [\"bell.flac\"]; start from the example sessions/first-sit.yaml")

  private func refusal(_ error: TextError, path: String) -> Reading {
    Reading(
      session: nil, diagnostics: [Diagnostic(.error, path, error.place, error.problem, mend: error.mend)])
  }
}
