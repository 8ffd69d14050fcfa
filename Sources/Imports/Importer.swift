package import Markup
package import SessionFiles
import Signal
package import Sounds

/// A kind of file from which a session can be made.
package enum ImportFormat: Sendable, Hashable, CaseIterable {
  /// A playlist, M3U: its sounds become the tracks of one stage.
  case playlist
  /// A cue sheet: each of its tracks becomes a stage.
  case cueSheet
  /// Labels of Audacity: each becomes a stage with its part of the sound. A text without labels is a guide, unless a
  /// sound is given for it.
  case labels
  /// A program of SBaGen: its tone-sets become stages of generated tones.
  case sbagen
  /// A guide, a text that is read to listeners: its parts become stages whose tracks speak it.
  case guide

  /// The endings of the names of such files.
  package var suffixes: [String] {
    switch self {
    case .playlist: ["m3u", "m3u8"]
    case .cueSheet: ["cue"]
    case .labels: ["txt"]
    case .sbagen: ["sbg"]
    case .guide: ["md", "markdown"]
    }
  }

  /// The format for the ending of a name; nil for another ending.
  package init?(path: String) {
    let name = path.lowercased()
    guard let format = Self.allCases.first(where: { $0.suffixes.contains { name.hasSuffix("." + $0) } }) else {
      return nil
    }
    self = format
  }
}

/// Makes sessions of files of other programs.
package struct Importer: Sendable {
  /// Where the sounds are looked up.
  package var library: any SoundLibrary
  /// The title of a session whose file states none.
  package var title: String
  /// The absolute path of the sound that labels belong to; nil for the one beside them that has the same name.
  package var sound: String?
  /// The name of the voice that speaks a guide; nil for that of its language.
  package var voice: String?

  package init(library: any SoundLibrary, title: String, sound: String? = nil, voice: String? = nil) {
    (self.library, self.title, self.sound, self.voice) = (library, title, sound, voice)
  }

  /// What became of a file.
  package struct Result: Sendable {
    /// The session; nil exactly if one of the problems is an error.
    package var session: Session?
    /// The problems in order of position: errors, and warnings about what can't be carried over.
    package var diagnostics: [Diagnostic]
    /// The comments that the new file gets.
    package var comments: [CommentPlace: [String]]
    /// The values of the session that become parameters in the new file.
    package var parameters: [DraftParameter] = []
    /// Whether the file is a guide.
    package var isGuide = false
  }

  /// Makes a session of the content of a file.
  ///
  /// - Parameters:
  ///   - bytes: the content.
  ///   - path: the path of the file as the user gave it.
  ///   - folder: the absolute folder at which its relative paths start.
  package func read(_ bytes: [UInt8], as format: ImportFormat, path: String, folder: String) -> Result {
    do throws(Diagnostic) {
      let isAlwaysUTF8 = path.lowercased().hasSuffix(".m3u8")
      let text = try ForeignText(bytes, isAlwaysUTF8: isAlwaysUTF8, file: path)
      let source = ImportSource(text: text, path: path, files: NamedFiles(folder: folder), importer: self)
      let isGuide = format == .labels && sound == nil && !LabelReader.hasLabels(text.lines)
      return try read(source, as: isGuide ? .guide : format)
    } catch {
      return Result(session: nil, diagnostics: [error], comments: [:])
    }
  }

  private func read(_ source: ImportSource, as format: ImportFormat) throws(Diagnostic) -> Result {
    let kind: any ListImport.Type =
      switch format {
      case .playlist: PlaylistImport.self
      case .cueSheet: CueSheetImport.self
      case .labels: LabelImport.self
      case .sbagen: SBaGenImport.self
      case .guide: GuideImport.self
      }
    var list = kind.init(source)
    let session = list.read()
    let notes = list.notes
    if let session, Session.Limit.stages < session.stages.count {
      throw Diagnostic(
        .tooLarge, SourceLocation(file: source.path),
        "it would become \(session.stages.count) stages, and a session has at most 1000",
        fix: "divide it")
    }
    return Result(
      session: notes.hasErrors ? nil : session, diagnostics: notes.diagnostics, comments: notes.comments,
      parameters: list.parameters, isGuide: format == .guide)
  }
}

/// Makes a session of a list of one format.
protocol ListImport {
  init(_ source: ImportSource)

  /// The mistakes that were found, and what could not be carried over.
  var notes: ImportNotes { get }

  /// The values of the session that become parameters.
  var parameters: [DraftParameter] { get }

  /// Reads the list, once; nil if it can't become a session, which has been reported.
  mutating func read() -> Session?
}

extension ListImport {
  var parameters: [DraftParameter] { [] }
}

/// What an import reads: a text with its place, and where its sounds are.
struct ImportSource {
  let text: ForeignText
  let path: String
  let files: NamedFiles
  let importer: Importer

  var lines: [ForeignText.Line] { text.lines }

  /// The length of a sound file in seconds, or why it can't be played.
  func length(of path: String) -> Result<Double, SourceError> {
    Result { () throws(SourceError) in
      let facts = try importer.library.probe(SoundSource(.file(path: path)), at: .studio)
      return facts.length == .endless ? .infinity : SampleRate.studio.seconds(facts.length)
    }
  }
}

extension SourceError {
  /// What is wrong, and what to do about it.
  var parts: (problem: String, fix: String) {
    let parts = description.split(separator: "; ", maxSplits: 1).map(String.init)
    return (parts[0], parts.count == 2 ? parts[1] : "replace the file")
  }
}
