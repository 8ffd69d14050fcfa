/// An event of a live output.
package enum OutputEvent: Hashable, Sendable {
  /// The output is open, for the first time or again.
  case connected(OutputGrant)
  /// Nothing is heard any more, and the position heard stops. The sink waits for the server, or, `ofDevice`, for the
  /// device of a server that runs.
  case lost(cause: String, ofDevice: Bool = false)
  /// The sound continues with the first frame that was not heard, after an outage of that many seconds.
  case restored(seconds: Double)
  /// The sound now plays on another device.
  case moved(to: String)
  /// The device or its active port was unplugged; the sound would now play on another one.
  case unplugged(to: String)
  /// An underrun: the output was silent for that long, because nothing was written in time. No sound is skipped.
  case starved(seconds: Double)
  /// Something with a higher priority, such as a call, requests silence (true), or no longer does (false).
  case corked(Bool)
  /// The computer is about to sleep (true), or has woken up (false).
  case asleep(Bool)
}
