import AudioFiles
import Files
import GeneratedSounds
package import Markup
package import Schedule
package import Scripts
package import SessionFiles
import Player
import SavedState
import Signal
import Sounds
import Speech
package import Timelines

/// A session file that has been read, checked and laid out.
package struct SessionPlan: Sendable {
  /// Whether the session can be played, and if not, why.
  package enum Verdict: Sendable {
    case playable
    /// The file has errors, or one of its sounds is damaged.
    case invalid
    /// The file or one of its sounds is missing, or can't be played.
    case inputMissing
  }

  /// Nil if the session can't be played.
  package private(set) var layout: SessionLayout?
  /// The session with each of its cues, which are listed on each use; nil if it can't be played.
  package var timeline: Timelines.Timeline? { layout?.timeline }
  /// What commands may refer to; nil if the file has errors.
  package private(set) var scope: CommandScope?
  /// The description in the file; nil if there is none.
  private(set) var summary: String?
  package let path: String
  /// The values that were given for the session's parameters, and the seed that was given or chosen.
  package private(set) var settings: SessionSettings
  /// The seed that determines the random moments of gongs; nil if none depends on it.
  package var seed: UInt64? { layout?.seed }
  /// The session's parameters with their values, in the order of its files.
  package private(set) var parameters: [SessionParameter] = []
  /// The absolute paths of the files that the session includes.
  package private(set) var includedFiles: [String] = []
  /// The session as one file, with its parameters filled in and its includes replaced; nil if that is not possible.
  package private(set) var resolved: (root: Node, format: SessionWriter.Format)?
  /// Whether the session was read from the file at `path`, where a later run can read it again.
  let isFromFile: Bool
  /// The time in seconds that the session was fitted to; nil for its own length.
  package private(set) var fittedLength: Double?
  /// Every use of a sound, in the order of the file.
  private(set) var sounds: [Session.Sound] = []
  /// Every error and warning.
  var found: [Diagnostic] = []
  /// The errors and warnings in the order of the file; of a great number only the first ones.
  package var diagnostics: [Diagnostic] { found.inOrder.listed }
  /// Why the file can't be opened; nil if it can.
  package private(set) var failure: SessionFileError?
  package var verdict = Verdict.playable
  /// Sounds that exist but can't be played. They are left out, so that the rest of the session can be played.
  package private(set) var skipped: [Programme.Skipped] = []
  /// The sounds of the session.
  let library: Sounds
  /// Which sounds are measured, and what is told of it.
  private let extent: LoudnessSurvey.Extent
  private let measuring: @Sendable (Int, Int) -> Void
  /// The session of `layout`; nil if there is no layout.
  private(set) var session: Session?
  /// The warnings about `layout`, which are replaced when the session is fitted to another length.
  private var layoutWarnings: [Diagnostic] = []
  /// The loudness of the session's sounds, as far as it was measured.
  private(set) var loudness: [SoundSource: SoundLoudness] = [:]

  /// Reads a file. Blocks while it downloads and opens the sounds.
  ///
  /// - Parameters:
  ///   - settings: values for the session's parameters.
  ///   - library: opens the sounds. It also decides whether a sound may play while it downloads.
  ///   - extent: which sounds are measured.
  ///   - fetching: called with the address of each sound before its download begins.
  ///   - measuring: called with the number of measured sounds and of all, on any thread; it must not block.
  ///   - warning: called with each warning that should be read before a request is sent. It is also in `diagnostics`.
  package init(
    path: String, settings: SessionSettings = [:], library: Sounds = Sounds(),
    measures extent: LoudnessSurvey.Extent = .levelled,
    fetching: (String) -> Void = { _ in }, measuring: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
    warning: (Diagnostic) -> Void = { _ in }
  ) {
    (self.path, self.library, isFromFile, self.settings) = (path, library, true, settings)
    (self.extent, self.measuring) = (extent, measuring)
    do throws(SessionFileError) {
      let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
      layOut(try reader.read(path: path, settings: settings), fetching: fetching, warning: warning)
    } catch {
      failure = error
      verdict = .inputMissing
    }
  }

  /// Reads a text as if it were the file at `path`. Relative sound paths start at the absolute path `folder`. Blocks
  /// while it downloads and opens the sounds.
  package init(
    text: String, path: String, folder: String, settings: SessionSettings = [:], library: Sounds = Sounds()
  ) {
    (self.path, self.library, isFromFile, self.settings) = (path, library, false, settings)
    (extent, measuring) = (.levelled, { _, _ in })
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    layOut(reader.read(text: text, path: path, folder: folder, settings: settings)) { _ in }
  }

  /// Plans a session that was not read from a file. Blocks like the other initializers.
  package init(session: Session, library: Sounds = Sounds(), fetching: (String) -> Void = { _ in }) {
    (path, self.library, isFromFile, settings) = (session.path, library, false, [:])
    (extent, measuring) = (.levelled, { _, _ in })
    layOut(SessionFiles.SessionReader.Reading(session: session, diagnostics: []), fetching: fetching)
  }

  /// Stretches or shortens the session to a time in seconds, as `PlayableSession.fitted` describes it. Opens the sounds again,
  /// so it may block. Does nothing if there is nothing to play.
  package mutating func fit(to seconds: Double) throws(FitError) {
    guard let session, let timeline else { return }
    let fitted = try session.fitted(to: seconds, on: timeline)
    do throws(TimelineFailure) {
      let (layout, warnings) = try SessionLayout.compile(fitted.session, library: library)
      keep(fitted.session, as: layout, warnings: fitted.warnings + warnings)
      fittedLength = seconds
    } catch {
      throw .impossible(seconds, problem: error.problems.first?.diagnostic.problem ?? "it has no timeline")
    }
  }

  /// Lays out the session with the random moments of another seed. Opens the sounds again, so it may block. Does nothing
  /// if none depends on it.
  mutating func setSeed(_ seed: UInt64) {
    guard var session, self.seed != nil, self.seed != seed else { return }
    session.seed = seed
    settings.seed = seed
    guard let (layout, warnings) = try? SessionLayout.compile(session, library: library) else { return }
    keep(session, as: layout, warnings: warnings)
  }

  /// Lays out the session at another sample rate. Opens the sounds again, so it may block. Does nothing if there is
  /// nothing to play.
  mutating func setRate(_ rate: SampleRate) throws(TimelineFailure) {
    guard var session else { return }
    session.sampleRate = rate
    let (layout, warnings) = try SessionLayout.compile(session, library: library)
    keep(session, as: layout, warnings: warnings)
  }

  /// Replaces session, layout and the warnings about them.
  private mutating func keep(
    _ session: Session, as layout: SessionLayout, warnings: [Diagnostic]
  ) {
    (self.session, self.layout) = (session, layout.showing(session.levels(loudness), parameters))
    let old = Set(layoutWarnings)
    found.removeAll(where: old.contains)
    layoutWarnings = warnings
    found += warnings
  }

  /// Whether the session was read from a file that can be read again.
  package var canBeReadAgain: Bool { isFromFile && !SessionFile.isStream(path) }

  /// The session as one file, as text in the format of its file; nil if that is not possible.
  package var resolvedText: String? { resolved.map { SessionWriter.text(ofResolved: $0.root, $0.format) } }

  /// A checksum of the session's files and of the values given for its parameters; nil if the session was not read from a file that can be read again.
  var fingerprint: String? {
    guard canBeReadAgain else { return nil }
    return FilePath.exists(path) ? SessionIdentity(self, at: path).fingerprint.text : nil
  }

  /// The paths of the files that are read to play the session: itself, and its sounds.
  package var inputs: [String] {
    [path] + includedFiles + sounds.compactMap(\.source.origin.path) + (session?.files ?? [])
  }

  /// The programme to play; nil if there is nothing to play.
  package var programme: Programme? {
    guard var programme = layout?.programme else { return nil }
    programme.skipped = skipped
    return programme
  }

  private mutating func layOut(
    _ reading: SessionFiles.SessionReader.Reading, fetching: (String) -> Void,
    warning: (Diagnostic) -> Void = { _ in }
  ) {
    found = reading.diagnostics
    (parameters, includedFiles, resolved) = (reading.parameters, reading.includedFiles, reading.resolved)
    guard let session = reading.session else {
      found += missingFiles(among: reading.sounds)
      checkCover(of: reading)
      verdict = reading.isOnlyIncomplete ? .inputMissing : .invalid
      return
    }
    summary = session.description
    sounds = session.sounds.sorted { $0.location < $1.location }
    let local = localAddresses
    found += local
    local.listed.forEach(warning)
    fetch(announcing: fetching)
    speak()
    var levelled = levelled(session)
    if settings.seed == nil, levelled.needsSeed { settings.seed = .random(in: 0..<1_000_000) }
    levelled.seed = settings.seed ?? 0
    scope = CommandScope(of: levelled)
    layOut(levelled)
    noteCopies()
    checkCover(of: reading)
  }

  /// Reports a cover that can't be used, with which the session can't be played.
  private mutating func checkCover(of reading: SessionFiles.SessionReader.Reading) {
    guard let cover = reading.cover else { return }
    do throws(SourceError) { _ = try CoverPicture(ofFile: cover.path) } catch {
      found.append(Diagnostic(error, at: cover.location))
      if verdict != .invalid { verdict = error.isMissing ? .inputMissing : .invalid }
      layout = nil
    }
  }

  /// Measures the sounds, and returns the session with the gains that level them.
  private mutating func levelled(_ session: Session) -> Session {
    loudness = LoudnessSurvey(of: session, extent, in: library, progress: measuring).loudness
    let (levelled, warnings) = session.levelled(by: loudness)
    found += warnings
    return levelled
  }

  /// The uses of sound files that don't exist, in a session file with errors.
  private func missingFiles(among sounds: [Session.Sound]) -> [Diagnostic] {
    var errors: [SoundSource: SourceError?] = [:]
    return sounds.compactMap { sound in
      guard case .file = sound.source.origin else { return nil }
      if errors[sound.source] == nil { errors[sound.source] = .some(error(of: sound.source)) }
      guard case .missing(let file)?? = errors[sound.source] else { return nil }
      return Diagnostic(SourceError.missing(path: file), of: sound.source, at: sound.location)
    }
  }

  private func error(of source: SoundSource) -> SourceError? {
    do throws(SourceError) {
      _ = try library.probe(source, at: .studio)
      return nil
    } catch { return error }
  }

  /// Lays out the session. If some sounds exist but can't be played, lays it out without them. With a missing sound or
  /// another error there is no layout.
  private mutating func layOut(_ session: Session) {
    do throws(TimelineFailure) {
      let (layout, warnings) = try SessionLayout.compile(session, library: library)
      keep(session, as: layout, warnings: warnings)
    } catch {
      refuse(error)
      if error.problems.allSatisfy({ $0.cause.map { !$0.isMissing } ?? false }) {
        layOut(session, without: error.problems)
      }
    }
  }

  private mutating func refuse(_ failure: TimelineFailure) {
    found += failure.problems.map(\.diagnostic)
    verdict = failure.problems.contains { $0.cause?.isMistake ?? true } ? .invalid : .inputMissing
  }

  /// Lays out the session without the sounds that exist but can't be played.
  private mutating func layOut(_ session: Session, without problems: [TimelineFailure.Problem]) {
    let rest = PlayableRest(of: session, without: problems)
    guard !rest.session.stages.isEmpty, !rest.session.sounds.isEmpty,
      let layout = try? SessionLayout.compile(rest.session, library: library).layout
    else { return }
    keep(rest.session, as: layout, warnings: [])
    scope = CommandScope(of: rest.session)
    found += rest.warnings
    skipped = rest.skipped
  }
}

extension SessionPlan {
  /// Reads commands in the notation of scripts; nil if the file has errors.
  package var commandReader: CommandReader? {
    scope.map { CommandReader(scope: $0, catalogue: GeneratorDescription.builtIn) }
  }

  /// Reads a script for the session; nil if the session's file has errors. Blocks while it downloads sounds.
  ///
  /// - Parameter path: absolute, or relative to the current folder.
  package func script(at path: String) throws(SessionFileError) -> ScriptReader.Reading? {
    guard let scope else { return nil }
    var reader = ScriptReader(scope: scope, catalogue: GeneratorDescription.builtIn)
    reader.remoteProblem = { [library] address in
      RemoteSounds.shared.problem(of: address, playsWhileDownloading: library.playsWhileDownloading)
    }
    reader.speechProblem = { [library] in library.speech.problem(of: $0) }
    var reading = try reader.read(path: path)
    if let end = layout?.end, let rate = layout?.rate { reading.warnOfSpans(beyond: rate.seconds(end)) }
    return reading
  }
}
