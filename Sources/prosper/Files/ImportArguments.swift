import ArgumentParser
import ProsperKit

/// The list that is given to `prosper new` in place of sound files: a playlist, a cue sheet, labels, a program of
/// SBaGen, or a guide.
struct ImportArguments {
  private let list: String
  private let format: ImportFormat
  /// The sound that labels belong to.
  private let sound: String?
  /// The voice that speaks a guide.
  private let voice: String?

  /// Nil if no argument is such a list.
  ///
  /// - Throws: a `ValidationError` if the arguments don't belong together.
  init?(_ arguments: [String], voices: [String]) throws {
    let lists = arguments.filter { ImportFormat(path: $0) != nil && !SoundArgument.isAddress($0) }
    guard let list = lists.first, let format = ImportFormat(path: list) else { return nil }
    let others = arguments.filter { $0 != list }
    if 1 < lists.count { throw ValidationError("'\(lists[1])' is a second list; make a session of each") }
    if let other = others.first, format != .labels || 1 < others.count {
      throw ValidationError(
        "'\(format == .labels ? others[1] : other)' can't be added to '\(list)'; give the list alone")
    }
    if !voices.isEmpty, ![.labels, .guide].contains(format) {
      throw ValidationError("--voice needs sound files or a guide; '\(list)' is no guide")
    }
    if let second = voices.dropFirst().first {
      throw ValidationError("a guide has one voice; remove --voice \(second)")
    }
    (self.list, self.format, sound, voice) = (list, format, others.first, voices.first)
  }

  /// Reads the list, which blocks, and prints what can't be carried over.
  ///
  /// - Throws: the exit code, after the errors have been printed.
  func session(title: String) throws -> Importer.Result {
    let bytes: [UInt8]
    do throws(SessionFileError) { bytes = try SessionFile.bytes(list) } catch {
      StandardError.say(error.description)
      throw ExitStatus.missingInput.code
    }
    let path = absolutePath(of: list)
    let importer = Importer(library: Sounds(), title: title, sound: sound.map(absolutePath), voice: voice)
    let result = importer.read(bytes, as: format, path: list, folder: SessionFile.folder(of: path))
    for diagnostic in result.diagnostics { StandardError.printPlain(diagnostic.description) }
    guard result.session != nil else {
      let isMissing = result.diagnostics.contains { $0.severity == .error && $0.code == .fileNotFound }
      throw (isMissing ? ExitStatus.missingInput : .invalidData).code
    }
    if voice != nil, !result.isGuide { throw Refusal("--voice needs a guide or sound files; '\(list)' is no guide") }
    return result
  }
}
