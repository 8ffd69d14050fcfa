import Signal
import Synchronization

/// The threads that decode for all voices.
final class Feeds: Sendable {
  let slots: [Feed]
  private let work: [WakeUp]
  private let isWanted = Atomic<Bool>(false)
  private let isClosing = Atomic<Bool>(false)
  private let fed = WakeUp()
  /// The first thread is decoding: what becomes hungry meanwhile is another's.
  private let isFirstBusy = Atomic<Bool>(false)

  init(slots: [Feed], threads: Int) {
    self.slots = slots
    work = (0..<threads).map { _ in WakeUp() }
  }

  func start() {
    for index in work.indices {
      OSThread.start { [self] in run(asThread: index) }
    }
  }

  /// Ends the threads; each finishes the piece that it decodes.
  func close() {
    isClosing.store(true, ordering: .releasing)
    for wake in work { wake.call() }
  }

  /// Some ring has room. Never waits. Wakes one thread, which wakes the others when there is work for more.
  func kick() {
    if isFirstBusy.load(ordering: .acquiring) { for wake in work.dropFirst() { wake.call() } }
    work.first?.call()
  }

  /// Has a `wait` look again at what it waits for. From any thread.
  func interrupt() { fed.call() }

  /// Wakes the threads and waits until `isFed` holds, or the seconds have passed.
  func wait(seconds: Double, until isFed: () -> Bool) {
    while true {
      isWanted.store(true, ordering: .sequentiallyConsistent)
      if isFed() { break }
      kick()
      if !fed.wait(seconds: seconds) { break }
    }
    isWanted.store(false, ordering: .sequentiallyConsistent)
  }

  private func run(asThread index: Int) {
    while !isClosing.load(ordering: .acquiring) {
      work[index].wait()
      if index == 0, 1 < slots.count(where: \.isActive) { for wake in work.dropFirst() { wake.call() } }
      if index == 0 { isFirstBusy.store(true, ordering: .releasing) }
      while fillAll() {}
      if index == 0 { isFirstBusy.store(false, ordering: .releasing) }
    }
  }

  private func fillAll() -> Bool {
    var wrote = false
    for feed in slots where !isClosing.load(ordering: .acquiring) {
      if feed.fill(afterEachPiece: tellIfWanted) { wrote = true }
    }
    return wrote
  }

  private func tellIfWanted() {
    if isWanted.exchange(false, ordering: .sequentiallyConsistent) { fed.call() }
  }
}
