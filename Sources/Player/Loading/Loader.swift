import Engine
import Sounds
import Synchronization

/// Runs loads, each on its own thread and with a timeout, so that a read that never returns blocks no other thread. All
/// methods may be called from any thread.
final class Loader: Sendable {
  /// Calls `fire` once after that many seconds, on any thread.
  typealias Alarm = @Sendable (_ seconds: Double, _ fire: @escaping @Sendable () -> Void) -> Void

  /// Seconds that a load is expected to take on an unknown machine. The timeout is a multiple of this: 5 s at first,
  /// 4 s with a fast disk, and up to 10 s with a slow one.
  static let expectation = 2.0
  /// The maximum number of abandoned loads whose threads still run.
  static let limit = 8
  /// The share of its timeout beyond which a successful load is logged as slow.
  static let slowShare = 0.8

  private struct State {
    var timeouts = AdaptiveTimeoutManager()
    /// Abandoned loads whose threads still run.
    var hung = 0
  }

  private let state = Mutex(State())
  private let expectation: Double
  private let timeLimit: Double?
  private let clock: @Sendable () -> Int64
  private let alarm: Alarm?
  private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool

  /// - Parameters:
  ///   - expectation: seconds that a load is expected to take.
  ///   - timeLimit: the timeout in seconds; nil to adapt it to the time that the last loads took.
  ///   - clock: the clock that measures loads, in nanoseconds.
  ///   - alarm: nil to disable timeouts, as in a render, where a load takes no virtual time.
  ///   - startThread: runs a closure on a new thread; returns false if the system can't create one.
  init(
    expectation: Double = Loader.expectation,
    timeLimit: Double? = nil,
    clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds,
    alarm: Alarm?,
    on startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { OSThread.start($0) }
  ) {
    (self.expectation, self.timeLimit) = (expectation, timeLimit)
    self.clock = clock
    self.alarm = alarm
    self.startThread = startThread
  }

  /// The number of abandoned loads whose threads still run.
  var hung: Int { state.withLock(\.hung) }

  /// The timeout in seconds of a load that starts now; nil if loads never time out.
  var timeout: Double? { alarm == nil ? nil : state.withLock { allowance($0) } }

  private func allowance(_ state: State) -> Double { timeLimit ?? state.timeouts.timeout(expecting: expectation) }

  /// Starts a load.
  ///
  /// - Parameters:
  ///   - patience: seconds that the load may take in any case.
  ///   - body: runs on its own thread and may wait.
  ///   - deliver: called once, on any thread.
  /// - Returns: abandons the load with an error as its result, unless it has one already. May be called from any
  ///   thread.
  @discardableResult func start<Value: Sendable>(
    patience: Double = 0, _ body: @escaping @Sendable () throws(SourceError) -> Value,
    deliver: @escaping @Sendable (LoadTicket<Value>.Result) -> Void
  ) -> @Sendable (LoadError) -> Void {
    let ticket = LoadTicket(deliver: deliver)
    let abandon = { @Sendable [self] (error: LoadError) in
      // The load is counted before its result is delivered, so whoever receives the result sees the new count.
      _ = ticket.settle(.failure(error)) { state.withLock { $0.hung += 1 } }
    }
    let (hung, timeout) = state.withLock { ($0.hung, allowance($0)) }
    if Self.limit <= hung {
      ticket.settle(.failure(.exhausted(hung: hung)))
    } else if run(body, for: ticket, isTypical: patience == 0) {
      let timeout = max(timeout, patience)
      alarm?(timeout) { abandon(.timedOut(seconds: timeout)) }
    } else {
      ticket.settle(.failure(.noThread))
    }
    return abandon
  }

  /// Starts the thread of a load.
  ///
  /// - Parameter isTypical: whether its time says how long other loads will take.
  /// - Returns: false if no thread could be started.
  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(SourceError) -> Value, for ticket: LoadTicket<Value>, isTypical: Bool
  ) -> Bool {
    let began = clock()
    return startThread { [self] in
      let result = Result { () throws(SourceError) in try body() }
      let seconds = Double(clock() - began) / 1e9
      if case .success = result, isTypical {
        state.withLock { $0.timeouts.record(expected: expectation, actual: seconds) }
      }
      let loaded = result.map { Loaded(value: $0, seconds: seconds) }
      let isInTime = ticket.settle(loaded.mapError { .failed($0) })
      if !isInTime { state.withLock { $0.hung -= 1 } }
    }
  }
}

extension Loader {
  /// Runs a load and suspends until it has a result.
  ///
  /// - Parameter context: the context of the loading operation. If the operation is asked to stop, the load is
  ///   abandoned.
  func load<Value: Sendable>(
    for context: OperationContext? = nil, patience: Double = 0,
    _ body: @escaping @Sendable () throws(SourceError) -> Value
  ) async throws(LoadError) -> Loaded<Value> {
    let result = await withCheckedContinuation { continuation in
      let abandon = start(patience: patience, body) { continuation.resume(returning: $0) }
      context?.waitForLoad { abandon(.stopped(by: $0)) }
    }
    return try result.get()
  }
}
