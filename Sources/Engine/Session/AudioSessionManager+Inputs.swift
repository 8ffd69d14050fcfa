/// What the state machine receives and returns.
extension AudioSessionManager {
  /// What happens to an output.
  package enum Input: Hashable, Sendable {
    /// The stream is open: for the first time, or again after an outage. It plays unless its device is suspended.
    case opened(isSuspended: Bool = false)
    /// The server or the stream is gone, or could not be reached again.
    case failed(SinkError)
    /// The server has suspended the device, or has resumed it.
    case suspended(Bool)
    /// The server requests silence because something with a higher priority plays, or no longer requests it.
    case corkRequested(Bool)
    /// The server has sent the current state of the device that plays.
    case device(AudioDevice)
    /// The stream now plays on another device.
    case moved(AudioDevice)
    /// After a move: the current state of the device on which the stream played before, or nil if it is gone.
    case left(AudioDevice?)
    /// The player has received an event of the sink or of the power management. `canPause` is false if the session
    /// can't be paused now, for example during its last fade-out.
    case received(OutputEvent, canPause: Bool)
    /// The listener has paused or resumed the session.
    case listenerPaused
    case listenerResumed
    /// The time that `pendingFor` has returned is over.
    case timePassed
    /// The session has ended: pending moves are reported now.
    case ended
  }

  package enum Action: Hashable, Sendable {
    /// The sink disconnects from a server that does not respond properly.
    case disconnect
    /// The sink corks (true) or uncorks (false) its stream. A corked stream plays nothing.
    case cork(Bool)
    /// The sink passes an event to the player.
    case send(OutputEvent)
    /// The player pauses, on behalf of the output.
    case pause
    /// The player resumes what was paused on behalf of the output.
    case resume
    /// The player emits an event about the output.
    case report(OutputEvent)
    /// The player warns of something that a listener could notice.
    case warn(String)
  }

  package enum Recovery: Hashable, Sendable {
    case wait(seconds: Double)
    case retry
    case giveUp(SinkError)
  }
}
