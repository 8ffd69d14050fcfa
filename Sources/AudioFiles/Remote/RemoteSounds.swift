import Dispatch
package import Engine
import Synchronization

/// The sounds of other machines: each is fetched once in a process's life, or found to be still the one in the cache.
/// Whoever asks for one that is being fetched waits for it; others don't.
package final class RemoteSounds: Sendable {
  /// Those of this process.
  package static let shared = RemoteSounds(cache: RemoteCache())

  /// One address. Whoever holds the lock asks the server.
  private final class Shelf: Sendable {
    let state = Mutex<(card: RemoteCache.Card?, failure: Setback?)>((nil, nil))
  }

  /// What has failed is not tried again at once: many may be waiting to ask the same.
  private struct Setback {
    var failure: FetchFailure
    var time = monotonicNow()

    func holds(for seconds: Int64) -> Bool { monotonicNow() - time < seconds * 1_000_000_000 }
  }

  /// Sounds that are fetched at once.
  private static let width = 4
  /// Seconds until an address, or another one of a host that does not answer, is tried again.
  private static let (respite, hostRespite): (Int64, Int64) = (5, 30)

  private struct State {
    var shelves: [String: Shelf] = [:]
    /// Paths of what is played here.
    var used: Set<String> = []
    var goneHosts: [String: Setback] = [:]
    var stale: [String: String] = [:]
  }

  private let cache: RemoteCache?
  private let limits: FetchLimits
  private let state = Mutex(State())

  init(cache: RemoteCache?, limits: FetchLimits = FetchLimits()) { (self.cache, self.limits) = (cache, limits) }

  /// Why an address is played from a copy of which nobody knows whether it is the newest; nil for all others.
  package func staleness(of address: String) -> String? { state.withLock { $0.stale[address] } }

  /// The same as long as its bytes are the same; nil for one that isn't there yet.
  package func content(of address: String) -> String? { shelf(of: address).state.withLock { $0.card?.content } }

  /// Whether there is a copy, of whatever age.
  package func hasCopy(of address: String) -> Bool { cache?.card(of: address) != nil }

  /// Fetches several at once, and returns when nothing more is to come; what can't be fetched is told to those who ask
  /// for it.
  package func fetch(_ addresses: [String]) {
    let rest = Mutex(ArraySlice(addresses))
    let group = DispatchGroup()
    let work: @Sendable () -> Void = { [self] in
      while let address = rest.withLock({ $0.popFirst() }) { _ = try? file(of: address) }
      group.leave()
    }
    for _ in 0..<min(Self.width, addresses.count) {
      group.enter()
      if !OSThread.start(work) { group.leave() }
    }
    group.wait()
  }

  /// Why a sound can't be had; nil for one that is here now.
  package func problem(of address: String) -> SourceError? {
    do throws(SourceError) { _ = try file(of: address) } catch { return error }
    return nil
  }

  /// The sound's file, fetched if need be; errors name the address.
  func file(of address: String) throws(SourceError) -> RegularFile {
    let shown = SoundSource.withoutCredentials(address)
    do throws(FetchFailure) {
      guard let cache else { throw .notKept(cause: "there is no home folder; name one for it by XDG_CACHE_HOME") }
      if let file = try? open(try card(of: address, cache), cache, as: shown) { return file }
      // Somebody has emptied the cache meanwhile.
      shelf(of: address).state.withLock { $0.card = nil }
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

  private func shelf(of address: String) -> Shelf {
    state.withLock { state in
      if let shelf = state.shelves[address] { return shelf }
      let shelf = Shelf()
      state.shelves[address] = shelf
      return shelf
    }
  }

  private func card(of address: String, _ cache: RemoteCache) throws(FetchFailure) -> RemoteCache.Card {
    try shelf(of: address).state.withLock { (shelf) throws(FetchFailure) in
      if let card = shelf.card { return card }
      if let setback = shelf.failure, setback.holds(for: Self.respite) { throw setback.failure }
      do throws(FetchFailure) {
        let card = try ask(for: address, cache)
        shelf.card = card
        return card
      } catch {
        shelf.failure = Setback(failure: error)
        throw error
      }
    }
  }

  /// Whatever the server says, a sound that is here is played: a session that was once whole stays so, without a network,
  /// and also when its sounds have moved.
  private func ask(for text: String, _ cache: RemoteCache) throws(FetchFailure) -> RemoteCache.Card {
    guard let address = RemoteAddress(text) else { throw .other(cause: "it is no http or https address") }
    try cache.prepare()
    let known = cache.card(of: text)
    do throws(FetchFailure) {
      return use(try fetch(address, text, cache, known), cache)
    } catch {
      guard let known else { throw error }
      return use(known, cache, error)
    }
  }

  private func fetch(
    _ address: RemoteAddress, _ text: String, _ cache: RemoteCache, _ known: RemoteCache.Card?
  ) throws(FetchFailure) -> RemoteCache.Card {
    if let setback = state.withLock({ $0.goneHosts[address.host] }), setback.holds(for: Self.hostRespite) {
      throw setback.failure
    }
    do throws(FetchFailure) {
      return try RemoteFetch(address, text, cache, limits).card(known: known)
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
