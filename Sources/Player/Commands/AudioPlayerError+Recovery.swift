import Engine
import Schedule
import Sounds

extension AudioPlayerError {
  /// A stable word that scripts can match. It is part of the events and of the control socket's replies.
  package var code: String {
    switch self {
    case .invalidState: "invalidState"
    case .edit(let error): error.code
    case .noValidTracksInPlaylist: "noValidTracksInPlaylist"
    case .skipFailed: "skipFailed"
    case .fileLoadFailed(let error): error.code
    case .fileLoadTimeout: "fileLoadTimeout"
    case .invalidConfiguration: "invalidConfiguration"
    case .queueFull: "queueFull"
    case .ended: "sessionEnded"
    case .outputFailed(let error): error.code
    }
  }

  /// Whether a sound could not be opened.
  var isOfSound: Bool {
    switch self {
    case .fileLoadFailed, .fileLoadTimeout: true
    default: false
    }
  }

  /// The members of each reply and event that reports it.
  package var members: JSONLine { ["code": code, "recoverable": recoverable] }

  /// Whether the same command may succeed later.
  package var recoverable: Bool {
    switch self {
    // A skip fails before anything has changed: the current track keeps playing, and the listener can choose another.
    case .fileLoadTimeout, .queueFull, .skipFailed: true
    case .fileLoadFailed(let error): error.isRecoverable
    case .outputFailed(let error): error.isRecoverable
    case .invalidState, .edit, .noValidTracksInPlaylist, .invalidConfiguration, .ended: false
    }
  }
}

extension PlayerError {
  package init(_ error: AudioPlayerError) {
    self.init(code: error.code, description: error.description, isRecoverable: error.recoverable)
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
    case .noSuchStage: "noSuchStage"
    case .noSuchPosition: "invalidConfiguration"
    case .noOverlay: "invalidState"
    case .noEffect: "noEffect"
    }
  }
}

extension SourceError {
  /// The code of a source that can't be opened or decoded.
  var code: String {
    switch self {
    case .missing: "fileNotFound"
    case .unreadable, .unavailable, .shortage, .notARegularFile, .remote: "fileLoadFailed"
    case .empty, .unknownFormat, .unsupported, .emptyPart: "invalidFormat"
    case .damaged: "damaged"
    case .noSuchGenerator: "invalidConfiguration"
    }
  }

  /// A missing file can come back, for example when its disk is mounted. A broken file stays broken.
  var isRecoverable: Bool { if case .missing = self { true } else { isTransient } }
}

extension LoadFailure {
  /// The code of a load that ended without a sound.
  package var code: String { if case .failed(let error) = self { error.code } else { "cancelled" } }

  package var isRecoverable: Bool { if case .failed(let error) = self { error.isRecoverable } else { true } }

  /// The members of the event that reports it.
  var members: JSONLine { ["code": code, "recoverable": isRecoverable] }
}

extension SinkError {
  /// The code of an output that can't be opened or written.
  var code: String {
    switch self {
    case .noServer, .noSuchDevice: "engineStartFailed"
    case .lost: "sessionConfigurationFailed"
    case .cannotCreate, .cannotWrite, .closed, .noThread: "outputFailed"
    case .unsupported: "invalidConfiguration"
    }
  }

  /// A sound server can be restarted, and a device can be connected. A file that can't be written doesn't recover.
  var isRecoverable: Bool {
    switch self {
    case .noServer, .noSuchDevice, .lost: true
    case .cannotCreate, .cannotWrite, .closed, .unsupported, .noThread: false
    }
  }
}
