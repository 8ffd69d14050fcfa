import Signal
import Synchronization

/// The threads that decode for all voices.
///
/// A thread that hangs in a read, for example of a file on a lost network drive, is replaced by a new one. It keeps the
/// lock of its voice; all other voices are still fed.
final class DecodingThreads: Sendable {
  /// A place for one decoding thread at a time.
  private final class Worker: Sendable {
    /// Wakes the thread.
    let work = WakeUp()
    /// The time in nanoseconds at which the current piece was begun; 0 while the thread waits for work.
    let busySince = Atomic<Int64>(0)
    /// The number of the thread that has the place now. Replaced threads end when their read returns.
    let thread = Atomic<Int>(0)
  }

  /// Nanoseconds that one piece may take before its thread is replaced.
  static let patience: Int64 = 500_000_000
  /// Seconds after which `wait` checks again for threads that hang.
  private static let glance = 0.25

  /// The feeds of all voices, by slot.
  let slots: [VoiceFeed]
  private let workers: [Worker]
  private let clock: @Sendable () -> Int64
  /// Somebody waits for the next piece.
  private let isWanted = Atomic<Bool>(false)
  private let isClosing = Atomic<Bool>(false)
  /// A piece was written while somebody waited for it.
  private let fed = WakeUp()
  /// A thread has finished a slot: its sound is over, or its voice was released.
  private let released = WakeUp()

  /// - Parameters:
  ///   - threads: how many decode at a time.
  ///   - clock: nanoseconds that never go back.
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

  /// Reports that some ring has room. Wakes the first thread, which wakes the others if several slots are active; never
  /// waits for a decoder. Called by the render loop and by control.
  func kick() {
    replaceStuck()
    if workers.first?.busySince.load(ordering: .acquiring) != 0, 1 < slots.count(where: \.isActive) {
      for worker in workers.dropFirst() { worker.work.call() }
    }
    workers.first?.work.call()
  }

  /// Ends the feed of a slot. Waits at most `seconds` for the piece that is being decoded; the time starts over when
  /// another slot is finished.
  func end(_ slot: Int, within seconds: Double) {
    while !slots[slot].endAtOnce(), released.wait(seconds: seconds) {}
  }

  /// Makes `wait` check its condition again. Called from any thread.
  func interrupt() { fed.call() }

  /// Wakes the threads and waits until `isFed` holds, or until no feed has made progress for `seconds` in total. Called
  /// by the render loop.
  func wait(seconds: Double, until isFed: () -> Bool) {
    var left = seconds
    while true {
      isWanted.store(true, ordering: .sequentiallyConsistent)
      if isFed() { break }
      kick()
      if fed.wait(seconds: min(left, Self.glance)) { continue }
      left -= Self.glance
      if left <= 0 { break }
    }
    isWanted.store(false, ordering: .sequentiallyConsistent)
  }

  /// Starts a new thread in each place whose thread has been decoding one piece for longer than `patience`.
  private func replaceStuck() {
    for worker in workers {
      let since = worker.busySince.load(ordering: .acquiring)
      guard since != 0, Self.patience < clock() - since,
        worker.busySince.compareExchange(expected: since, desired: 0, ordering: .acquiringAndReleasing).exchanged
      else { continue }
      start(worker, as: worker.thread.add(1, ordering: .acquiringAndReleasing).newValue)
      worker.work.call()
    }
  }

  @discardableResult private func start(_ worker: Worker, as number: Int) -> Bool {
    OSThread.start { [self] in run(worker, as: number) }
  }

  private func run(_ worker: Worker, as number: Int) {
    let isFirst = worker === workers.first
    while isCurrent(worker, number), !isClosing.load(ordering: .acquiring) {
      worker.work.wait()
      if isFirst, 1 < slots.count(where: \.isActive) { for other in workers.dropFirst() { other.work.call() } }
      while fillAll(worker, number) {}
      if isCurrent(worker, number) { worker.busySince.store(0, ordering: .releasing) }
    }
  }

  /// Whether a thread still has its place.
  private func isCurrent(_ worker: Worker, _ number: Int) -> Bool { worker.thread.load(ordering: .acquiring) == number }

  /// Fills all active feeds once.
  ///
  /// - Returns: whether anything was written; there may be more room by now.
  private func fillAll(_ worker: Worker, _ number: Int) -> Bool {
    var wrote = false
    for feed in slots where feed.isActive && isCurrent(worker, number) && !isClosing.load(ordering: .acquiring) {
      worker.busySince.store(clock(), ordering: .releasing)
      let done = feed.fill {
        if isCurrent(worker, number) { worker.busySince.store(clock(), ordering: .releasing) }
        tellIfWanted()
      }
      if done { wrote = true }
      if !feed.isActive { released.call() }
    }
    return wrote
  }

  /// Wakes the render loop if it waits for a piece.
  private func tellIfWanted() {
    if isWanted.exchange(false, ordering: .sequentiallyConsistent) { fed.call() }
  }
}
