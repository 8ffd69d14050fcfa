import Dispatch
import Engine
import Signal
import Synchronization

/// What takes a sound in batches. Used by one thread at a time.
protocol BatchTarget: AnyObject, SendableMetatype {
  func write(_ batch: EncoderBatch) throws(SinkError)

  /// Drops what is unfinished.
  func abandon()
}

/// Collects frames in batches, which a thread of its own writes to a target. After the first error, the target is
/// abandoned, and later work is skipped.
final class BatchThread<Target: BatchTarget>: Sendable {
  private let thread: WorkThreads
  /// One batch is written while the next one is filled.
  private let room = DispatchSemaphore(value: 1)
  /// Used on the thread, and by `start` before anything is queued, so the lock is never contended.
  private let target = Mutex<Target?>(nil)
  private let state = Mutex(State())
  private let received = Atomic<FrameCount>(0)

  private struct State {
    /// The batch that is being filled.
    var batch = EncoderBatch()
    /// Empty batches, whose memory is used again.
    var spare: [EncoderBatch] = []
    /// The first error of the thread; the next call throws it.
    var failure: SinkError?

    /// Removes and returns the batch, and starts an empty one.
    mutating func takeBatch() -> EncoderBatch {
      defer { batch = spare.popLast() ?? batch.another }
      return batch
    }
  }

  /// - Throws: `noThread` if the system can't create the thread.
  init() throws(SinkError) {
    guard let thread = WorkThreads() else { throw .noThread }
    self.thread = thread
  }

  /// The number of frames that `write` has received.
  var count: FrameCount { received.load(ordering: .relaxed) }

  /// - Parameter batch: an empty one; all others are of its kind.
  func start(_ batch: EncoderBatch, _ makeTarget: () throws(SinkError) -> sending Target) throws(SinkError) {
    try target.withLock { (target) throws(SinkError) in target = try makeTarget() }
    state.withLock { $0.batch = batch }
  }

  /// Writes a block. If that completes a batch, waits until the batch before it has been written.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    var rest = block
    while !rest.isEmpty {
      let (taken, batch, failure) = state.withLock { state in
        let taken = state.batch.take(rest)
        return (taken, state.batch.isFull ? state.takeBatch() : nil, state.failure)
      }
      if let failure { throw failure }
      if let batch { enqueue(batch) }
      rest = UnsafeBufferPointer(rebasing: rest[taken...])
    }
    received.add(FrameCount(block.count), ordering: .relaxed)
  }

  /// Executes `work` on the thread, after all frames have been written.
  func perform(_ work: @escaping @Sendable (Target) throws(SinkError) -> Void) throws(SinkError) {
    if let last = state.withLock({ $0.batch.isEmpty ? nil : $0.takeBatch() }) { enqueue(last) }
    thread.sync { [self] in execute(work) }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Executes `work` on the thread, and releases the target.
  func finish(_ work: @escaping @Sendable (Target) throws(SinkError) -> Void) throws(SinkError) {
    defer { target.withLock { $0 = nil } }
    try perform(work)
  }

  /// A fact of the target; nil while there is none.
  func read<Value: Sendable>(_ body: @Sendable (Target) -> Value) -> Value? {
    target.withLock { target in target.map { body($0) } }
  }

  func abandon() {
    thread.sync { [self] in
      target.withLock { target in
        target?.abandon()
        target = nil
      }
    }
  }

  /// Passes a batch to the thread. Waits until the previous one has been written.
  private func enqueue(_ batch: EncoderBatch) {
    room.wait()
    thread.async { [self] in
      execute { (target) throws(SinkError) in try target.write(batch) }
      state.withLock { $0.spare.append(batch.emptied) }
      room.signal()
    }
  }

  private func execute(_ work: @Sendable (Target) throws(SinkError) -> Void) {
    guard state.withLock({ $0.failure == nil }) else { return }
    target.withLock { target in
      guard let target else { return }
      do throws(SinkError) { try work(target) } catch {
        target.abandon()
        state.withLock { $0.failure = error }
      }
    }
  }
}
