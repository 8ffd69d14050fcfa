import Signal
import Rings
import Synchronization

/// The decoding side of one voice slot: keeps the slot's ring full from a decoder.
final class Feed: Sendable {
  private struct State: ~Copyable {
    var writer: RingWriter<Frame>
    var decoder: (any Decoder)?
    var remaining: FrameCount = 0
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

  /// Begins to fill the ring with at most `length` frames. The slot is idle: its voice has ended.
  func begin(_ sound: PrimedSound, length: FrameCount) {
    let isWhole = state.withLock { state in
      state.writer.rewind()
      let head = sound.head.prefix(Int(min(length, FrameCount(sound.head.count))))
      let written = head.withUnsafeBufferPointer {
        $0.baseAddress.map { state.writer.write($0, count: head.count) } ?? 0
      }
      state.remaining = length - FrameCount(written)
      let isWhole = sound.isWhole || state.remaining == 0
      state.decoder = isWhole ? nil : sound.decoder
      if isWhole { state.writer.close() }
      return isWhole
    }
    found.withLock { $0 = sound.damage }
    if !isWhole { isBusy.store(true, ordering: .releasing) }
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
    let wanted = state.writer.room(limit: Int(min(state.remaining, FrameCount(Self.piece))))
    let count = decoder.read(into: wanted)
    if let damage = decoder.damage { found.withLock { $0 = $0 ?? damage } }
    state.writer.advance(count)
    state.remaining -= FrameCount(count)
    if count < wanted.count || state.remaining == 0 {
      state.writer.close()
      state.decoder = nil
    }
  }
}
