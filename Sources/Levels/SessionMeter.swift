import Dispatch
package import Engine
import Rings
package import Signal
import Synchronization

/// Measures a session while it plays or is rendered, on a thread of its own.
///
/// The thread that renders copies each piece into a ring, without waiting, allocating or locking; only a render waits if
/// the ring is full. What a listener may not have heard yet is kept back, because a command can still replace it.
package final class SessionMeter: Sendable {
  /// A piece of sound, or what happened to it.
  struct Piece: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable { case output, music, overlays, effects, rewind }
    var kind: Kind
    var frame: FrameTime
    /// For the output, that many frames are in the other ring.
    var count: Int
    var peak: Float = 0
    var energy: Float = 0
  }

  private let taps: Mutex<MeterTap.Ends?>
  private let result = Mutex<SessionSound?>(nil)
  private let isClosed = Atomic<Bool>(false)
  private let wake = WakeUp()
  private let room = WakeUp()
  private let isDone = DispatchSemaphore(value: 0)
  private let waits: Bool
  private let rate: SampleRate
  private let start: FrameTime

  /// Seconds of sound that fit into the ring. Each command of a listener renders again what the output holds, up to five
  /// seconds at once.
  private static let ringSeconds = 20.0
  /// Seconds of a listener's sound that may still be replaced: more than an output holds.
  package static let replaceable = 6.0

  /// - Parameters:
  ///   - frame: the session frame at which it starts.
  ///   - waits: whether the thread that renders waits if the ring is full. For a listener it must not.
  ///   - held: seconds of sound that are kept back; 0 in a render, where all is final.
  /// - Throws: why libebur128 can't be used, or that no thread can be created.
  package init(at rate: SampleRate, from frame: FrameTime, waits: Bool, holding held: Double) throws(LibraryFailure) {
    (self.waits, self.rate, start) = (waits, rate, frame)
    let frames = Ring<Frame>(capacity: Int(rate.frames(Self.ringSeconds)))
    let pieces = Ring<Piece>(capacity: 16_384)
    taps = Mutex(MeterTap.Ends(frames: frames.writer, pieces: pieces.writer))
    var drain = MeterDrain(
      frames: frames.reader, pieces: pieces.reader, sound: try SessionSound.Builder(at: rate, from: frame),
      held: rate.frames(held))
    let isStarted = OSThread.start { [self] in
      repeat {
        wake.wait(seconds: 0.5)
        let isLast = isClosed.load(ordering: .acquiring)
        drain.read()
        room.call()
        if isLast { break }
      } while true
      let sound = drain.finish()
      result.withLock { $0 = sound }
      isDone.signal()
    }
    if !isStarted { throw LibraryFailure(shortageOf: "a thread") }
  }

  /// The observer of the render; nil from the second call on.
  package var observer: (any FrameObserver)? {
    guard let ends = taps.withLock({ $0.take() }) else { return nil }
    return MeterTap(ends, from: start, step: SessionSound.step(at: rate), wake: wake, room: waits ? room : nil)
  }

  /// Ends the thread of a session that is not played. Does nothing after `finish`.
  package func close() {
    if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { wake.call() }
  }

  /// What was measured. Called after the last frame; waits until everything is measured.
  package func finish() -> SessionSound? {
    if let sound = result.withLock({ $0 }) { return sound }
    if !isClosed.exchange(true, ordering: .acquiringAndReleasing) {
      wake.call()
      isDone.wait()
    }
    return result.withLock { $0 }
  }
}

/// Copies what is rendered into the rings. Used by the thread that renders alone.
final class MeterTap: FrameObserver {
  struct Ends: ~Copyable {
    var frames: RingWriter<Frame>
    var pieces: RingWriter<SessionMeter.Piece>
  }

  // Only one thread uses it, which therefore needs no checks of exclusive access.
  @exclusivity(unchecked) private var ends: Ends
  /// The frame of a rewind for which there was no room; nil for none.
  @exclusivity(unchecked) private var owed: FrameTime?
  private let wake: WakeUp
  /// Called when there is room in the rings; nil if the thread must not wait.
  private let room: WakeUp?

  /// The first frame of the session, and the frames of each step of the traces.
  private let (start, step): (FrameTime, FrameCount)

  init(_ ends: consuming Ends, from start: FrameTime, step: FrameCount, wake: WakeUp, room: WakeUp?) {
    self.ends = ends
    (self.start, self.step) = (start, step)
    (self.wake, self.room) = (wake, room)
  }

  var observesBuses: Bool { true }

  func heard(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime?) {
    guard let frame else { return }
    var done = 0
    while done < frames.count {
      // A block can be longer than the ring.
      let part = done..<min(frames.count, done + ends.frames.capacity / 4)
      add(UnsafeBufferPointer(rebasing: frames[part]), at: frame + FrameCount(done))
      done = part.upperBound
    }
  }

