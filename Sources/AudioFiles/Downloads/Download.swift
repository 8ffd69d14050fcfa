import Engine
import Foundation
import Sounds
import Synchronization

/// The state of a download, for threads that wait for its end, and for threads that read the sound while it downloads.
///
/// One thread downloads, and calls the first group of functions. Any number of other threads wait, each until the bytes
/// that it needs have arrived, or until no more bytes will arrive.
final class Download: Sendable {
  typealias Outcome = Result<RemoteCache.CacheEntry, FetchFailure>

  /// The content that is being downloaded, if it can be read before it is complete.
  struct Content: Hashable {
    /// The path of the file to which the download is written.
    var path: String
    /// The length of the complete content in bytes.
    var length: Int64
    /// What identifies this version of the content on its server.
    var validators: Validators
  }

  /// The result of waiting for the first bytes of a download.
  enum Beginning {
    /// The first bytes of content that can be read before it is complete have arrived.
    case content(Content, edition: Int)
    /// The download has ended without such content.
    case nothing
  }

  private struct State {
    /// nil if the content can't be read before it is complete.
    var content: Content?
    /// The number of the current content. If the server's content changes, the number increases, so that readers of the
    /// old content get no bytes of the new one.
    var edition = 0
    /// Bytes that have arrived, counted from the content's beginning.
    var count: Int64 = 0
    /// For the speed: `count` and time at the beginning of the measurement, and the time of the last bytes. Times are
    /// in nanoseconds.
    var (firstCount, firstTime, lastTime): (Int64, Int64, Int64) = (0, 0, 0)
    /// Whether the content may be read while it downloads, because playback won't catch up with the download.
    var isReleased = false
    /// The result; nil during the download.
    var outcome: Outcome?
    /// The length of the complete content in bytes; nil if the server does not state it.
    var total: Int64?
    /// Called with the bytes that have arrived and with `total`, at most ten times a second, and when `follower` was
    /// called last, in nanoseconds.
    var follower: (@Sendable (Int64, Int64?) -> Void)?
    var followed: Int64?
    /// Called when the download pauses or ends.
    var pauseHandlers: [@Sendable () -> Void] = []

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

  /// Records the beginning of a response; `count` bytes of its content were downloaded before.
  ///
  /// - Parameters:
  ///   - content: nil if it can't be read before it is complete.
  ///   - total: the length of the complete content; nil if the server does not state it.
  func begin(_ content: Content?, at count: Int64, of total: Int64? = nil) {
    let now = clock()
    update { state in
      state.total = total
      // The response continues the same content.
      if content == state.content { return }
      state.edition += 1
      (state.content, state.count, state.isReleased) = (content, count, false)
      (state.firstCount, state.firstTime, state.lastTime) = (count, now, now)
    }
  }

  /// Records that the first `count` bytes of the content have arrived.
  func received(upTo count: Int64) {
    let now = clock()
    update { state in
      // If the server sends bytes again, those that arrived before remain valid.
      state.count = max(count, state.count)
      state.lastTime = now
    }
    tellFollower(at: now)
  }

  /// Tells how much has arrived, unless that was told less than a tenth of a second ago.
  private func tellFollower(at now: Int64) {
    let told = state.withLock { state -> (() -> Void)? in
      guard let follower = state.follower, 0 < state.count, state.followed.map({ $0 + 100_000_000 <= now }) ?? true
      else { return nil }
      state.followed = now
      return { [count = state.count, total = state.total] in follower(count, total) }
    }
    told?()
  }

  /// Ends the current content: its bytes are about to be overwritten.
  func invalidate() { begin(nil, at: 0) }

  /// Records that the download pauses after a failure, and will be retried.
  func paused() {
    let reported = state.withLock { state in
      defer { state.pauseHandlers = [] }
      return state.pauseHandlers
    }
    for report in reported { report() }
  }

  /// Records the end of the download.
  func end(_ outcome: Outcome) {
    update { state in
      state.outcome = outcome
      state.followed = nil
    }
    if case .success = outcome { tellFollower(at: clock()) }
    paused()
  }

  // MARK: Threads that wait for the end

