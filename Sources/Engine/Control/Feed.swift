import Signal
import Rings
import Synchronization

/// The decoding side of one voice slot: keeps the slot's ring full from a decoder.
final class Feed: Sendable {
  private struct State: ~Copyable {
    var writer: RingWriter<Frame>
    var decoder: (any Decoder)?
  }

  /// Frames that are decoded at a time.
  static let piece = 4_096

  private let state: Mutex<State>
  /// So that idle slots are passed over without taking their locks.
  private let isBusy = Atomic<Bool>(false)
  /// A thread has found another one at it.
  private let isWantedAgain = Atomic<Bool>(false)
  /// The first damage of the sound; for who must not wait for the decoder.
  private let found = Mutex<SoundDamage?>(nil)

  var isActive: Bool { isBusy.load(ordering: .relaxed) }

  init(writer: consuming sending RingWriter<Frame>) { state = Mutex(State(writer: writer)) }

  /// Begins to fill the ring. The slot is idle: its voice has ended.
  ///
  /// The whole sound is decoded, also where its voice is to end before: an edit may let it sound longer.
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

  /// The first damage that the decoder has come upon: how many of its frames come before it, and what it is.
  var damage: SoundDamage? { found.withLock(\.self) }

  /// Lets the decoder go, without waiting.
  ///
  /// - Returns: false while a piece is being decoded: the slot can't be begun anew yet.
  func endAtOnce() -> Bool {
    isBusy.store(false, ordering: .releasing)
    return state.withLockIfAvailable { $0.decoder = nil } != nil
  }

  /// Decodes until the ring is full or the sound has ended, unless another thread is at it: that one then looks again.
  ///
  /// - Returns: whether anything was written.
  func fill(afterEachPiece told: () -> Void) -> Bool {
    var wrote = false
    while isBusy.load(ordering: .acquiring) {
      guard let more = state.withLockIfAvailable({ fill(&$0, told) }) else {
        isWantedAgain.store(true, ordering: .sequentiallyConsistent)
        // The other thread may just have left without seeing that.
        guard let more = state.withLockIfAvailable({ fill(&$0, told) }) else { return wrote }
        wrote = wrote || more
        continue
      }
      wrote = wrote || more
      if !isWantedAgain.exchange(false, ordering: .sequentiallyConsistent) { break }
    }
    return wrote
  }

  private func fill(_ state: inout State, _ told: () -> Void) -> Bool {
    var wrote = false
    while isBusy.load(ordering: .acquiring), let decoder = state.decoder, Self.piece <= state.writer.free {
      decode(decoder, into: &state)
      wrote = true
      told()
    }
    if state.decoder == nil { isBusy.store(false, ordering: .releasing) }
    return wrote
  }

  /// Decodes straight into the ring.
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
