import Dispatch
package import Engine
import Synchronization

/// The remote sounds of a process. Each is downloaded, or its copy in the cache checked, once in a process's life; all
/// who ask for it share that download.
///
/// Any thread may call it. A request waits until the sound is complete, or, if the caller wants that, until it can be
/// played while it downloads.
package final class RemoteSounds: Sendable {
  /// The instance that the command uses.
  package static let shared = RemoteSounds(cache: RemoteCache())

  /// The state of an address.
  private enum Standing {
    /// It downloads.
    case coming(Download)
    /// It is in the cache and up to date, or as up to date as it can be.
    case here(RemoteCache.CacheEntry)
    /// It could not be downloaded, and there is no copy.
    case failed(FetchRetry)
  }

  /// A failure and its time. A failed download is not retried at once, because several threads may ask for the same
  /// sound.
  private struct FetchRetry {
    var failure: FetchFailure
    /// In nanoseconds of the monotonic clock.
    var time = monotonicNanoseconds()

    func holds(for seconds: Int64) -> Bool { monotonicNanoseconds() - time < seconds * 1_000_000_000 }
  }

  /// The most downloads at a time.
  private static let width = 4
  /// Seconds before an address is retried, and before any address of a host that does not answer is.
  private static let (respite, hostRespite): (Int64, Int64) = (5, 30)

  /// The keys are addresses as the session has them, and hosts in lower case.
  private struct State {
    var standings: [String: Standing] = [:]
    /// Paths of sounds that this process plays; they are never removed from the cache.
    var used: Set<String> = []
    /// Hosts that did not answer.
    var goneHosts: [String: FetchRetry] = [:]
    /// Why the server could not confirm the copies that are played.
    var stale: [String: String] = [:]
  }

  /// nil if there is no folder for it.
  private let cache: RemoteCache?
  private let limits: FetchLimits
  private let clock: @Sendable () -> Int64
  private let state = Mutex(State())

  /// - Parameter clock: nanoseconds, for the speed of downloads.
  init(
    cache: RemoteCache?, limits: FetchLimits = FetchLimits(),
    clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
  ) {
    (self.cache, self.limits, self.clock) = (cache, limits, clock)
  }

  /// Why an address is played from a copy that may be outdated; nil if it is not.
  package func staleness(of address: String) -> String? { state.withLock { $0.stale[address] } }

  /// The hash of a downloaded sound's bytes; nil if it is not complete.
  package func content(of address: String) -> String? {
    if case .here(let card) = standing(of: address) { card.content } else { nil }
  }

  /// Whether the cache has a copy, however old.
  package func hasCopy(of address: String) -> Bool { cache?.card(of: address) != nil }

  /// Whether a download is in progress.
  package var isFetching: Bool {
    state.withLock { state in
      state.standings.values.contains { if case .coming = $0 { true } else { false } }
    }
  }

  /// Downloads several sounds in parallel and waits for all of them. Failures are reported when a sound is opened.
  ///
  /// - Parameter takesArriving: whether to wait for a sound only until it can be played while it downloads.
  package func fetch(_ addresses: [String], takesArriving: Bool = false) {
    let rest = Mutex(ArraySlice(addresses))
    // A download that continues after `file` returns keeps its slot, because more downloads would slow down the sounds
    // that play. One that pauses after a failure frees its slot, so that other sounds don't wait for its server.
    let slots = DispatchSemaphore(value: Self.width)
    let group = DispatchGroup()
    let work: @Sendable () -> Void = { [self] in
      while let address = rest.withLock({ $0.popFirst() }) {
        slots.wait()
        _ = try? file(of: address, takesArriving: takesArriving)
        whenAtRest(address) { slots.signal() }
      }
      group.leave()
    }
    for _ in 0..<min(Self.width, addresses.count) {
      group.enter()
      if !OSThread.start(work) { group.leave() }
    }
    group.wait()
  }

  /// Why a sound can't be played; nil for one that is complete, or can be played while it downloads. Waits until that
  /// is known.
  package func problem(of address: String, takesArriving: Bool = false) -> SourceError? {
    do throws(SourceError) { _ = try file(of: address, takesArriving: takesArriving) } catch { return error }
    return nil
  }

  /// Opens a sound's file, and downloads it if necessary. Errors name the address.
  ///
  /// - Parameter takesArriving: whether the file may still download; then its `arriving` is not nil.
  func file(of address: String, takesArriving: Bool) throws(SourceError) -> RegularFile {
    let shown = SoundSource.withoutCredentials(address)
    do throws(FetchFailure) {
      guard let cache else { throw .notKept(cause: "there is no home folder; set XDG_CACHE_HOME to a folder") }
      if takesArriving, case .coming(let arrival) = begun(address, cache), let file = arrival.file(knownAs: shown) {
        return file
      }
      if let file = try? open(try card(of: address, cache), cache, as: shown) { return file }
      // The copy may have been removed from the cache in the meantime: download it again.
      forget(address)
      return try open(try card(of: address, cache), cache, as: shown)
    } catch {
      throw .remote(address: shown, cause: error.cause)
    }
  }

  private func open(
    _ card: RemoteCache.CacheEntry, _ cache: RemoteCache, as shown: String
  ) throws(FetchFailure) -> RegularFile {
    do throws(SourceError) {
      let file = try RegularFile(path: cache.path(of: card), knownAs: shown)
      cache.touch(card)
      return file
    } catch { throw .notKept(cause: "its copy in \(cache.folder) is missing; play the session again") }
  }

  private func standing(of address: String) -> Standing? { state.withLock { $0.standings[address] } }

  /// Forgets that an address was downloaded.
  private func forget(_ address: String) {
    state.withLock { state in
      if case .here = state.standings[address] { state.standings[address] = nil }
    }
  }

  /// Calls `body` when the download of an address pauses or ends; at once if there is none.
  private func whenAtRest(_ address: String, _ body: @escaping @Sendable () -> Void) {
    guard case .coming(let arrival) = standing(of: address) else { return body() }
    arrival.whenAtRest(body)
  }

  /// The card of a complete download; waits for it.
  private func card(of address: String, _ cache: RemoteCache) throws(FetchFailure) -> RemoteCache.CacheEntry {
    switch begun(address, cache) {
    case .coming(let arrival): return try arrival.card()
    case .here(let card): return card
    case .failed(let setback): throw setback.failure
    }
  }

  /// The state of an address, after its download has been started if necessary.
  private func begun(_ address: String, _ cache: RemoteCache) -> Standing {
    let arrival = Download(clock: clock)
    let known = state.withLock { state -> Standing? in
      switch state.standings[address] {
      case .failed(let setback) where !setback.holds(for: Self.respite): break
      case nil: break
      case let known: return known
      }
      state.standings[address] = .coming(arrival)
      return nil
    }
    if let known { return known }
    // The download gets its own thread, because the caller may return before it is complete.
    let work: @Sendable () -> Void = { [self] in bring(address, cache, arrival) }
    if !OSThread.start(work) { work() }
    return .coming(arrival)
  }

  /// Downloads a sound and stores the result. Runs on a thread of its own.
  private func bring(_ address: String, _ cache: RemoteCache, _ arrival: Download) {
    let outcome = Result { () throws(FetchFailure) in try ask(for: address, cache, arrival) }
    let standing: Standing =
      switch outcome {
      case .success(let card): .here(card)
      case .failure(let failure): .failed(FetchRetry(failure: failure))
      }
    state.withLock { $0.standings[address] = standing }
    arrival.end(outcome)
  }

  /// Downloads a sound or checks its copy. If that fails and there is a copy, the copy is used, whatever the server
  /// says: a session that could be played once can still be played without a network, or after its sounds have moved.
  private func ask(
    for text: String, _ cache: RemoteCache, _ arrival: Download
  ) throws(FetchFailure) -> RemoteCache.CacheEntry {
    guard let address = RemoteAddress(text) else { throw .other(cause: "it is not an http or https address") }
    try cache.prepare()
    let known = cache.card(of: text)
    do throws(FetchFailure) {
      return use(try fetch(address, text, cache, known, arrival), cache)
    } catch {
      guard let known else { throw error }
      return use(known, cache, error)
    }
  }

  /// Downloads a sound, unless its host has just failed to answer.
  private func fetch(
    _ address: RemoteAddress, _ text: String, _ cache: RemoteCache, _ known: RemoteCache.CacheEntry?,
    _ arrival: Download
  ) throws(FetchFailure) -> RemoteCache.CacheEntry {
    if let setback = state.withLock({ $0.goneHosts[address.host] }), setback.holds(for: Self.hostRespite) {
      throw setback.failure
    }
    do throws(FetchFailure) {
      return try RemoteFetch(address, text, cache, limits, arrival).card(known: known)
    } catch {
      if error.isHostGone { state.withLock { $0.goneHosts[address.host] = FetchRetry(failure: error) } }
      throw error
    }
  }

  /// Marks a copy as used, and makes room in the cache.
  ///
  /// - Parameter failure: why the copy may be outdated; nil if it is not.
  private func use(_ card: RemoteCache.CacheEntry, _ cache: RemoteCache, _ failure: FetchFailure? = nil)
    -> RemoteCache.CacheEntry
  {
    let used = state.withLock { state in
      state.stale[card.address] = failure?.cause
      state.used.insert(cache.path(of: card))
      return state.used
    }
    cache.touch(card)
    cache.makeRoom(besides: used)
    return card
  }
}
