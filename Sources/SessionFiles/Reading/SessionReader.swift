import Files
import Glibc
package import Markup
package import Sounds

/// Reads session files: reports every problem of a file, and returns a session if none of them is an error.
///
/// It is a value without state and may be used on any thread. `read(path:)` reads a file and may block.
package struct SessionReader: Sendable {
  /// The generators that `"generate:NAME"` may name.
  package var catalogue: [GeneratorDescription]
  /// The absolute path that replaces the `~` of `~/`; nil leaves such a path unexpanded.
  package var home: String?

  package init(catalogue: [GeneratorDescription], home: String? = ProcessInput.variable("HOME")) {
    (self.catalogue, self.home) = (catalogue, home)
  }

  /// The result of reading one file.
  package struct Reading: Sendable {
    /// Nil exactly when a diagnostic is an error.
    package var session: Session?
    /// Every problem that was found, in order of position.
    package var diagnostics: [Diagnostic]
    /// Every use of a sound, also in a file with errors, as far as they could be read.
    package var sounds: [Session.Sound]
    /// The path of the cover and its position, also in a file with errors; nil for none.
    package var cover: (path: String, location: SourceLocation)?

    /// - Parameter draft: what could be read of a file with errors.
    package init(session: Session?, diagnostics: [Diagnostic], draft: Session? = nil) {
      (self.session, self.diagnostics) = (session, diagnostics)
      let content = session ?? draft
      sounds = content?.sounds ?? []
      cover = content.flatMap { content in
        content.cover.map { ($0, content.coverLocation ?? SourceLocation(file: content.path)) }
      }
    }
  }

  /// Reads a file.
  ///
  /// - Throws: if the file can't be opened. Mistakes in its content are diagnostics.
  package func read(path: String) throws(SessionFileError) -> Reading {
    let bytes = try SessionFile.bytes(path)
    do throws(Diagnostic) {
      if let error = ForeignFile.refusal(bytes, path: path) { throw error }
      return read(text: try TextBytes.text(bytes, file: path), path: path, folder: SessionFile.folder(of: path))
    } catch {
      return Reading(session: nil, diagnostics: [error])
    }
  }

  /// Reads a text as if it were the content of the file at `path`.
  ///
  /// - Parameter folder: the absolute folder at which relative sound paths start.
  package func read(text: String, path: String, folder: String) -> Reading {
    do throws(Diagnostic) {
      let problems = Problems()
      let root = try Self.markup(text, path: path)
      let session = SessionParser(catalogue: catalogue, folder: folder, home: home, problems).session(root)
      return Reading(session: problems.hasErrors ? nil : session, diagnostics: problems.sorted, draft: session)
    } catch {
      return Reading(session: nil, diagnostics: [error])
    }
  }

  /// Reads JSON if the path ends with `.json`, or if it has no known extension and the text begins with `{`; otherwise
  /// YAML.
  package static func markup(_ text: String, path: String) throws(Diagnostic) -> Node {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw Diagnostic(
        .empty, SourceLocation(file: path), "the file is empty", fix: "start from an example")
    }
    let name = path.lowercased()
    let isYAML = name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    let isJSON = name.hasSuffix(".json") || !isYAML && text.first { !$0.isWhitespace } == "{"
    return isJSON ? try JSONReader.read(text, file: path) : try YAMLReader.read(text, file: path)
  }
}
