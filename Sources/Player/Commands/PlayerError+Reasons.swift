package import Engine
package import Schedule
public import Sounds

/// The errors of the player, by their reasons.
extension PlayerError {
  /// The state `current` doesn't allow the command. `attempted` is its verb phrase, as in "can't pause".
  package static func invalidState(current: String, attempted: String) -> PlayerError {
    PlayerError(code: "invalidState", description: "can't \(attempted) while \(current)", isRecoverable: false)
  }

  /// The session is ending, so that nothing can be changed. `CommandOutcome.refusing` words it for its command.
  static func ending(in state: String) -> PlayerError {
    PlayerError(
      code: "invalidState", description: "can't continue while \(state)", isRecoverable: false,
      kind: .ending(state: state))
  }

  /// The command's edit can't be applied to the schedule.
  package static func edit(_ error: EditError) -> PlayerError {
    PlayerError(code: error.code, description: error.message, isRecoverable: false)
  }

  /// A skip has tried all tracks in its direction, and none can be played.
  package static let noValidTracksInPlaylist = PlayerError(
    code: "noValidTracksInPlaylist", description: "none of the stage's tracks can be played; repair or replace them",
    isRecoverable: false)

  /// A skip gave up after three tracks that can't be played, although there are more. Nothing has changed: the current
  /// track keeps playing, and the listener can choose another.
  package static func skipFailed(reason: String, underlying: SourceError) -> PlayerError {
    PlayerError(
      code: "skipFailed", description: "gave up skipping: \(reason): \(underlying)", isRecoverable: true)
  }

  package static func fileLoadFailed(_ error: SourceError) -> PlayerError {
    PlayerError(
      code: error.code, description: error.description, isRecoverable: error.isRecoverable, kind: .sound)
  }

  /// A sound was not open within `seconds`.
  package static func fileLoadTimeout(title: String, seconds: Double) -> PlayerError {
    PlayerError(
      code: "fileLoadTimeout",
      description: "\(title): did not open within \(JSONLine.seconds(seconds)) s; check the disk or network",
      isRecoverable: true, kind: .sound)
  }

  package static func invalidConfiguration(reason: String) -> PlayerError {
    PlayerError(code: "invalidConfiguration", description: reason, isRecoverable: false)
  }

  /// `limit` operations are waiting already.
  package static func queueFull(limit: Int) -> PlayerError {
    PlayerError(
      code: "queueFull", description: "\(limit) commands are already waiting; try again in a moment",
      isRecoverable: true)
  }

  /// The session has ended.
  package static let ended = PlayerError(
    code: "sessionEnded", description: "the session has ended; start it again",
    isRecoverable: false)

  package static func outputFailed(_ error: SinkError) -> PlayerError {
    PlayerError(code: error.code, description: error.description, isRecoverable: error.isRecoverable)
  }

  /// The members of each reply and event that reports it.
  package var members: JSONLine { ["code": code, "recoverable": isRecoverable] }
}

extension EditError {
  fileprivate var message: String {
    switch self {
    case .noActiveTrack: "no track is playing; 'next' goes to the next track or stage"
    case .emptyPlaylist: "a playlist can't be replaced by an empty one; give it at least one track"
    case .invalidPlaylistIndex(let index, 0): "there is no track \(index): the stage has none"
    case .invalidPlaylistIndex(let index, let count):
      "there is no track \(index): the stage's tracks are 0 to \(count - 1)"
    case .noNextTrack: "there is no next track or stage; 'finish' ends the session"
    case .endOfTrack(let seconds):
      "the track ends at \(JSONLine.seconds(seconds)) s, and no other track or stage follows; choose an earlier position"
    case .noPreviousTrack: "there is no previous track or stage"
    case .noSuchStage(let name, let known):
      "there is no stage '\(SoundSource.withoutCredentials(name))'; use one of: \(known.joined(separator: ", "))"
    case .noSuchPosition(let stage, let seconds):
      "stage '\(stage)' ends before \(JSONLine.seconds(seconds)) s; choose an earlier position"
    case .noStageEnd(let name, isMusicPaused: false):
      "stage '\(name)' is open, so it has no end that could move; 'nextStage' ends it"
    case .noStageEnd(let name, isMusicPaused: true):
      "stage '\(name)' ends with its music, which is paused; resume the music first"
    case .stageGone(let name):
      "the session file has no stage '\(name)' any more, in which the session plays; name it so, or go to another stage first"
    case .tooLong: "a session can't last longer than 168 h; extend the stage by less"
    case .noOverlay: "can't change the overlays while no overlay is playing"
    case .noEffect(let reason): reason
    }
  }
}

extension EditError {
  fileprivate var code: String {
    switch self {
    case .noActiveTrack: "noActiveTrack"
    case .emptyPlaylist: "emptyPlaylist"
    case .invalidPlaylistIndex: "invalidPlaylistIndex"
    case .noNextTrack, .endOfTrack: "noNextTrack"
    case .noPreviousTrack: "noPreviousTrack"
    case .noSuchStage, .stageGone: "noSuchStage"
    case .noSuchPosition, .tooLong: "invalidConfiguration"
    case .noOverlay, .noStageEnd: "invalidState"
    case .noEffect: "noEffect"
    }
  }
}

extension SourceError {
  /// The code of the `PlayerError`.
  public var code: String {
    switch self {
    case .missing: "fileNotFound"
    case .remote(_, _, _, isTimeout: true): "networkTimeout"
    case .unreadable, .unavailable, .shortage, .notARegularFile, .remote: "fileLoadFailed"
    case .empty, .unknownFormat, .unsupported, .emptyPart: "invalidFormat"
    case .damaged: "damaged"
    case .noSuchGenerator: "invalidConfiguration"
    case .tooManySounds: "bufferSchedulingFailed"
    case .speech(let failure): failure.isMistake ? "invalidConfiguration" : "fileLoadFailed"
    }
  }

  /// Whether another attempt may succeed. A missing file can come back, for example when its disk is mounted, and other
  /// sounds end. A broken file stays broken.
  public var isRecoverable: Bool {
    switch self {
    case .missing, .tooManySounds: true
    default: isTransient
    }
  }
}

extension LoadFailure {
  /// The code of the `PlayerError`, or `cancelled`.
  public var code: String { if case .failed(let error) = self { error.code } else { "cancelled" } }

  /// Whether another attempt may succeed.
  public var isRecoverable: Bool { if case .failed(let error) = self { error.isRecoverable } else { true } }

  /// The members of the event that reports it.
  var members: JSONLine { ["code": code, "recoverable": isRecoverable] }
}

extension SinkError {
  /// The code of an output that can't be opened or written.
  var code: String {
    switch self {
    case .noServer, .noSuchDevice, .unreachable, .refused: "engineStartFailed"
    case .lost: "sessionConfigurationFailed"
    case .deviceLost: "routeChangeFailed"
    case .cannotCreate, .cannotWrite, .closed, .noThread: "outputFailed"
    case .unsupported: "invalidConfiguration"
    }
  }

  /// A sound server can be restarted, and a device can be connected. A file that can't be written doesn't recover.
  var isRecoverable: Bool {
    switch self {
    case .noServer, .noSuchDevice, .unreachable, .lost, .deviceLost: true
    case .refused, .cannotCreate, .cannotWrite, .closed, .unsupported, .noThread: false
    }
  }
}
