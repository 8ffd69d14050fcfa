package import Engine
package import Schedule
package import Sounds

/// Why the player rejects a command. The description is one sentence that says what is wrong and what to do instead.
package enum AudioPlayerError: Error, Sendable, Hashable {
  /// The state `current` doesn't allow the command. `attempted` is its verb phrase, as in "can't pause".
  case invalidState(current: String, attempted: String)
  /// The command's edit can't be applied to the schedule.
  case edit(EditError)
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
    case .edit(let error): error.message
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
    case .noOverlay: "can't change the overlays while no overlay is playing"
    case .noEffect(let reason): reason
    }
  }
}
