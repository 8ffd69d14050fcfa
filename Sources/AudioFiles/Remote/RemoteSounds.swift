import Dispatch
package import Engine
import Synchronization

/// The sounds of other machines: each is fetched once in a process's life, or found to be still the one in the cache.
/// Whoever asks for one that is being fetched waits for it, or, where that is enough, until it can be played meanwhile.
package final class RemoteSounds: Sendable {
  /// Those of this process.
  package static let shared = RemoteSounds(cache: RemoteCache())

  /// What has become of an address.
  private enum Standing {
    case coming(Arrival)
    case here(RemoteCache.Card)
    case failed(Setback)
  }

  /// What has failed is not tried again at once: many may be waiting to ask the same.
  private struct Setback {
    var failure: FetchFailure
    var time = monotonicNanoseconds()

    func holds(for seconds: Int64) -> Bool { monotonicNanoseconds() - time < seconds * 1_000_000_000 }
  }

  /// Sounds that are fetched at once.
  private static let width = 4
  /// Seconds until an address, or another one of a host that does not answer, is tried again.
  private static let (respite, hostRespite): (Int64, Int64) = (5, 30)

  private struct State {
    var standings: [String: Standing] = [:]
    /// Paths of what is played here.
    var used: Set<String> = []
    var goneHosts: [String: Setback] = [:]
    var stale: [String: String] = [:]
  }

  private let cache: RemoteCache?
  private let limits: FetchLimits
  private let clock: @Sendable () -> Int64
  private let state = Mutex(State())

  /// - Parameter clock: nanoseconds, by which is measured how fast a sound comes.
  init(
    cache: RemoteCache?, limits: FetchLimits = FetchLimits(),
    clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
  ) {
    (self.cache, self.limits, self.clock) = (cache, limits, clock)
  }

  /// Why an address is played from a copy of which nobody knows whether it is the newest; nil for all others.
  package func staleness(of address: String) -> String? { state.withLock { $0.stale[address] } }

  /// The same as long as its bytes are the same; nil for one that isn't there, or not all of it.
  package func content(of address: String) -> String? {
    if case .here(let card) = standing(of: address) { card.content } else { nil }
  }

  /// Whether there is a copy, of whatever age.
  package func hasCopy(of address: String) -> Bool { cache?.card(of: address) != nil }

  /// Whether some sound is still coming.
  package var isFetching: Bool {
    state.withLock { state in
      state.standings.values.contains { if case .coming = $0 { true } else { false } }
    }
  }

  /// Fetches several at once, and returns when nothing more is to come; what can't be fetched is told to those who ask
  /// for it.
  ///
  /// - Parameter takesArriving: whether those are left to come that can be played meanwhile.
  package func fetch(_ addresses: [String], takesArriving: Bool = false) {
    let rest = Mutex(ArraySlice(addresses))
    // What is still coming keeps its slot: more at once would take the network away from what plays. What has stopped
    // coming gives it back: nobody who waits for another one shall wait for its server, too.
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

  /// Why a sound can't be had; nil for one that is here now, or can be played as far as it is.
  package func problem(of address: String, takesArriving: Bool = false) -> SourceError? {
    do throws(SourceError) { _ = try file(of: address, takesArriving: takesArriving) } catch { return error }
    return nil
  }

  /// The sound's file, fetched if need be; errors name the address.
  ///
  /// - Parameter takesArriving: whether it may still be coming; then its `arriving` says so.
  func file(of address: String, takesArriving: Bool) throws(SourceError) -> RegularFile {
    let shown = SoundSource.withoutCredentials(address)
    do throws(FetchFailure) {
      guard let cache else { throw .notKept(cause: "there is no home folder; name one for it by XDG_CACHE_HOME") }
      if takesArriving, case .coming(let arrival) = begun(address, cache), let file = arrival.file(knownAs: shown) {
        return file
      }
      if let file = try? open(try card(of: address, cache), cache, as: shown) { return file }
      // Somebody has emptied the cache meanwhile.
      forget(address)
      return try open(try card(of: address, cache), cache, as: shown)
    } catch {
      throw .remote(address: shown, cause: error.cause)
    }
  }

  private func open(
    _ card: RemoteCache.Card, _ cache: RemoteCache, as shown: String
  ) throws(FetchFailure) -> RegularFile {
    do throws(SourceError) {
      let file = try RegularFile(path: cache.path(of: card), knownAs: shown)
      cache.touch(card)
      return file
    } catch { throw .notKept(cause: "its copy in \(cache.folder) is gone") }
  }

  private func standing(of address: String) -> Standing? { state.withLock { $0.standings[address] } }

  private func forget(_ address: String) {
    state.withLock { state in
      if case .here = state.standings[address] { state.standings[address] = nil }
    }
  }

  private func whenAtRest(_ address: String, _ body: @escaping @Sendable () -> Void) {
    guard case .coming(let arrival) = standing(of: address) else { return body() }
    arrival.whenAtRest(body)
  }

  private func card(of address: String, _ cache: RemoteCache) throws(FetchFailure) -> RemoteCache.Card {
    switch begun(address, cache) {
    case .coming(let arrival): return try arrival.card()
    case .here(let card): return card
    case .failed(let setback): throw setback.failure
    }
  }

  /// How it stands, once it is being fetched.
  private func begun(_ address: String, _ cache: RemoteCache) -> Standing {
    let arrival = Arrival(clock: clock)
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
    // A thread of its own, for whoever asks may be content with what has come by then.
    let work: @Sendable () -> Void = { [self] in bring(address, cache, arrival) }
    if !OSThread.start(work) { work() }
    return .coming(arrival)
  }

  private func bring(_ address: String, _ cache: RemoteCache, _ arrival: Arrival) {
    let outcome = Result { () throws(FetchFailure) in try ask(for: address, cache, arrival) }
    let standing: Standing =
      switch outcome {
      case .success(let card): .here(card)
      case .failure(let failure): .failed(Setback(failure: failure))
      }
    state.withLock { $0.standings[address] = standing }
    arrival.end(outcome)
  }

  /// Whatever the server says, a sound that is here is played: a session that was once whole stays so, without a network,
  /// and also when its sounds have moved.
  private func ask(
    for text: String, _ cache: RemoteCache, _ arrival: Arrival
  ) throws(FetchFailure) -> RemoteCache.Card {
    guard let address = RemoteAddress(text) else { throw .other(cause: "it is no http or https address") }
    try cache.prepare()
    let known = cache.card(of: text)
    do throws(FetchFailure) {
      return use(try fetch(address, text, cache, known, arrival), cache)
    } catch {
      guard let known else { throw error }
      return use(known, cache, error)
    }
  }

  private func fetch(
    _ address: RemoteAddress, _ text: String, _ cache: RemoteCache, _ known: RemoteCache.Card?, _ arrival: Arrival
  ) throws(FetchFailure) -> RemoteCache.Card {
    if let setback = state.withLock({ $0.goneHosts[address.host] }), setback.holds(for: Self.hostRespite) {
      throw setback.failure
    }
    do throws(FetchFailure) {
      return try RemoteFetch(address, text, cache, limits, arrival).card(known: known)
    } catch {
      if error.isHostGone { state.withLock { $0.goneHosts[address.host] = Setback(failure: error) } }
      throw error
    }
  }

  private func use(_ card: RemoteCache.Card, _ cache: RemoteCache, _ failure: FetchFailure? = nil) -> RemoteCache.Card {
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
