import Engine

/// Brings a sound into the cache, in as many goes as it takes.
struct RemoteFetch {
  private let address: RemoteAddress
  /// The address as the session has it.
  private let text: String
  private let cache: RemoteCache
  private let limits: FetchLimits
  private let arrival: Arrival

  /// - Parameter arrival: told what comes of a sound of which there is no copy yet.
  init(_ address: RemoteAddress, _ text: String, _ cache: RemoteCache, _ limits: FetchLimits, _ arrival: Arrival) {
    self.address = address
    (self.text, self.cache, self.limits, self.arrival) = (text, cache, limits, arrival)
  }

  /// - Parameter known: what is in the cache already, and stays there while the server has nothing newer.
  func card(known: RemoteCache.Card?) throws(FetchFailure) -> RemoteCache.Card {
    let part = try cache.part(of: text, limit: limits.bytes)
    // A newer one may turn out to be no sound; then the old one is played, and nothing of the newer one must have been.
    if known == nil { part.arrival = arrival }
    var fetch = newFetch
    var left = limits.attempts
    var vain = 0
    while true {
      let (before, peak) = (part.count, part.peak)
      left -= 1
      do throws(FetchFailure) {
        return try go(part, known, fetch)
      } catch {
        vain = peak < part.peak ? 0 : vain + 1
        let isPlayed = arrival.isReleased
        if isPlayed, error.mayGoOn, pause(part, behind: vain) {
          fetch = newFetch
          continue
        }
        // A server that brings nothing new each time would be asked for ever.
        if !isPlayed, error == .brokenOff, 0 < left, before < part.count { continue }
        if error.mayGoOn { part.keepForLater() }
        throw error
      }
    }
  }

  private var newFetch: Fetch {
    Fetch(address: address, limits: limits, deadline: monotonicNanoseconds() + Int64(limits.total * 1e9))
  }

  /// Somebody plays what is here, and may not have come to its end before a network that is gone is back.
  ///
  /// - Parameter vain: how many tries have brought nothing new, one after the other.
  /// - Returns: false when nothing has come for too long.
  private func pause(_ part: PartFile, behind vain: Int) -> Bool {
    let left = limits.silence - Double(monotonicNanoseconds() - part.peakTime) / 1e9
    guard 0 < left, let last = limits.pauses.last else { return false }
    arrival.rest()
    let pause = vain < limits.pauses.count ? limits.pauses[vain] : last
    // Nobody calls it: the process ends without asking this thread.
    WakeUp().wait(seconds: min(pause, left))
    return true
  }

  private func go(
    _ part: PartFile, _ known: RemoteCache.Card?, _ fetch: Fetch
  ) throws(FetchFailure) -> RemoteCache.Card {
    let ifChanged = known?.validators.ifChanged ?? []
    var status = try fetch.ask(ifChanged + part.wish, to: part).status
    if status == 416, 0 < part.count {
      // Nothing comes behind what is here: it is no part of what the server has.
      try part.restart()
      status = try fetch.ask(ifChanged, to: part).status
    }
    if status == 304, let known { return known }
    guard status == 200 || status == 206 else { throw .refused(status: status) }
    if let promised = part.promised, promised != part.count { throw .brokenOff }
    return try keep(part, instead: known)
  }

  private func keep(_ part: PartFile, instead known: RemoteCache.Card?) throws(FetchFailure) -> RemoteCache.Card {
    // Networks that want one to log in answer every address with a page of theirs.
    guard known == nil || isSound(part) else { throw .other(cause: "the server sends no sound file any longer") }
    let card = try cache.card(for: part, of: text)
    try cache.keep(part, as: card)
    return card
  }

  private func isSound(_ part: PartFile) -> Bool {
    (try? openReader(RegularFile(path: part.path), scans: ScanCache())) != nil
  }
}
