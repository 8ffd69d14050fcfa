package import Engine
package import Signal
internal import Synchronization

/// Sends the sound of a session to a server, and connects again whenever the connection is lost. The sound goes on at
/// "now" afterwards: what could not be sent is left out.
///
/// It has no clock, so another output leads. Each call takes a few seconds at most.
package final class NetworkSink: Sink {
  private struct State {
    var rate = SampleRate.studio
    var connection: (any NetworkConnection)?
    var retry = Retry()
    /// The title that the connection knows.
    var knownTitle: String?
    /// When the number of listeners was asked for, in seconds.
    var asked = -Double.infinity
  }

  /// Seconds between two questions for the number of listeners.
  private static let survey = 5.0
  /// Questions without an answer after which the server is lost.
  private static let unanswered = 2
  /// Seconds after which a question counts as not answered.
  private static let noAnswer = 1.5

  private let server: any NetworkServer
  /// Seconds to wait for the server at the start; infinite to begin without it.
  private let patience: Double
  private let report: @Sendable (OutputEvent) -> Void
  /// Used by the thread that writes. Whoever else takes the lock may wait for seconds.
  private let state = Mutex(State())
  private let title = Mutex<String?>(nil)
  private let written = Atomic<FrameCount>(0)
  private let isRetracted = Atomic<Bool>(false)
  /// The questions that the server has not answered since its last answer, and what follows from it.
  private let silence = Mutex<(questions: Int, failure: SinkError?)>((0, nil))
  /// −1 while it is unknown.
  private let listening = Atomic<Int>(-1)
  private let isConnected = Atomic<Bool>(false)
  /// The current outage; nil if there is none.
  private let outage = Mutex<(since: Double, cause: String)?>(nil)
  private let wake = WakeUp()
  private let surveyor = WorkThreads()

  package var pace: Pace { .players }

  init(_ server: any NetworkServer, waiting patience: Double, report: @escaping @Sendable (OutputEvent) -> Void) {
    (self.server, self.patience, self.report) = (server, patience, report)
  }

  package func start(at rate: SampleRate) throws(SinkError) {
    try server.check(at: rate)
    let begin = now
    while true {
      do throws(SinkError) {
        try state.withLock { (state) throws(SinkError) in
          state.rate = rate
          try connect(&state)
        }
        return
      } catch {
        if case .refused = error { throw error }
        if patience == .infinity { return lose(error) }
        if begin + patience <= now || isRetracted.load(ordering: .relaxed) { throw error }
        lose(error)
        wake.wait(seconds: Retry.longest)
      }
    }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    written.add(FrameCount(block.count), ordering: .relaxed)
    let frames = Array(block)
    do throws(SinkError) {
      try state.withLock { (state) throws(SinkError) in
        if state.connection == nil {
          guard state.retry.isDue(at: now) else { return }
          try connect(&state)
        }
        let title = title.withLock(\.self)
        if let title, title != state.knownTitle { try state.connection?.setTitle(title) }
        state.knownTitle = title
        if let failure = silence.withLock({ $0.failure }) { throw failure }
        try state.connection?.write(frames)
        askForListeners(&state)
      }
    } catch { lose(error) }
  }

  /// Connects, and reports that the server is back after an outage.
  private func connect(_ state: inout State) throws(SinkError) {
    state.connection = try server.connect(at: state.rate)
    state.knownTitle = nil
    state.asked = -.infinity
    silence.withLock { $0 = (0, nil) }
    isConnected.store(true, ordering: .relaxed)
    outage.withLock { $0 = nil }
    if let seconds = state.retry.succeeded(at: now) { report(.restored(seconds: seconds)) }
  }

  private func lose(_ error: SinkError) {
    let isNews = state.withLock { state in
      state.connection?.abandon()
      state.connection = nil
      return state.retry.failed(error, at: now)
    }
    outage.withLock { $0 = ($0?.since ?? now, error.cause) }
    isConnected.store(false, ordering: .relaxed)
    listening.store(-1, ordering: .relaxed)
    if isNews { report(.lost(cause: error.cause)) }
  }

  private func askForListeners(_ state: inout State) {
    guard Self.survey <= now - state.asked else { return }
    state.asked = now
    surveyor?.async { [weak self, server] in
      let begin = monotonicNanoseconds()
      let answer = Result { () throws(SinkError) in try server.listeners() }
      self?.take(answer, after: Double(monotonicNanoseconds() - begin) / 1e9)
    }
  }

  /// Takes the answer to the question for listeners. The system takes megabytes for a server that has stopped, so this
  /// also shows that it plays nothing any more.
  private func take(_ answer: Result<Int?, SinkError>, after seconds: Double) {
    guard isConnected.load(ordering: .relaxed) else { return }
    switch answer {
    case .success(let count):
      silence.withLock { $0 = (0, nil) }
      listening.store(count ?? -1, ordering: .relaxed)
    // A server that keeps its statistics for itself says so at once.
    case .failure where seconds < Self.noAnswer: break
    case .failure(let error):
      silence.withLock { silence in
        silence.questions += 1
        if Self.unanswered <= silence.questions { silence.failure = error }
      }
    }
  }

  package func finish() throws(SinkError) {
    state.withLock { state in
      state.connection?.finish()
      state.connection = nil
    }
    finishServer(isUrgent: isRetracted.load(ordering: .relaxed))
  }

  package func abandon() {
    state.withLock { state in
      state.connection?.abandon()
      state.connection = nil
    }
    finishServer(isUrgent: true)
  }

  private func finishServer(isUrgent: Bool) {
    if let problem = server.finish(isUrgent: isUrgent) { report(.lost(cause: problem)) }
  }

  package var heard: FrameCount { written.load(ordering: .relaxed) }

  /// The session ends early: nothing is waited for any more.
  package func retract(over ramp: FrameCount) -> Bool {
    isRetracted.store(true, ordering: .relaxed)
    wake.call()
    return true
  }

  private var now: Double { Double(monotonicNanoseconds()) / 1e9 }
}

