/// What becomes of a live output while it plays.
package enum OutputEvent: Hashable, Sendable {
  /// The output is open, for the first time or again.
  case connected(OutputGrant)
  /// Nothing is heard any more, and the heard position stands still; the sink waits for the server or for the device.
  case lost(cause: String)
  /// It is heard again, from where the listener lost it, so many seconds later.
  case restored(seconds: Double)
  /// It comes out elsewhere now.
  case moved(to: String)
  /// It would come out elsewhere now, for what it came out of is gone.
  case unplugged(to: String)
  /// It had nothing to play for so long, because nothing was written in time; nothing of the sound is lost.
  case starved(seconds: Double)
  /// Something that goes before asks for silence, such as a call; false when it is over.
  case corked(Bool)
  /// The computer is about to sleep; false when it is awake again.
  case asleep(Bool)
}
