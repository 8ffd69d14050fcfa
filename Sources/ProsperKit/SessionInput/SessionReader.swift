public import AudioFiles
import Dispatch
public import Markup
public import SessionFiles

/// Reads session files: reports every problem of a file, and lays out the session.
///
/// The methods download and open the sounds of the session on other threads, and suspend the calling task meanwhile.
///
///     let reading = try await SessionReader().read(path: "sit.yaml")
///     for diagnostic in reading.diagnostics { print(diagnostic) }
///     if let session = reading.session { print(session.timeline.text()) }
public struct SessionReader: Sendable {
  /// Your own decoders. Each sound file is offered to them in this order, before the built-in decoders.
  public var decoders: [any AudioDecoder]
  /// Whether a session can be played as soon as the downloads of its network sounds have begun. A WAV, AIFF, CAF or
  /// FLAC file then starts playing while it downloads, if the download is fast enough. If false, all sounds are
  /// downloaded first.
  public var playsWhileDownloading: Bool
  /// The values of the session's parameters, by name, as text that is read like an unquoted word of YAML: `20m`, `3`,
  /// `true`. Parameters without one have their defaults.
  public var parameters: [String: String] = [:]
  /// The seed for the random moments of gongs; nil to choose one, which ``PlayableSession/seed`` then has.
  public var seed: UInt64?
  /// Called while network sounds are downloaded, at most ten times a second for each, on any thread. It must not block.
  public var progress: (@Sendable (DownloadProgress) -> Void)?

  /// Creates a reader.
  public init(decoders: [any AudioDecoder] = [], playsWhileDownloading: Bool = false) {
    self.decoders = decoders
    self.playsWhileDownloading = playsWhileDownloading
  }

  /// Reads a file in JSON or YAML.
  ///
  /// - Parameter path: absolute, or relative to the current folder.
  /// - Throws: ``SessionFileError`` if the file can't be opened. Mistakes in its content are diagnostics.
  public func read(path: String) async throws(SessionFileError) -> SessionReading {
    try SessionReading(of: await plan { SessionPlan(path: path, settings: settings, library: $0) })
  }

  /// Reads a text in JSON or YAML as if it were the content of a file.
  ///
  /// - Parameters:
  ///   - text: the content.
  ///   - name: the path of that file, with which diagnostics begin. A name that ends with `.json` or `.yaml` determines
  ///     the format; otherwise a text that begins with `{` is JSON.
  ///   - folder: the absolute folder at which relative sound paths start.
  public func read(text: String, name: String = "session", folder: String) async -> SessionReading {
    SessionReading(await plan { SessionPlan(text: text, path: name, folder: folder, settings: settings, library: $0) })
  }

  /// Checks a session that the program has built or changed, and lays it out. Diagnostics have the lines of the text that
  /// a ``SessionWriter`` writes for it.
  ///
  /// - Parameter session: with absolute paths of sounds.
  public func read(_ session: Session) async -> SessionReading {
    let writer = SessionWriter(SessionWriter.Format(path: session.path) ?? .yaml)
    let text = writer.text(of: session)
    // Values have no parameters, so there is nothing to give a value to.
    return SessionReading(await plan { SessionPlan(text: text, path: session.path, folder: "/", library: $0) })
  }

  /// Reads a file like ``read(path:)``, and also decodes each sound once to find damaged ones. It takes about a second
  /// for an hour of sound, and uses all processors.
  public func check(path: String) async throws(SessionFileError) -> SessionReading {
    let plan = await plan { library in
      var plan = SessionPlan(path: path, settings: settings, library: library)
      plan.examineSounds()
      return plan
    }
    return try SessionReading(of: plan)
  }

  private var settings: SessionSettings {
    var settings = SessionSettings(parameters)
    settings.seed = seed
    return settings
  }

  /// Runs `body` on a thread that may block.
  private func plan(_ body: @escaping @Sendable (Sounds) -> SessionPlan) async -> SessionPlan {
    var sounds = Sounds(decoders: decoders, playsWhileDownloading: playsWhileDownloading)
    sounds.progress = progress
    let library = sounds
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: body(library)) }
    }
  }
}

/// The result of reading a session file.
public struct SessionReading: Sendable {
  /// The session; nil if it can't be played. Sounds that exist but can't be decoded are left out. If a sound is
  /// missing, there is no session.
  public let session: PlayableSession?
  /// Every problem of the file and its sounds, in order of position.
  public let diagnostics: [Diagnostic]

  init(_ plan: SessionPlan) {
    session = PlayableSession(plan)
    diagnostics = plan.diagnostics
  }

  init(of plan: SessionPlan) throws(SessionFileError) {
    if let failure = plan.failure { throw failure }
    self.init(plan)
  }

  /// Whether no diagnostic is an error.
  public var isValid: Bool { !diagnostics.contains { $0.severity == .error } }
}
