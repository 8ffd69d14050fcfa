import Dispatch
import Engine
import Synchronization

/// Opens sounds, each on a thread of its own, and waits for none of them longer than its timeout: a read that hangs
/// holds nobody.
final class Loader: Sendable {
  /// Calls something once after so many seconds, on any thread.
  typealias Alarm = @Sendable (_ seconds: Double, _ ring: @escaping @Sendable () -> Void) -> Void

  /// By the computer's clock.
  static let computerAlarm: Alarm = { seconds, ring in
    alarmQueue.asyncAfter(deadline: .now() + seconds, execute: ring)
  }

  /// Seconds that a load is expected to take on a machine of which nothing is known. Its timeout is a multiple of this: 5 s
  /// at first, 4 s on a quick disk, and up to 10 s on a slow one.
  static let expectation = 2.0
  /// Loads that hang at once, at most.
  static let limit = 8
  /// The share of its timeout beyond which a load that succeeds was slow.
  static let slowShare = 0.8
  private static let alarmQueue = DispatchQueue(label: "prosper.loads")

  private struct State {
    var timeouts = AdaptiveTimeoutManager()
    /// Loads that were given up and whose threads still run.
    var hung = 0
  }

  private let state = Mutex(State())
  private let expectation: Double
  private let clock: @Sendable () -> Int64
  private let alarm: Alarm?

  /// - Parameters:
  ///   - expectation: seconds that a load is expected to take.
  ///   - clock: nanoseconds, by which loads are measured.
  ///   - alarm: nil where a load takes no time, as on the virtual clock of a render: then none is given up.
  init(
    expectation: Double = Loader.expectation,
    clock: @escaping @Sendable () -> Int64 = AsyncOperationQueue.monotonicClock,
    alarm: Alarm? = Loader.computerAlarm
  ) {
    self.expectation = expectation
    self.clock = clock
    self.alarm = alarm
  }

  /// How many loads were given up and hang still.
  var hung: Int { state.withLock(\.hung) }

  /// Seconds that a load which begins now may take; nil where none is given up.
  var timeout: Double? { alarm == nil ? nil : state.withLock { allowance($0) } }

  private func allowance(_ state: State) -> Double { state.timeouts.timeout(expecting: expectation) }

  /// Begins a load.
  ///
  /// - Parameters:
  ///   - body: may wait as long as it likes; runs on a thread of its own.
  ///   - deliver: called once, on any thread.
  @discardableResult func start<Value: Sendable>(
    _ body: @escaping @Sendable () throws(SourceError) -> Value,
    deliver: @escaping @Sendable (LoadTicket<Value>.Result) -> Void
  ) -> LoadTicket<Value> {
    let ticket = LoadTicket(deliver: deliver, lost: { [self] in state.withLock { $0.hung += 1 } })
    let (hung, timeout) = state.withLock { ($0.hung, allowance($0)) }
    guard hung < Self.limit, run(body, for: ticket, within: timeout) else {
      ticket.settle(.failure(.exhausted(hung: hung)))
      return ticket
    }
    alarm?(timeout) { ticket.giveUp(.timedOut(seconds: timeout)) }
    return ticket
  }

  /// - Returns: false when there is no thread.
  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(SourceError) -> Value, for ticket: LoadTicket<Value>,
    within timeout: Double
  ) -> Bool {
    let began = clock()
    return OSThread.start { [self] in
      let result = Result { () throws(SourceError) in try body() }
      let seconds = Double(clock() - began) / 1e9
      if case .success = result { learn(seconds) }
      let loaded = result.map { Loaded(value: $0, seconds: seconds) }
      let isInTime = ticket.settle(loaded.mapError { .failed($0) })
      if !isInTime { state.withLock { $0.hung -= 1 } }
    }
  }

  private func learn(_ seconds: Double) {
    state.withLock { $0.timeouts.record(expected: expectation, actual: seconds) }
  }
}

extension Loader {
  /// Loads, and waits for it without holding a thread.
  ///
  /// - Parameter context: of the operation that loads; when that is asked to stop, the load is given up.
  func load<Value: Sendable>(
    for context: OperationContext? = nil, _ body: @escaping @Sendable () throws(SourceError) -> Value
  ) async throws(LoadError) -> Loaded<Value> {
    let result = await withCheckedContinuation { continuation in
      let ticket = start(body) { continuation.resume(returning: $0) }
      context?.whenAskedToStop { ticket.abandon(for: $0) }
    }
    return try result.get()
  }
}
