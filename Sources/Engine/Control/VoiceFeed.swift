import Rings
import Signal
import Sounds
import Synchronization

/// The decoding side of one voice slot: fills the slot's ring from a decoder.
///
/// The control thread calls `begin` and `endAtOnce`, the threads of `DecodingThreads` call `fill`. A thread holds the
/// lock of `state` while it decodes.
final class VoiceFeed: Sendable {
  private struct State: ~Copyable {
    var writer: RingWriter<Frame>
    var decoder: (any Decoder)?
    /// The number of decoded frames that the voice does not play.
    var skipped: FrameCount = 0
  }

  /// The number of frames per read of a decoder.
  static let piece = 4_096

  private let state: Mutex<State>
  /// Whether there is a decoder. Outside `state`, so that idle slots are skipped without their locks.
  private let isBusy = Atomic<Bool>(false)
  /// Whether a thread wanted to fill the ring while another one was decoding.
  private let isWantedAgain = Atomic<Bool>(false)
  /// The first damage of the sound. Outside `state`, so that reading it never waits for the decoder.
  private let found = Mutex<SoundDamage?>(nil)

  /// Whether there may be something to decode.
  var isActive: Bool { isBusy.load(ordering: .relaxed) }

  init(writer: consuming sending RingWriter<Frame>) {
    writer.release()
    state = Mutex(State(writer: writer))
  }

  /// Starts to fill the ring with a sound.
  ///
  /// The whole sound is decoded, even if the voice is planned to end earlier, because an edit may make it play longer.
  ///
  /// - Precondition: the voice that used the slot before has ended.
  func begin(_ sound: PrimedSound) {
    state.withLock { state in
      sound.begin(in: &state.writer)
      (state.decoder, state.skipped) = (sound.decoder, sound.skipped)
    }
    found.withLock { $0 = sound.headDamage }
    if sound.decoder != nil { isBusy.store(true, ordering: .releasing) }
  }

  /// The first damage that the decoder has found.
  var damage: SoundDamage? { found.withLock(\.self) }

  /// Drops the decoder and frees the ring's memory. Never waits.
  ///
  /// - Returns: false while a piece is being decoded: the slot can't be used again yet.
  func endAtOnce() -> Bool {
    isBusy.store(false, ordering: .releasing)
    return state.withLockIfAvailable { state in
      state.decoder = nil
      state.writer.release()
      return true
    } ?? false
  }

  /// Decodes until the ring is full or the sound has ended. If another thread is already decoding, this function makes
  /// that thread check the ring again, and returns.
  ///
  /// - Parameter notify: called after each piece.
  /// - Returns: whether anything was written.
  func fill(afterEachPiece notify: () -> Void) -> Bool {
    var wrote = false
    while isBusy.load(ordering: .acquiring) {
      guard let more = state.withLockIfAvailable({ fill(&$0, notify) }) else {
        isWantedAgain.store(true, ordering: .sequentiallyConsistent)
        // The other thread may have checked the flag just before it was set.
        guard let more = state.withLockIfAvailable({ fill(&$0, notify) }) else { return wrote }
        wrote = wrote || more
        continue
      }
      wrote = wrote || more
      if !isWantedAgain.exchange(false, ordering: .sequentiallyConsistent) { break }
    }
    return wrote
  }

  private func fill(_ state: inout State, _ notify: () -> Void) -> Bool {
    var wrote = false
    while isBusy.load(ordering: .acquiring), let decoder = state.decoder, Self.piece <= state.writer.free {
      decode(decoder, into: &state)
      wrote = true
      notify()
    }
    if state.decoder == nil { isBusy.store(false, ordering: .releasing) }
    return wrote
  }

  /// Reads one piece directly into the ring's memory, and closes the ring at the sound's end.
  private func decode(_ decoder: any Decoder, into state: inout State) {
    let wanted = state.writer.room(limit: Self.piece)
    let count = decoder.read(into: wanted)
    if let damage = decoder.damage?.skipping(state.skipped) { found.withLock { $0 = $0 ?? damage } }
    state.writer.advance(count)
    if count < wanted.count {
      state.writer.close()
      state.decoder = nil
    }
  }
}