  /// Waits until the content is complete.
  func entry() throws(FetchFailure) -> RemoteCache.CacheEntry { try wait { $0.outcome }.get() }

  /// Calls `body` once, on the downloading thread, when the download pauses or ends. If it has already ended, calls
  /// `body` at once.
  func whenPausedOrEnded(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.outcome == nil { state.pauseHandlers.append(body) }
      return state.outcome != nil
    }
    if isOver { body() }
  }

  /// Waits until the first bytes of content that can be read while it downloads have arrived, or until the download has
  /// ended.
  func beginning() -> Beginning {
    wait { state -> Beginning? in
      if state.outcome != nil { return .nothing }
      guard let content = state.content, 0 < state.count else { return nil }
      return .content(content, edition: state.edition)
    }
  }

  /// Calls `body` with the bytes that have arrived, and with the length of the whole content if it is known: now and on
  /// the downloading thread, at most ten times a second, and at the end.
  func follow(_ body: @escaping @Sendable (_ count: Int64, _ total: Int64?) -> Void) {
    state.withLock { $0.follower = body }
    tellFollower(at: clock())
  }

  // MARK: Threads that read while it downloads

  /// Whether the current content may be read while it downloads.
  var isReleased: Bool { state.withLock { $0.isReleased } }

  /// Whether the content of that edition may be read while it downloads.
  func isReleased(_ edition: Int) -> Bool { state.withLock { $0.isReleased && $0.edition == edition } }

  /// Waits until the download is so fast that playback won't catch up with it. Then allows reading the content while it
  /// downloads.
  ///
  /// - Parameter rate: bytes per second of playback.
  /// - Returns: false if the download ended, or if the content changed, before that.
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
  /// - Returns: how many bytes of the content have arrived; a failure if none will arrive after `offset`.
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

  /// How many bytes have arrived so far; 0 for an older content. Doesn't wait.
  func present(of edition: Int) -> Int64 { state.withLock { $0.edition == edition ? $0.count : 0 } }

  /// Whether the content of that edition is still the current one. If so, bytes that were read just before belong to
  /// it.
  func isCurrent(_ edition: Int) -> Bool { state.withLock { $0.edition == edition } }

  /// Changes the state and wakes all waiting threads.
  private func update(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    change.lock()
    change.broadcast()
    change.unlock()
  }

  /// Waits until `answer` returns a value. The condition is locked during each check, so a change between the check and
  /// the wait is not missed.
  private func wait<Answer>(until answer: (borrowing State) -> Answer?) -> Answer {
    change.lock()
    defer { change.unlock() }
    while true {
      if let answer = state.withLock({ answer($0) }) { return answer }
      change.wait()
    }
  }
}

extension Download {
  /// Opens the sound's file while it downloads; nil if it can be played only when it is complete. Waits until that is
  /// known.
  ///
  /// To compute the bytes per second of playback, this reads the file's header, and waits for the bytes that the format
  /// needs. If the format needs data at the end of the file, the file is complete by then.
  ///
  /// - Parameter name: shown in messages instead of the path.
  func file(knownAs name: String) -> RegularFile? {
    guard case .content(let content, let edition) = beginning() else { return nil }
    let download = DownloadingFile(self, edition, length: content.length)
    guard let file = try? RegularFile(path: content.path, knownAs: name, download: download) else { return nil }
    if isReleased(edition) { return file }
    guard beginsWithItsLength(file), let rate = playingRate(of: file) else { return nil }
    return release(edition, playingAt: rate) ? file : nil
  }
}

/// Whether the beginning of a file states the length of its sound.
private func beginsWithItsLength(_ file: RegularFile) -> Bool {
  if file.bytes(at: 0, count: 4) == Array("fLaC".utf8) { return true }
  return SoundContainer(file).map { $0.size.isHeld && !$0.isMPEG } ?? false
}

/// Bytes per second of playback; nil if the file doesn't state its length, and for files that are not sounds.
private func playingRate(of file: RegularFile) -> Double? {
  guard let format = try? openReader(file, scans: ScanCache()).format, let frames = format.frames, 0 < frames else {
    return nil
  }
  return Double(file.size) * Double(format.rate) / Double(frames)
}
