import Signal
import Synchronization

/// The threads that decode for all voices.
///
/// If a read blocks, for example because a network drive is lost, its thread is replaced by a new one. The blocked
/// thread keeps the lock of its feed; the feeds of all other voices are still filled.
final class DecodingThreads: Sendable {
  /// A decoding thread, or the thread that has replaced it.
  private final class Worker: Sendable {
    /// Wakes the thread.
    let work = WakeUp()
    /// The time in nanoseconds at which decoding of the current piece began; 0 while the thread waits for work.
    let busySince = Atomic<Int64>(0)
    /// The number of the current thread. Replaced threads end when their read returns.
    let thread = Atomic<Int>(0)
  }

  /// Nanoseconds that decoding one piece may take before the thread is replaced.
  static let readTimeout: Int64 = 500_000_000
  /// Seconds after which `wait` checks again for blocked threads.
  private static let checkInterval = 0.25

  /// The feeds of all voices, by slot.
  let slots: [VoiceFeed]
  private let workers: [Worker]
  private let clock: @Sendable () -> Int64
  /// Whether the render loop waits for the next piece.
  private let isAwaited = Atomic<Bool>(false)
  private let isClosing = Atomic<Bool>(false)
  /// Wakes the render loop when a piece was written for which it waits.
  private let dataReady = WakeUp()
  /// Wakes control when a feed has become inactive: its sound has ended, or its voice was released.
  private let released = WakeUp()

  /// - Parameters:
  ///   - threads: how many threads decode.
  ///   - clock: nanoseconds of a monotonic clock.
  init(slots: [VoiceFeed], threads: Int, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
    self.slots = slots
    self.clock = clock
    workers = (0..<threads).map { _ in Worker() }
  }

  /// Starts the threads. Called once.
  ///
  /// - Returns: false if the system can't create any.
  func start() -> Bool { workers.count { start($0, as: 0) } > 0 }

  /// Ends the threads after the piece that each is decoding. Doesn't wait for them.
  func close() {
    isClosing.store(true, ordering: .releasing)
    for worker in workers { worker.work.call() }
  }

  /// Wakes the decoding threads, because a ring has room: the first one, and the others if several slots are active.
  /// Never waits for a decoder. Called by the render loop and by control.
  func kick() {
    replaceStuck()
    if workers.first?.busySince.load(ordering: .acquiring) != 0, 1 < slots.count(where: \.isActive) {
      for worker in workers.dropFirst() { worker.work.call() }
    }
    workers.first?.work.call()
  }

  /// Ends the feed of a slot. Waits for the piece that is being decoded, but gives up if no feed becomes inactive
  /// within `seconds`.
  func end(_ slot: Int, within seconds: Double) {
    while !slots[slot].endAtOnce(), released.wait(seconds: seconds) {}
  }

  /// Makes `wait` check its condition again. Called from any thread.
  func interrupt() { dataReady.call() }

  /// Wakes the threads, and waits until `hasData` is true, for at most `seconds`. Called by the render loop.
  func wait(seconds: Double, until hasData: () -> Bool) {
    let deadline = monotonicNanoseconds() + Int64(1e9 * seconds)
    while true {
      isAwaited.store(true, ordering: .sequentiallyConsistent)
      if hasData() { break }
      kick()
      let left = Double(deadline - monotonicNanoseconds()) / 1e9
      if left <= 0 { break }
      dataReady.wait(seconds: min(left, Self.checkInterval))
    }
    isAwaited.store(false, ordering: .sequentiallyConsistent)
  }

  /// Replaces the threads that have been decoding one piece for longer than `readTimeout`.
  private func replaceStuck() {
    for worker in workers {
      let since = worker.busySince.load(ordering: .acquiring)
      guard since != 0, Self.readTimeout < clock() - since,
        worker.busySince.compareExchange(expected: since, desired: 0, ordering: .acquiringAndReleasing).exchanged
      else { continue }
      if start(worker, as: worker.thread.load(ordering: .acquiring) + 1) {
        worker.work.call()
      } else {
        // The system can't create a thread: the blocked one continues when its read returns, unless there is one before.
        worker.busySince.store(since, ordering: .releasing)
      }
    }
  }

  private func start(_ worker: Worker, as number: Int) -> Bool {
    OSThread.start { [self] in run(worker, as: number) }
  }

  private func run(_ worker: Worker, as number: Int) {
    // This replaces the thread that was blocked.
    worker.thread.store(number, ordering: .releasing)
    let isFirst = worker === workers.first
    while isCurrent(worker, number), !isClosing.load(ordering: .acquiring) {
      worker.work.wait()
      if isFirst, 1 < slots.count(where: \.isActive) { for other in workers.dropFirst() { other.work.call() } }
      while fillAll(worker, number) {}
      if isCurrent(worker, number) { worker.busySince.store(0, ordering: .releasing) }
    }
  }

  /// Whether a thread has not been replaced.
  private func isCurrent(_ worker: Worker, _ number: Int) -> Bool { worker.thread.load(ordering: .acquiring) == number }

  /// Fills all active feeds once.
  ///
  /// - Returns: whether anything was written. If so, the rings may have room again.
  private func fillAll(_ worker: Worker, _ number: Int) -> Bool {
    var wrote = false
    for feed in slots where feed.isActive && isCurrent(worker, number) && !isClosing.load(ordering: .acquiring) {
      worker.busySince.store(clock(), ordering: .releasing)
      let done = feed.fill {
        if isCurrent(worker, number) { worker.busySince.store(clock(), ordering: .releasing) }
        wakeIfWaiting()
      }
      if done { wrote = true }
      if !feed.isActive { released.call() }
    }
    return wrote
  }

  /// Wakes the render loop if it waits for a piece.
  private func wakeIfWaiting() {
    if isAwaited.exchange(false, ordering: .sequentiallyConsistent) { dataReady.call() }
  }
}
