public import Engine
public import Signal

/// Something that happened, where in the session and when in the run.
public struct StampedEvent: Sendable {
  /// Seconds since the player started, pauses included.
  public var run: Double
  /// Seconds of the session that have been heard.
  public var session: Double
  /// Name of the stage that it belongs to.
  public var stage: String?
  public var event: PlayerEvent
}

/// What the player reports. Frames are session frames.
public enum PlayerEvent: Sendable {
  case sessionStarted(title: String, rate: SampleRate, duration: Double?)
  case stageStarted(name: String, index: Int, duration: Double?)
  case state(PlaybackState, previous: String)
  case track(title: String, index: Int, pass: Int, duration: Double?)
  case position(track: String?, position: Double?, duration: Double?)
  case crossfadeStarted(from: String, to: String, duration: Double)
  case crossfadeProgress(Double)
  case crossfadeCompleted
  /// The next one began before it was complete.
  case crossfadeCancelled
  case loadStarted(title: String)
  case loadCompleted(title: String, milliseconds: Double)
  case loadFailed(title: String, SourceError)
  case trackSkipped(title: String, reason: SourceError)
  case overlayStarted(title: String)
  case overlayEnded(title: String)
  case gong(title: String)
  case underrun(title: String, milliseconds: Double)
  case warning(String)
  case error(PlayerProblem)
  case sessionFinished(reason: FinishReason, totals: Totals)
}

/// Why a session ended.
public enum FinishReason: String, Sendable, Hashable {
  case completed, interrupted, terminated, outputFailed
}

/// What a whole run amounted to.
public struct Totals: Sendable, Hashable {
  public var played: Double
  public var gongs = 0
  public var overlays = 0
  public var tracks = 0
  public var underruns = 0
  public var damaged = 0

  public init(played: Double) { self.played = played }
}

/// A failure that the listener is told of, with a code that scripts can match.
public struct PlayerProblem: Sendable, Hashable {
  public var code: String
  public var message: String
  public var recoverable: Bool

  public init(code: String, message: String, recoverable: Bool) {
    self.code = code
    self.message = message
    self.recoverable = recoverable
  }

  public init(_ error: SourceError) {
    let code =
      switch error {
      case .missing: "fileNotFound"
      case .unreadable, .notARegularFile, .remote: "fileLoadFailed"
      case .empty, .unknownFormat, .unsupported, .emptyPart: "invalidFormat"
      case .damaged: "damaged"
      case .noSuchGenerator: "invalidConfiguration"
      }
    self.init(code: code, message: error.description, recoverable: false)
  }

  public init(_ error: SinkError) {
    let code =
      switch error {
      case .noServer, .noSuchDevice: "engineStartFailed"
      case .lost: "sessionConfigurationFailed"
      case .cannotCreate, .cannotWrite, .closed: "outputFailed"
      case .unsupported: "invalidConfiguration"
      }
    self.init(code: code, message: error.description, recoverable: false)
  }
}

/// The state of the music, as the contract names it.
public enum PlaybackState: Sendable, Hashable {
  case idle
  case preparing(track: String?)
  /// Nil while a stage is silent.
  case playing(track: String?)
  case crossfading(from: String, to: String, progress: Double)
  case fadingOut(track: String?, duration: Double)
  case finished
  case failed

  public var name: String {
    switch self {
    case .idle: "idle"
    case .preparing: "preparing"
    case .playing: "playing"
    case .crossfading: "crossfading"
    case .fadingOut: "fadingOut"
    case .finished: "finished"
    case .failed: "failed"
    }
  }
}
