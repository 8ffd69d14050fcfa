import Engine
import Foundation
import Synchronization

/// The state of a download, for threads that wait for it and for threads that read the sound while it downloads.
///
/// One thread downloads and calls the first group of functions. Any number of other threads wait, each until the bytes
/// that it needs have arrived or nothing more will arrive.
final class Download: Sendable {
  typealias Outcome = Result<RemoteCache.CacheEntry, FetchFailure>

  /// The content that arrives, if it can be read before it is complete.
  struct Content: Hashable {
    /// The file that the download is written to.
    var path: String
    /// Bytes of the complete content.
    var length: Int64
    /// What identifies the content on its server.
    var validators: Validators
  }

  /// The result of waiting for a download to begin.
  enum Beginning {
    case content(Content, edition: Int)
    /// The download is over.
    case nothing
  }

  private struct State {
    /// nil if the content can't be read before it is complete.
    var content: Content?
    /// Counts the contents: a reader of one content gets nothing of the next.
    var edition = 0
    /// Bytes that have arrived, counted from the content's beginning.
    var count: Int64 = 0
    /// For the speed: bytes and time at the beginning of the measurement, and the time of the last bytes; in
    /// nanoseconds.
    var (firstCount, firstTime, lastTime): (Int64, Int64, Int64) = (0, 0, 0)
    /// Some thread has found that the content can be read while it downloads.
    var isReleased = false
    /// The result; nil during the download.
    var outcome: Outcome?
    /// Called when the download pauses or ends.
    var toldAtRest: [@Sendable () -> Void] = []

    var pace: DownloadRate {
      DownloadRate(bytes: count - firstCount, nanoseconds: lastTime - firstTime, here: count)
    }
  }

  private let state = Mutex(State())
  /// Broadcast after each change of the state.
  private let change = NSCondition()
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: nanoseconds, for the speed of the download.
  init(clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) { self.clock = clock }

  // MARK: The downloading thread

  /// A response begins; `count` bytes of its content are there already.
  ///
  /// - Parameter content: nil if it can't be read before it is complete.
  func begin(_ content: Content?, at count: Int64) {
    let now = clock()
    update { state in
      // A response with the rest of the same content.
      if content == state.content { return }
      state.edition += 1
      (state.content, state.count, state.isReleased) = (content, count, false)
      (state.firstCount, state.firstTime, state.lastTime) = (count, now, now)
    }
  }

  /// `count` bytes of the content have arrived.
  func come(upTo count: Int64) {
    let now = clock()
    update { state in
      // If bytes are sent again, the ones that arrived before stay valid.
      state.count = max(count, state.count)
      state.lastTime = now
    }
  }

  /// The bytes that have arrived are about to be overwritten.
  func withdraw() { begin(nil, at: 0) }

  /// The download pauses after a failure, and will be retried.
  func rest() {
    let reported = state.withLock { state in
      defer { state.toldAtRest = [] }
      return state.toldAtRest
    }
    for report in reported { report() }
  }

  /// The download is over.
  func end(_ outcome: Outcome) {
    update { $0.outcome = outcome }
    rest()
  }

  // MARK: Threads that wait for the end

  /// Waits until the content is complete.
  func card() throws(FetchFailure) -> RemoteCache.CacheEntry { try wait { $0.outcome }.get() }

  /// Calls `body` once, when the download pauses or ends, on the downloading thread; at once if it is over already.
  func whenAtRest(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.outcome == nil { state.toldAtRest.append(body) }
      return state.outcome != nil
    }
    if isOver { body() }
  }

  /// Waits until the first bytes of a content have arrived that can be read while it downloads, or until the download
  /// is over.
  func beginning() -> Beginning {
    wait { state -> Beginning? in
      if state.outcome != nil { return .nothing }
      guard let content = state.content, 0 < state.count else { return nil }
      return .content(content, edition: state.edition)
    }
  }

  // MARK: Threads that read while it downloads

  /// Whether the current content may be read while it downloads.
  var isReleased: Bool { state.withLock { $0.isReleased } }

  /// Whether the content of that edition may be read while it downloads.
  func isReleased(_ edition: Int) -> Bool { state.withLock { $0.isReleased && $0.edition == edition } }

  /// Waits until the download is fast enough that playback won't catch up with it, then allows reading it while it
  /// downloads.
  ///
  /// - Parameter rate: bytes per second of playback.
  /// - Returns: false if the download ended or was restarted before.
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

  /// Waits until there are bytes after `offset`.
  ///
  /// - Returns: how many bytes have arrived in all; a failure if none will arrive there.
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

  /// How many bytes have arrived so far, without waiting; 0 for an older content.
  func present(of edition: Int) -> Int64 { state.withLock { $0.edition == edition ? $0.count : 0 } }

  /// Whether bytes that have just been read belong to the content of that edition.
  func isCurrent(_ edition: Int) -> Bool { state.withLock { $0.edition == edition } }

  /// Changes the state and wakes all waiting threads.
  private func update(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    change.lock()
    change.broadcast()
    change.unlock()
  }

  /// Waits until `answer` returns a value. The condition is locked during each check, so no change between the check
  /// and the wait is missed.
  private func wait<Answer>(until answer: (borrowing State) -> Answer?) -> Answer {
    change.lock()
    defer { change.unlock() }
    while true {
      if let answer = state.withLock({ answer($0) }) { return answer }
      change.wait()
    }
  }
}