  private func add(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime) {
    guard let base = frames.baseAddress else { return }
    if let room {
      while ends.frames.free < frames.count || ends.pieces.free < 64 {
        wake.call()
        room.wait(seconds: 1)
      }
    }
    if ends.frames.free < ends.frames.capacity / 2 { wake.call() }
    // Without room for all of them, a listener's frames are not measured.
    guard frames.count <= ends.frames.free, 1 < ends.pieces.free else { return }
    // The frames first: the other thread may read the piece at once, and takes its frames then.
    _ = ends.frames.write(base, count: frames.count)
    _ = push(SessionMeter.Piece(kind: .output, frame: frame, count: frames.count))
  }

  /// Passes a piece, after a rewind for which there was no room.
  private func push(_ piece: SessionMeter.Piece) -> Bool {
    if let owed {
      guard ends.pieces.push(SessionMeter.Piece(kind: .rewind, frame: owed, count: 0)) else { return false }
      self.owed = nil
    }
    return ends.pieces.push(piece)
  }

  /// Passes a piece for each step of the traces, whose peaks therefore don't depend on how the render is divided.
  func mixed(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus, at frame: FrameTime) {
    let kind: SessionMeter.Piece.Kind =
      switch bus {
      case .music: .music
      case .overlays: .overlays
      case .effects: .effects
      }
    var begin = 0
    while begin < frames.count {
      let position = frame + FrameCount(begin)
      let end = min(frames.count, begin + Int(step - (position - start) % step))
      let level = BlockLevel(of: UnsafeBufferPointer(rebasing: frames[begin..<end]))
      _ = push(
        SessionMeter.Piece(kind: kind, frame: position, count: end - begin, peak: level.peak, energy: level.energy))
      begin = end
    }
  }

  func rewound(to frame: FrameTime) {
    if !push(SessionMeter.Piece(kind: .rewind, frame: frame, count: 0)) { owed = min(frame, owed ?? frame) }
  }
}

/// Reads the rings, keeps back what may be replaced, and measures the rest.
struct MeterDrain: ~Copyable {
  private var frames: RingReader<Frame>
  private var pieces: RingReader<SessionMeter.Piece>
  private var sound: SessionSound.Builder
  private let held: FrameCount
  /// Pieces that are kept back, in the order of their frames, with the frames of the output.
  private var waiting: [(piece: SessionMeter.Piece, frames: [Frame])] = []
  /// The frame after the last one of the output that was read; nil before the first one, as during a lead-in.
  private var newest: FrameTime?

  init(
    frames: consuming RingReader<Frame>, pieces: consuming RingReader<SessionMeter.Piece>,
    sound: SessionSound.Builder, held: FrameCount
  ) {
    self.frames = frames
    self.pieces = pieces
    (self.sound, self.held) = (sound, held)
  }

  /// Reads what has been rendered, and measures what is final.
  mutating func read() {
    while let piece = pieces.pop() {
      switch piece.kind {
      case .rewind:
        waiting = waiting.compactMap { Self.before(piece.frame, $0) }
        newest = piece.frame
      case .output:
        newest = piece.frame + FrameCount(piece.count)
        if held == 0 { measure(piece) } else { waiting.append((piece, take(piece.count))) }
      case .music, .overlays, .effects: add(piece, [])
      }
    }
    guard 0 < held, let newest else { return }
    let final = waiting.prefix { $0.piece.frame + FrameCount($0.piece.count) <= newest - held }
    for (piece, frames) in final { sound.add(piece, frames) }
    waiting.removeFirst(final.count)
  }

  /// Measures the rest.
  mutating func finish() -> SessionSound {
    for (piece, frames) in waiting { sound.add(piece, frames) }
    return sound.finish()
  }

  private mutating func add(_ piece: SessionMeter.Piece, _ frames: [Frame]) {
    if 0 < held { waiting.append((piece, frames)) } else { sound.add(piece, frames) }
  }

  /// Measures the frames of a piece where they are.
  private mutating func measure(_ piece: SessionMeter.Piece) {
    var done = 0
    while done < piece.count {
      let part = frames.readable(limit: piece.count - done)
      if part.isEmpty { return }
      sound.add(part, at: piece.frame + FrameCount(done))
      done += part.count
      frames.skip(part.count)
    }
  }

  private mutating func take(_ count: Int) -> [Frame] {
    var block: [Frame] = []
    block.reserveCapacity(count)
    while block.count < count {
      let part = frames.readable(limit: count - block.count)
      if part.isEmpty { break }
      block.append(contentsOf: part)
      frames.skip(part.count)
    }
    return block
  }

  /// What remains of a piece before a frame; nil if nothing does.
  private static func before(
    _ frame: FrameTime, _ entry: (piece: SessionMeter.Piece, frames: [Frame])
  ) -> (piece: SessionMeter.Piece, frames: [Frame])? {
    let left = Int(max(0, min(frame - entry.piece.frame, FrameCount(entry.piece.count))))
    if left == 0 { return nil }
    var piece = entry.piece
    // The energy is spread evenly.
    piece.energy *= Float(left) / Float(piece.count)
    piece.count = left
    return (piece, Array(entry.frames.prefix(left)))
  }
}
