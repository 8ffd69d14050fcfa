public import Engine
import Schedule

/// Why the player can't do what it was asked for; each case is one sentence with the place and the mend.
public enum AudioPlayerError: Error, Sendable, Hashable {
  case invalidState(current: String, attempted: String)
  case noActiveTrack
  case emptyPlaylist
  case invalidPlaylistIndex(index: Int, count: Int)
  /// Nor a stage behind this one.
  case noNextTrack
  /// Nor a stage before this one.
  case noPreviousTrack
  case noSuchStage(name: String, known: [String])
  /// Every candidate was tried and none can be played.
  case noValidTracksInPlaylist
  /// Three candidates were tried; more are left.
  case skipFailed(reason: String, underlying: SourceError)
  case fileLoadFailed(SourceError)
  case fileLoadTimeout(title: String, seconds: Double)
  case invalidConfiguration(reason: String)
  /// Too many operations wait.
  case queueFull(limit: Int)
  /// The session has ended.
  case ended
  case outputFailed(SinkError)
}

extension AudioPlayerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidState(let current, let attempted): "can't \(attempted) while \(current)"
    case .noActiveTrack: "no track sounds; start one with 'play'"
    case .emptyPlaylist: "a playlist can't be replaced by an empty one"
    case .invalidPlaylistIndex(let index, let count): Self.outside(index: index, count: count)
    case .noNextTrack: "there is no stage behind this one; 'finish' ends the session"
    case .noPreviousTrack: "there is no stage before this one"
    case .noSuchStage(let name, let known): "there is no stage '\(name)'; known are: \(known.joined(separator: ", "))"
    case .noValidTracksInPlaylist: "none of the stage's tracks can be played; mend or replace them"
    case .skipFailed(let reason, let underlying): "gave up skipping: \(reason): \(underlying)"
    case .fileLoadFailed(let error): error.description
    case .fileLoadTimeout(let title, let seconds):
      "\(title): was not open after \(seconds) s; check the disk or network"
    case .invalidConfiguration(let reason): reason
    case .queueFull(let limit): "\(limit) commands wait already; try again in a moment"
    case .ended: "the session has ended; start it again with 'prosper play'"
    case .outputFailed(let error): error.description
    }
  }

  private static func outside(index: Int, count: Int) -> String {
    guard 0 < count else { return "there is no track \(index): the stage has none" }
    return "there is no track \(index): the stage's tracks are 0 to \(count - 1)"
  }
}

extension AudioPlayerError {
  /// Why a schedule can't be edited.
  init(_ error: EditError) {
    self =
      switch error {
      case .noActiveTrack: .noActiveTrack
      case .emptyPlaylist: .emptyPlaylist
      case .invalidPlaylistIndex(let index, let count): .invalidPlaylistIndex(index: index, count: count)
      case .noNextTrack: .noNextTrack
      case .noPreviousTrack: .noPreviousTrack
      case .noSuchStage(let name, let known): .noSuchStage(name: name, known: known)
      case .noSuchPosition(let stage, let seconds):
        .invalidConfiguration(reason: "stage '\(stage)' has no position \(seconds) s")
      case .noOverlay: .invalidState(current: "idle", attempted: "change an overlay's repeats")
      }
  }
}
