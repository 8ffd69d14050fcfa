import Foundation
import Synchronization

/// The control measurement of tests that depend on real time: how late this machine runs threads that are ready.
///
/// One thread repeatedly sleeps for 5 ms; another one computes for 20 ms five times a second. They do nothing else, so
/// all their delays are due to the machine. With a sound server, `pacat` plays silence to a server of its own, and its
/// underruns are counted.
package final class MachineControl: Sendable {
  package struct Lateness: Sendable, Equatable, CustomStringConvertible {
    /// The longest delay with which the sleeping thread has run.
    package var waking: Duration
    /// The longest time for which the computing thread had no processor during one computation.
    package var computing: Duration
    /// The underruns of `pacat`.
    package var underruns: Int
    /// How many threads the measured code wakes, one after another.
    package var handovers: Int

    package init(waking: Duration = .zero, computing: Duration = .zero, underruns: Int = 0, handovers: Int = 1) {
      (self.waking, self.computing, self.underruns, self.handovers) = (waking, computing, underruns, handovers)
    }

    /// Whether a measurement at the same time may have failed because of the machine.
    package var isMachineLate: Bool {
      .milliseconds(5) <= waking * handovers || .milliseconds(5) <= computing || 0 < underruns
    }

    package var description: String {
      "a plain thread was woken \(waking.milliseconds) ms late and 20 ms of computing were held up for "
        + "\(computing.milliseconds) ms" + (underruns == 0 ? "" : ", and pacat ran dry \(underruns) times")
    }
  }

  private static let nap: Duration = .milliseconds(5)
  private static let work: Duration = .milliseconds(20)

  private let worst: Mutex<Lateness>
  private let isOver = Flag()
  private let threads = DispatchGroup()
  private let player: ControlPlayer?

  /// - Parameters:
  ///   - hasServer: Whether a sound server is part of the measurement.
  ///   - handovers: How many threads the measured code wakes, one after another.
  package init(hasServer: Bool = false, handovers: Int = 1) throws {
    worst = Mutex(Lateness(handovers: handovers))
    player = hasServer ? try ControlPlayer() : nil
    for look in [watchWaking, watchComputing] {
      threads.enter()
      Thread.detachNewThread { [self] in
        while !isOver.isRaised { look() }
        threads.leave()
      }
    }
  }

  /// Ends the measurement and waits for its threads. Call it on a thread that may block.
  package func end() -> Lateness {
    isOver.raise()
    threads.wait()
    var lateness = worst.withLock { $0 }
    lateness.underruns = player?.end() ?? 0
    return lateness
  }

  private func watchWaking() {
    let begin = SuspendingClock.now
    poll(nil, 0, Int32(Self.nap.milliseconds))
    let late = SuspendingClock.now - begin - Self.nap
    worst.withLock { $0.waking = max($0.waking, late) }
  }

  private func watchComputing() {
    let begin = SuspendingClock.now
    let used = processorTime()
    while processorTime() - used < Self.work {}
    let late = SuspendingClock.now - begin - (processorTime() - used)
    worst.withLock { $0.computing = max($0.computing, late) }
    // Between the computations, the processor is left to the measured code.
    for _ in 0..<18 where !isOver.isRaised { poll(nil, 0, 10) }
  }
}

/// The processor time that this thread has used. For the same work it is the same, whatever other programs run.
package func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// `pacat` playing silence on a private server, which counts underruns.
final class ControlPlayer: Sendable {
  let pacat: ChildProcess
  private let server: PulseServer
  private let printed: Printed
  private let reading: Background<Void>

  init() throws {
    server = try PulseServer()
    // pacat reports on stderr, and reports underruns only with `--verbose`.
    let command = "exec pacat --verbose --raw --latency-msec=100 /dev/zero 2>&1"
    let pacat = try ChildProcess("/bin/sh", ["-c", command], environment: server.environment, readsOutput: true)
    self.pacat = pacat
    let printed = Printed()
    self.printed = printed
    reading = Background { pacat.readOutput { piece in printed.text.withLock { $0 += piece } } }
  }

  private final class Printed: Sendable {
    let text = Mutex("")
  }

  var underruns: Int { printed.text.withLock { $0 }.components(separatedBy: "underrun").count - 1 }

  func waitUntilItPlays() {
    _ = eventually { printed.text.withLock { $0.contains("Stream started") } || !pacat.isAlive }
  }

  /// - Returns: The number of underruns.
  func end() -> Int {
    pacat.end()
    try? reading.value()
    return underruns
  }
}

extension Duration {
  /// Whole milliseconds.
  package var milliseconds: Int { Int(self / .milliseconds(1)) }
}
