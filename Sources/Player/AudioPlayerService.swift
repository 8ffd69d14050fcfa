public import Engine
public import Signal
import Synchronization

/// The embeddable player: plays a programme from a library of sounds into a sink, and tells what happens.
public final class AudioPlayerService: Sendable {
  private let conductor: Conductor

  /// - Parameters:
  ///   - start: the session frame at which to begin; what sounds there begins in its middle.
  ///   - blockLength: frames that the sink is handed at a time; no sample depends on it.
  ///   - tell: called on the player's own thread with one event after the other; it should not wait.
  public init(
    playing programme: Programme, from library: any SoundLibrary, into sink: any Sink, at start: FrameTime = 0,
    blockLength: Int = 4_096, tell: @escaping @Sendable (StampedEvent) -> Void
  ) {
    conductor = Conductor(
      programme: programme, library: library, sink: sink, from: start, blockLength: blockLength, tell: tell)
  }

  /// Plays to the end, or to what `finish` makes the end.
  public func play() async -> Performance {
    await withCheckedContinuation { continuation in
      OSThread.start { [conductor] in continuation.resume(returning: conductor.run()) }
    }
  }

  /// Ends the session early under a fade of that many seconds; a second call ends it at once. From any thread.
  public func finish(fade seconds: Double, reason: FinishReason) {
    conductor.interrupt(Conductor.Interruption(reason: reason, fade: seconds))
  }
}