/// What a person wants to know of the output. From any thread.
extension NetworkSink {
  /// Names the sound that follows.
  package func setTitle(_ title: String) { self.title.withLock { $0 = title } }

  /// Whether the server takes the sound now.
  package var isOpen: Bool { isConnected.load(ordering: .relaxed) }

  /// The error of an outage that has lasted as long as this; nil if there is none.
  package func failure(after seconds: Double) -> SinkError? {
    guard let outage = outage.withLock(\.self), seconds <= now - outage.since else { return nil }
    return .lost(cause: "\(server.name): \(outage.cause)")
  }

  /// The number of those who listen; nil while it is unknown.
  package var listeners: Int? {
    let count = listening.load(ordering: .relaxed)
    return count < 0 ? nil : count
  }
}

/// When to connect again, and what to tell. All times are seconds of a monotonic clock.
struct Retry {
  /// Seconds between two attempts: first, and at most.
  static let (first, longest) = (0.25, 2.0)
  private var outage: (since: Double, refusals: Set<String>)?
  private var next = 0.0
  private var interval = first

  func isDue(at now: Double) -> Bool { next <= now }

  /// Records a loss or an attempt without success.
  ///
  /// - Returns: whether to tell it: an outage begins, or a person must change something before it can end.
  mutating func failed(_ error: SinkError, at now: Double) -> Bool {
    interval = outage == nil ? Self.first : min(2 * interval, Self.longest)
    next = now + interval
    var refusals = outage?.refusals ?? []
    var isNews = outage == nil
    if case .refused(_, let cause) = error, refusals.insert(cause).inserted { isNews = true }
    outage = (outage?.since ?? now, refusals)
    return isNews
  }

  /// Records that the connection exists.
  ///
  /// - Returns: the seconds of the outage that ends; nil if there was none.
  mutating func succeeded(at now: Double) -> Double? {
    defer { outage = nil }
    return outage.map { now - $0.since }
  }
}
