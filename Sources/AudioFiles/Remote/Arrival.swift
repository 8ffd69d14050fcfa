import Engine
import Foundation
import Synchronization

/// A sound that is being fetched, for those who wait for it and those who read it meanwhile. One thread brings it; any
/// number of others wait, each until what it needs is here or nothing more comes.
final class Arrival: Sendable {
  typealias Outcome = Result<RemoteCache.Card, FetchFailure>

  /// What comes, as far as it can be read before it is whole.
  struct Content: Hashable {
    var path: String
    /// Of the whole, in bytes.
    var length: Int64
    var validators: Validators
  }

  enum Beginning {
    case content(Content, edition: Int)
    /// It is over.
    case nothing
  }

  private struct State {
    /// Nil where all has to be waited for.
    var content: Content?
    /// Counts the contents: who has begun to read one reads none of another.
    var edition = 0
    /// Bytes from its beginning on that are here.
    var count: Int64 = 0
    /// Where and when one began to watch how it comes, and when the last bytes came.
    var (firstCount, firstTime, lastTime): (Int64, Int64, Int64) = (0, 0, 0)
    /// Somebody has found that it can be read meanwhile.
    var isReleased = false
    var outcome: Outcome?
    var toldAtEnd: [@Sendable (Outcome) -> Void] = []
    var toldAtRest: [@Sendable () -> Void] = []

    var pace: ArrivalPace {
      ArrivalPace(bytes: count - firstCount, nanoseconds: lastTime - firstTime, here: count)
    }
  }

  private let state = Mutex(State())
  /// Broadcast behind each change of the state.
  private let change = NSCondition()
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: nanoseconds, by which is measured how fast it comes.
  init(clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) { self.clock = clock }

  // MARK: Whoever brings it

  /// A response begins, of which so much is here already.
  ///
  /// - Parameter content: nil for one that has to be waited for.
  func begin(_ content: Content?, at count: Int64) {
    let now = clock()
    update { state in
      // Another response with the rest of the same.
      if content == state.content { return }
      state.edition += 1
      (state.content, state.count, state.isReleased) = (content, count, false)
      (state.firstCount, state.firstTime, state.lastTime) = (count, now, now)
    }
  }

  func come(upTo count: Int64) {
    let now = clock()
    update { state in
      // What is sent once more is here still.
      state.count = max(count, state.count)
      state.lastTime = now
    }
  }

  /// What is here is about to be overwritten.
  func withdraw() { begin(nil, at: 0) }

  /// Nothing comes for the time being; it will be asked for again.
  func rest() {
    let told = state.withLock { state in
      defer { state.toldAtRest = [] }
      return state.toldAtRest
    }
    for tell in told { tell() }
  }

  func end(_ outcome: Outcome) {
    let told = state.withLock { state in
      state.outcome = outcome
      defer { state.toldAtEnd = [] }
      return state.toldAtEnd
    }
    update { _ in }
    for tell in told { tell(outcome) }
    rest()
  }

  // MARK: Whoever waits for it

  /// Waits until all is here.
  func card() throws(FetchFailure) -> RemoteCache.Card { try wait { $0.outcome }.get() }

  /// Has `body` called when nothing more comes, by whoever brings it; at once when that is so already.
  func whenOver(_ body: @escaping @Sendable (Outcome) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.toldAtEnd.append(body) }
      return state.outcome
    }
    if let outcome { body(outcome) }
  }

  /// Has `body` called once, when nothing comes for the first time, or nothing more; at once when that is so already.
  func whenAtRest(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.outcome == nil { state.toldAtRest.append(body) }
      return state.outcome != nil
    }
    if isOver { body() }
  }

  /// Waits until the first bytes are here of what can be read meanwhile.
  func beginning() -> Beginning {
    wait { state -> Beginning? in
      if state.outcome != nil { return .nothing }
      guard let content = state.content, 0 < state.count else { return nil }
      return .content(content, edition: state.edition)
    }
  }

  // MARK: Whoever reads it meanwhile

  /// Whether somebody reads what comes now.
  var isReleased: Bool { state.withLock { $0.isReleased } }

  func isReleased(_ edition: Int) -> Bool { state.withLock { $0.isReleased && $0.edition == edition } }

  /// Waits until it is clear that nobody who plays it catches up with it; false where it came to its end before.
  ///
  /// - Parameter rate: bytes that a second of playing takes.
  func release(_ edition: Int, playingAt rate: Double) -> Bool {
    wait { state in
      if state.outcome != nil || state.edition != edition { return false }
      return state.isReleased || state.pace.outruns(rate) ? true : nil
    }
      && state.withLock { state in
        if state.edition == edition { state.isReleased = true }
        return state.isReleased
      }
  }

  /// Waits until there is something behind `offset`.
  ///
  /// - Returns: how many bytes are here; a failure where nothing comes there any more.
  func count(beyond offset: Int64, of edition: Int) -> Result<Int64, FetchFailure> {
    wait { state in
      if state.edition != edition { return .failure(.changed) }
      if offset < state.count { return .success(state.count) }
      switch state.outcome {
      case nil: return nil
      case .success: return .success(state.count)
      case .failure(let failure): return .failure(failure)
      }
    }
  }

  /// How many bytes are here now.
  func present(of edition: Int) -> Int64 { state.withLock { $0.edition == edition ? $0.count : 0 } }

  /// Whether what was read just now is of that content.
  func isCurrent(_ edition: Int) -> Bool { state.withLock { $0.edition == edition } }

  private func update(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    change.lock()
    change.broadcast()
    change.unlock()
  }

  /// Whoever looks does so before it lets the condition go: no change is missed between a look and the wait behind it.
  private func wait<Answer>(until answer: (borrowing State) -> Answer?) -> Answer {
    change.lock()
    defer { change.unlock() }
    while true {
      if let answer = state.withLock({ answer($0) }) { return answer }
      change.wait()
    }
  }
}
