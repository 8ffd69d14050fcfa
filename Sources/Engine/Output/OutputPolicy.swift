/// Decides what a live output does about changes of its stream: of the connection to a sound server, and of the device.
///
/// The output passes each change, and executes the returned actions in order. All times are seconds of the monotonic
/// clock. Any thread may call it; no call waits.
package protocol OutputPolicy: Sendable {
  /// Whether the output may change settings of the server and the device. If not, another program is responsible.
  var isManaged: Bool { get }
  /// Whether the output may start without its server or its device. It then waits like after a loss.
  var waitsForServer: Bool { get }

  /// Takes a change and returns the actions that follow from it.
  func handle(_ change: StreamChange, at now: Double) -> [StreamAction]

  /// What to do about a lost stream; nil while it is not lost.
  func recovery(at now: Double) -> StreamRecovery?
}

/// What happens to the stream of a live output.
package enum StreamChange: Hashable, Sendable {
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
}

/// What an output does after a change of its stream.
package enum StreamAction: Hashable, Sendable {
  /// It disconnects from a server that does not respond properly.
  case disconnect
  /// It corks (true) or uncorks (false) its stream. A corked stream plays nothing.
  case cork(Bool)
  /// It passes an event to the player.
  case send(OutputEvent)
}

/// What an output does while its stream is lost.
package enum StreamRecovery: Hashable, Sendable {
  case wait(seconds: Double)
  case retry
  case giveUp(SinkError)
}

/// What a sound server states about a device.
package struct AudioDevice: Hashable, Sendable {
  package struct Port: Hashable, Sendable {
    package var name: String
    /// Whether nothing is plugged in; false if the device can't detect that.
    package var isUnplugged: Bool

    package init(name: String, isUnplugged: Bool) {
      self.name = name
      self.isUnplugged = isUnplugged
    }
  }

  /// The server's number of the device; numbers are never reused.
  package var index: UInt32
  package var name: String
  package var ports: [Port]
  package var activePort: String?

  package init(index: UInt32, name: String, ports: [Port] = [], activePort: String? = nil) {
    self.index = index
    self.name = name
    self.ports = ports
    self.activePort = activePort
  }
}
