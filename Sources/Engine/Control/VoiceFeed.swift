import Signal
import Rings
import Synchronization

/// The decoding side of one voice slot: fills the slot's ring from a decoder.
///
/// The control thread begins and ends it; the decoding threads of `DecodingThreads` fill it. The thread that decodes holds
/// `state`'s lock.
final class VoiceFeed: Sendable {
  private struct State: ~Copyable {
    var writer: RingWriter<Frame>
    var decoder: (any Decoder)?
  }

  /// Frames per read of a decoder.
  static let piece = 4_096

  private let state: Mutex<State>
  /// Whether there is a decoder: idle slots are skipped without taking their locks.
  private let isBusy = Atomic<Bool>(false)
  /// A thread wanted to fill the ring while another one was decoding.
  private let isWantedAgain = Atomic<Bool>(false)
  /// The first damage of the sound, outside `state` so that reading it never waits for the decoder.
  private let found = Mutex<SoundDamage?>(nil)

  /// Whether there may be something to decode.
  var isActive: Bool { isBusy.load(ordering: .relaxed) }

  init(writer: consuming sending RingWriter<Frame>) { state = Mutex(State(writer: writer)) }

  /// Starts to fill the ring with a sound. The voice that used the slot before has ended.
  ///
  /// The whole sound is decoded, even if the voice is to end earlier: an edit may let it play longer.
  func begin(_ sound: PrimedSound) {
    state.withLock { state in
      state.writer.rewind()
      sound.head.withUnsafeBufferPointer { head in
        if let base = head.baseAddress { _ = state.writer.write(base, count: head.count) }
      }
      state.decoder = sound.isWhole ? nil : sound.decoder
      if sound.isWhole { state.writer.close() }
    }
    found.withLock { $0 = sound.damage }
    if !sound.isWhole { isBusy.store(true, ordering: .releasing) }
  }

  /// The first damage that the decoder has found.
  var damage: SoundDamage? { found.withLock(\.self) }

  /// Drops the decoder. Never waits.
  ///
  /// - Returns: false while a piece is being decoded: the slot can't be used again yet.
  func endAtOnce() -> Bool {
    isBusy.store(false, ordering: .releasing)
    return state.withLockIfAvailable { $0.decoder = nil } != nil
  }

  /// Decodes until the ring is full or the sound is over. If another thread is decoding already, that one repeats
  /// instead.
  ///
  /// - Parameter notify: called after each piece.
  /// - Returns: whether anything was written.
  func fill(afterEachPiece notify: () -> Void) -> Bool {
    var wrote = false
    while isBusy.load(ordering: .acquiring) {
      guard let more = state.withLockIfAvailable({ fill(&$0, notify) }) else {
        isWantedAgain.store(true, ordering: .sequentiallyConsistent)
        // The other thread may have left just before the flag was set.
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
    if let damage = decoder.damage { found.withLock { $0 = $0 ?? damage } }
    state.writer.advance(count)
    if count < wanted.count {
      state.writer.close()
      state.decoder = nil
    }
  }
}
