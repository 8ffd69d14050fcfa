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

    /// The title, also of a file with errors; nil if it could not be read.
    package var title: String?
    /// Whether the file is no session by itself: it has no title or stages, or a parameter without a value.
    package var isPart = false
    /// The absolute paths of the included files, also of those that could not be read.
    package var includedFiles: [String] = []
    /// The parameters with their values, in the order of the files.
    package var parameters: [SessionParameter] = []
    /// The session as one file, with its parameters filled in and its includes replaced; nil if that is not possible.
    package var resolved: (root: Node, format: SessionWriter.Format)?

    /// Whether the only errors are included files that can't be read.
    package var isOnlyIncomplete: Bool {
      let errors = diagnostics.filter { $0.severity == .error }
      return !errors.isEmpty && errors.allSatisfy { [.fileNotFound, .fileLoadFailed].contains($0.code) }
    }

    /// - Parameter draft: what could be read of a file with errors.
    package init(session: Session?, diagnostics: [Diagnostic], draft: Session? = nil) {
      (self.session, self.diagnostics) = (session, diagnostics)
      let content = session ?? draft
      sounds = content?.sounds ?? []
      title = content.flatMap { $0.title.isEmpty ? nil : $0.title }
      cover = content.flatMap { content in
        content.cover.map { ($0, content.coverLocation ?? SourceLocation(file: content.path)) }
      }
    }
  }

  /// Reads a file.
  ///
  /// - Throws: if the file can't be opened. Mistakes in its content are diagnostics.
  package func read(path: String, settings: SessionSettings = [:]) throws(SessionFileError) -> Reading {
    let bytes = try SessionFile.bytes(path)
    do throws(Diagnostic) {
      if let error = ForeignFile.refusal(bytes, path: path) { throw error }
      return read(
        text: try TextBytes.text(bytes, file: path), path: path, folder: SessionFile.folder(of: path),
        settings: settings)
    } catch {
      return Reading(session: nil, diagnostics: [error])
    }
  }

  /// Reads a text as if it were the content of the file at `path`.
  ///
  /// - Parameters:
  ///   - folder: the absolute folder at which relative paths start.
  ///   - settings: the values that are given for parameters.
  package func read(text: String, path: String, folder: String, settings: SessionSettings = [:]) -> Reading {
    let problems = Problems()
    var resolver = SessionResolver(file: path, folder: folder, home: home, settings: settings, problems)
    var reading: Reading
    do throws(Diagnostic) {
      let file = try Self.markup(text, path: path)
      if let error = SessionPart.refusal(file) { throw error }
      let root = try resolver.resolved(file)
      reading = read(root, folder: folder, of: resolver, problems)
      reading.isPart = !file.has(["title", "stages"]) || !resolver.isGiven
      if !resolver.isIncomplete, resolver.isFilled { reading.resolved = (root, Self.format(of: text, path: path)) }
    } catch {
      reading = Reading(session: nil, diagnostics: (problems.sorted + [error]).inOrder.listed)
      reading.isPart = error.code == .notASession
    }
    (reading.includedFiles, reading.parameters) = (resolver.files, resolver.parameters)
    return reading
  }

  /// Reads a session whose files have been put together. If a part of it is missing, only that is reported.
  private func read(_ root: Node, folder: String, of resolver: SessionResolver, _ problems: Problems) -> Reading {
    if resolver.isIncomplete { return Reading(session: nil, diagnostics: problems.sorted) }
    problems.silence(resolver.unfilled)
    let session = SessionParser(catalogue: catalogue, folder: folder, home: home, problems).session(root)
    var reading = Reading(
      session: problems.hasErrors ? nil : session, diagnostics: problems.sorted, draft: session)
    if resolver.unfilled.isEmpty { return reading }
    // A path with a parameter that has no value is no path.
    reading.sounds.removeAll { $0.source.origin.path?.contains("${") ?? false }
    if reading.cover?.path.contains("${") ?? false { reading.cover = nil }
    if reading.title?.contains("${") ?? false { reading.title = nil }
    return reading
  }

  /// Reads JSON if the path ends with `.json`, or if it has no known extension and the text begins with `{`; otherwise
  /// YAML.
  package static func markup(_ text: String, path: String) throws(Diagnostic) -> Node {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw Diagnostic(
        .empty, SourceLocation(file: path), "the file is empty", fix: "start from an example")
    }
    switch format(of: text, path: path) {
    case .json: return try JSONReader.read(text, file: path)
    case .yaml: return try YAMLReader.read(text, file: path)
    }
  }

  /// The format of a file, by its path or its first character.
  private static func format(of text: String, path: String) -> SessionWriter.Format {
    SessionWriter.Format(path: path) ?? (text.first { !$0.isWhitespace } == "{" ? .json : .yaml)
  }
}
