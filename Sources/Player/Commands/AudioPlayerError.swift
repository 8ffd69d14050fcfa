package import Engine
import Schedule

/// Why the player rejects a command. The description is one sentence that says what is wrong and what to do instead.
package enum AudioPlayerError: Error, Sendable, Hashable {
  /// The state `current` doesn't allow the command. `attempted` is its verb phrase, as in "can't pause".
  case invalidState(current: String, attempted: String)
  /// A seek while no track is playing.
  case noActiveTrack
  case emptyPlaylist
  /// Indices count from 0.
  case invalidPlaylistIndex(index: Int, count: Int)
  /// There is neither a next track nor a next stage.
  case noNextTrack
  /// There is neither a previous track nor a previous stage.
  case noPreviousTrack
  case noSuchStage(name: String, known: [String])
  /// A skip has tried all tracks in its direction, and none can be played.
  case noValidTracksInPlaylist
  /// A skip gave up after three tracks that can't be played, although there are more.
  case skipFailed(reason: String, underlying: SourceError)
  case fileLoadFailed(SourceError)
  /// A sound was not open within `seconds`.
  case fileLoadTimeout(title: String, seconds: Double)
  case invalidConfiguration(reason: String)
  /// `limit` operations are waiting already.
  case queueFull(limit: Int)
  /// The session has ended.
  case ended
  case outputFailed(SinkError)
}

extension AudioPlayerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalidState(let current, let attempted): "can't \(attempted) while \(current)"
    case .noActiveTrack: "no track is playing; 'next' goes to the next track or stage"
    case .emptyPlaylist: "a playlist can't be replaced by an empty one; give it at least one track"
    case .invalidPlaylistIndex(let index, let count): Self.outside(index: index, count: count)
    case .noNextTrack: "there is no next track or stage; 'finish' ends the session"
    case .noPreviousTrack: "there is no previous track or stage"
    case .noSuchStage(let name, let known): "there is no stage '\(name)'; use one of: \(known.joined(separator: ", "))"
    case .noValidTracksInPlaylist: "none of the stage's tracks can be played; repair or replace them"
    case .skipFailed(let reason, let underlying): "gave up skipping: \(reason): \(underlying)"
    case .fileLoadFailed(let error): error.description
    case .fileLoadTimeout(let title, let seconds):
      "\(title): did not open within \(JSONLine.seconds(seconds)) s; check the disk or network"
    case .invalidConfiguration(let reason): reason
    case .queueFull(let limit): "\(limit) commands are already waiting; try again in a moment"
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
  /// Converts the reason why an edit was rejected.
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
        .invalidConfiguration(
          reason: "stage '\(stage)' ends before \(JSONLine.seconds(seconds)) s; choose an earlier position")
      case .noOverlay: .invalidState(current: "no overlay is playing", attempted: "change the overlays")
      }
  }
}
