/// An event of a live output while it plays.
package enum OutputEvent: Hashable, Sendable {
  /// The output is open, for the first time or again.
  case connected(OutputGrant)
  /// Nothing is heard, and the heard position does not change; the sink waits for the server or the device.
  case lost(cause: String)
  /// The sound continues from where the listener lost it, after that many seconds.
  case restored(seconds: Double)
  /// The sound now plays on another device.
  case moved(to: String)
  /// The device was removed; the sound would now play on another one.
  case unplugged(to: String)
  /// The output was silent for that long, because nothing was written in time. No sound is skipped.
  case starved(seconds: Double)
  /// Something with a higher priority requests silence, such as a call; false when it is over.
  case corked(Bool)
  /// The computer is about to sleep; false after it has woken up.
  case asleep(Bool)
}
