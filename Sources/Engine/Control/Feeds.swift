import Signal
import Synchronization

/// The threads that decode for all voices.
///
/// A thread that does not come back from a read, of a file on a network that is gone, is replaced by another one: it has
/// one voice's lock, and the others go on.
final class Feeds: Sendable {
  /// One of the threads at a time.
  private final class Worker: Sendable {
    let work = WakeUp()
    /// Nanoseconds at which it began the piece that it decodes; 0 while it waits for work.
    let busySince = Atomic<Int64>(0)
    /// The thread that has the place now; those before it end when they come back.
    let thread = Atomic<Int>(0)
  }

  /// Nanoseconds that a piece may take.
  static let patience: Int64 = 500_000_000
  /// Seconds after which one who waits looks for threads that are stuck.
  private static let glance = 0.25

  let slots: [Feed]
  private let workers: [Worker]
  private let clock: @Sendable () -> Int64
  private let isWanted = Atomic<Bool>(false)
  private let isClosing = Atomic<Bool>(false)
  private let fed = WakeUp()
  /// A thread has let go of a slot that is not wanted any more.
  private let released = WakeUp()

  /// - Parameter clock: nanoseconds that never go back.
  init(slots: [Feed], threads: Int, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
    self.slots = slots
    self.clock = clock
    workers = (0..<threads).map { _ in Worker() }
  }

  func start() {
    for worker in workers { start(worker, as: 0) }
  }

  /// Ends the threads; each finishes the piece that it decodes.
  func close() {
    isClosing.store(true, ordering: .releasing)
    for worker in workers { worker.work.call() }
  }

  /// Some ring has room. Never waits. Wakes one thread, which wakes the others when there is work for more.
  func kick() {
    replaceStuck()
    if workers.first?.busySince.load(ordering: .acquiring) != 0, 1 < slots.count(where: \.isActive) {
      for worker in workers.dropFirst() { worker.work.call() }
    }
    workers.first?.work.call()
  }

  /// Ends what feeds a slot, and waits at most as long for the piece that is being decoded.
  func end(_ slot: Int, within seconds: Double) {
    while !slots[slot].endAtOnce(), released.wait(seconds: seconds) {}
  }

  /// Has a `wait` look again at what it waits for. From any thread.
  func interrupt() { fed.call() }

  /// Wakes the threads and waits until `isFed` holds, or the seconds have passed.
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

  private func start(_ worker: Worker, as number: Int) {
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

  private func isCurrent(_ worker: Worker, _ number: Int) -> Bool { worker.thread.load(ordering: .acquiring) == number }

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

  private func tellIfWanted() {
    if isWanted.exchange(false, ordering: .sequentiallyConsistent) { fed.call() }
  }
}
