import Dispatch
import Engine
package import Sounds
import Synchronization

/// How much of a sound has been downloaded.
public struct DownloadProgress: Sendable, Hashable {
  /// The address, without user name and password.
  public var address: String
  /// The bytes that have arrived.
  public var bytes: Int64
  /// The size of the whole sound in bytes; nil if the server does not say.
  public var total: Int64?
}

/// Downloads and caches the remote sounds of a process. Each sound is downloaded, or its copy in the cache is checked,
/// once per process; all callers share that download.
///
/// Any thread may call it. A call waits until the sound is complete, or, at the caller's choice, until it can be played
/// while it downloads.
package final class RemoteSounds: Sendable {
  /// The instance that all sessions of the process use.
  package static let shared = RemoteSounds(cache: RemoteCache())

  /// Never sends a request: only sounds that are in the cache can be opened.
  package static let cached = RemoteSounds(cache: RemoteCache(), sendsRequests: false)

  /// The state of an address.
  private enum SoundState {
    /// The sound is being downloaded.
    case downloading(Download)
    /// The sound is in the cache. It is current, or the server could not be asked.
    case cached(RemoteCache.CacheEntry)
    /// The sound could not be downloaded, and the cache has no copy.
    case failed(FetchRetry)
  }

  /// A failure and its time. A failed download is not retried at once, because several threads may request the same
  /// sound.
  private struct FetchRetry {
    var failure: FetchFailure
    /// In nanoseconds of the monotonic clock.
    var time = monotonicNanoseconds()

    func holds(for seconds: Int64) -> Bool { monotonicNanoseconds() - time < seconds * 1_000_000_000 }
  }

  /// The maximum number of simultaneous downloads.
  private static let mostDownloads = 4
  /// Seconds before an address is retried, and before any address of an unreachable host is retried.
  private static let (retryDelay, hostRetryDelay): (Int64, Int64) = (5, 30)

  /// Keys are addresses as they are written in the session, or hosts in lower case.
  private struct State {
    var sounds: [String: SoundState] = [:]
    /// Paths of sounds that this process plays. They are not removed from the cache to make room.
    var used: Set<String> = []
    /// Hosts that could not be reached.
    var unreachableHosts: [String: FetchRetry] = [:]
    /// Why the server could not confirm the copies that are played.
    var stale: [String: String] = [:]
  }

  /// nil if there is no folder for it.
  private let cache: RemoteCache?
  private let limits: FetchLimits
  private let clock: @Sendable () -> Int64
  private let sendsRequests: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - sendsRequests: whether sounds are downloaded, and copies in the cache are checked.
  ///   - clock: nanoseconds, for the speed of downloads.
  init(
    cache: RemoteCache?, limits: FetchLimits = FetchLimits(), sendsRequests: Bool = true,
    clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
  ) {
    (self.cache, self.limits, self.sendsRequests, self.clock) = (cache, limits, sendsRequests, clock)
  }

  /// Why an address is played from a copy that may be outdated; nil if it is not.
  package func staleness(of address: String) -> String? { state.withLock { $0.stale[address] } }

  /// The hash of a downloaded sound's bytes; nil if it is not complete.
  package func content(of address: String) -> String? {
    if case .cached(let entry) = soundState(of: address) { entry.content } else { nil }
  }

  /// The path of a downloaded sound; nil if it is not complete.
  package func copy(of address: String) -> String? {
    if case .cached(let entry) = soundState(of: address) { cache?.path(of: entry) } else { nil }
  }

  /// Whether the cache has a copy, however old.
  package func hasCopy(of address: String) -> Bool { cache?.entry(of: address) != nil }

  /// Whether a download is in progress.
  package var isFetching: Bool {
    state.withLock { state in
      state.sounds.values.contains { if case .downloading = $0 { true } else { false } }
    }
  }

  /// Downloads several sounds in parallel and waits for all of them. Failures are reported when a sound is opened.
  ///
  /// - Parameters:
  ///   - playsWhileDownloading: whether to wait for a sound only until it can be played while it downloads.
  ///   - progress: called while a sound is downloaded; it must not block.
  package func fetch(
    _ addresses: [String], playsWhileDownloading: Bool = false,
    progress: (@Sendable (DownloadProgress) -> Void)? = nil
  ) {
    let rest = Mutex(ArraySlice(addresses))
    // A download that continues after `file` has returned keeps its slot, because more downloads would slow down those
    // of sounds that play. A download that pauses after a failure frees its slot, so that other sounds don't wait for
    // its server.
    let slots = DispatchSemaphore(value: Self.mostDownloads)
    let group = DispatchGroup()
    let work: @Sendable () -> Void = { [self] in
      while let address = rest.withLock({ $0.popFirst() }) {
        slots.wait()
        if let progress, let cache, case .downloading(let download) = started(address, cache) {
          let shown = SoundSource.withoutCredentials(address)
          download.follow { progress(DownloadProgress(address: shown, bytes: $0, total: $1)) }
        }
        _ = try? file(of: address, playsWhileDownloading: playsWhileDownloading)
        whenPausedOrEnded(address) { slots.signal() }
      }
      group.leave()
    }
    for _ in 0..<min(Self.mostDownloads, addresses.count) {
      group.enter()
      if !OSThread.start(work) { group.leave() }
    }
    group.wait()
  }

  /// Why a sound can't be played; nil for one that is complete, or that can be played while it downloads. Waits until
  /// this is known.
  package func problem(of address: String, playsWhileDownloading: Bool = false) -> SourceError? {
    do throws(SourceError) { _ = try file(of: address, playsWhileDownloading: playsWhileDownloading) } catch {
      return error
    }
    return nil
  }

  /// Opens a sound's file, and downloads it if necessary. Errors name the address.
  ///
  /// - Parameter playsWhileDownloading: whether the file may still download; then its `download` is not nil.
  func file(of address: String, playsWhileDownloading: Bool) throws(SourceError) -> RegularFile {
    let shown = SoundSource.withoutCredentials(address)
    do throws(FetchFailure) {
      guard let cache else { throw .notStored(cause: "there is no home folder; set XDG_CACHE_HOME to a folder") }
      if playsWhileDownloading, case .downloading(let download) = started(address, cache),
        let file = download.file(knownAs: shown)
      {
        return file
      }
      if let file = try? open(try entry(of: address, cache), cache, as: shown) { return file }
      // The copy may have been removed from the cache since it was downloaded. Then it is downloaded again.
      forget(address)
      return try open(try entry(of: address, cache), cache, as: shown)
    } catch {
      throw error.sourceError(of: shown)
    }
  }

  private func open(
    _ entry: RemoteCache.CacheEntry, _ cache: RemoteCache, as shown: String
  ) throws(FetchFailure) -> RegularFile {
    do throws(SourceError) {
      let file = try RegularFile(path: cache.path(of: entry), knownAs: shown)
      cache.touch(entry)
      return file
    } catch { throw .notStored(cause: "its copy in \(cache.folder) is missing; play the session again") }
  }

  private func soundState(of address: String) -> SoundState? { state.withLock { $0.sounds[address] } }

  /// Makes the next request download the sound again.
  private func forget(_ address: String) {
    state.withLock { state in
      if case .cached = state.sounds[address] { state.sounds[address] = nil }
    }
  }

  /// Calls `body` when the download of an address pauses or ends; at once if there is none.
  private func whenPausedOrEnded(_ address: String, _ body: @escaping @Sendable () -> Void) {
    guard case .downloading(let download) = soundState(of: address) else { return body() }
    download.whenPausedOrEnded(body)
  }

  /// The cache entry of a sound. Waits until the sound is complete.
  private func entry(of address: String, _ cache: RemoteCache) throws(FetchFailure) -> RemoteCache.CacheEntry {
    switch started(address, cache) {
    case .downloading(let download): return try download.entry()
    case .cached(let entry): return entry
    case .failed(let failed): throw failed.failure
    }
  }

  /// The state of a sound. Starts its download if that has not been done, or if the last failure is old enough.
  private func started(_ address: String, _ cache: RemoteCache) -> SoundState {
    let download = Download(clock: clock)
    let known = state.withLock { state -> SoundState? in
      switch state.sounds[address] {
      case .failed(let failed) where !failed.holds(for: Self.retryDelay): break
      case nil: break
      case let known: return known
      }
      state.sounds[address] = .downloading(download)
      return nil
    }
    if let known { return known }
    // The download has its own thread, because the caller may return before the download is complete.
    let work: @Sendable () -> Void = { [self] in run(address, cache, download) }
    if !OSThread.start(work) { work() }
    return .downloading(download)
  }

  /// Downloads a sound, and records the result. Runs on a thread of its own.
  private func run(_ address: String, _ cache: RemoteCache, _ download: Download) {
    let outcome = Result { () throws(FetchFailure) in try ask(for: address, cache, download) }
    let soundState: SoundState =
      switch outcome {
      case .success(let entry): .cached(entry)
      case .failure(let failure): .failed(FetchRetry(failure: failure))
      }
    state.withLock { $0.sounds[address] = soundState }
    download.end(outcome)
  }

  /// Downloads a sound, or checks the copy in the cache. If that fails and there is a copy, the copy is used, whatever
  /// the failure: a session that has been played once can be played without a network, or after its sounds have moved.
  private func ask(
    for text: String, _ cache: RemoteCache, _ download: Download
  ) throws(FetchFailure) -> RemoteCache.CacheEntry {
    guard sendsRequests else {
      guard let known = cache.entry(of: text) else { throw .other(cause: "it has not been downloaded") }
      return known
    }
    guard let address = RemoteAddress(text) else { throw .other(cause: "it is not an http or https address") }
    try cache.prepare()
    let known = cache.entry(of: text)
    do throws(FetchFailure) {
      return use(try fetch(address, text, cache, known, download), cache)
    } catch {
      guard let known else { throw error }
      return use(known, cache, error)
    }
  }

  /// Downloads a sound, unless its host could not be reached a short time ago.
  private func fetch(
    _ address: RemoteAddress, _ text: String, _ cache: RemoteCache, _ known: RemoteCache.CacheEntry?,
    _ download: Download
  ) throws(FetchFailure) -> RemoteCache.CacheEntry {
    if let failed = state.withLock({ $0.unreachableHosts[address.host] }), failed.holds(for: Self.hostRetryDelay) {
      throw failed.failure
    }
    do throws(FetchFailure) {
      return try RemoteFetch(address, text, cache, limits, download).download(known: known)
    } catch {
      if error.isHostUnreachable { state.withLock { $0.unreachableHosts[address.host] = FetchRetry(failure: error) } }
      throw error
    }
  }

  /// Marks a sound as used, and removes other sounds if the cache is too large.
  ///
  /// - Parameter failure: why the copy may be outdated; nil if it is not.
  private func use(_ entry: RemoteCache.CacheEntry, _ cache: RemoteCache, _ failure: FetchFailure? = nil)
    -> RemoteCache.CacheEntry
  {
    let used = state.withLock { state in
      state.stale[entry.address] = failure?.cause
      state.used.insert(cache.path(of: entry))
      return state.used
    }
    cache.touch(entry)
    cache.makeRoom(besides: used)
    return entry
  }
}
