import Engine

/// Downloads a sound into the cache, with retries. Runs on a thread of its own.
struct RemoteFetch {
  private let address: RemoteAddress
  /// The address as the session has it.
  private let text: String
  private let cache: RemoteCache
  private let limits: FetchLimits
  private let arrival: Download

  /// - Parameter arrival: informed about the bytes of a sound of which there is no copy yet.
  init(_ address: RemoteAddress, _ text: String, _ cache: RemoteCache, _ limits: FetchLimits, _ arrival: Download) {
    self.address = address
    (self.text, self.cache, self.limits, self.arrival) = (text, cache, limits, arrival)
  }

  /// Downloads the sound, and waits for its end.
  ///
  /// - Parameter known: the copy in the cache; it is used as long as the server has nothing newer.
  func card(known: RemoteCache.CacheEntry?) throws(FetchFailure) -> RemoteCache.CacheEntry {
    let part = try cache.part(of: text, limit: limits.bytes)
    // A newer content may turn out not to be a sound. Then the old copy is played, so the new one must not be played
    // before.
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
        if isPlayed, error.mayGoOn, pause(part, after: vain) {
          fetch = newFetch
          continue
        }
        // A server that brings nothing new is not asked again and again.
        if !isPlayed, error == .brokenOff, 0 < left, before < part.count { continue }
        if error.mayGoOn { part.keepForLater() }
        throw error
      }
    }
  }

  /// A request with the full time limit.
  private var newFetch: Fetch {
    Fetch(address: address, limits: limits, deadline: monotonicNanoseconds() + Int64(limits.total * 1e9))
  }

  /// Waits before a retry of a sound that is being played: the network may be back before playback reaches the missing
  /// bytes.
  ///
  /// - Parameter vain: how many tries in a row have brought no new byte.
  /// - Returns: false if no new byte has arrived for `limits.silence` seconds.
  private func pause(_ part: PartFile, after vain: Int) -> Bool {
    let left = limits.silence - Double(monotonicNanoseconds() - part.peakTime) / 1e9
    guard 0 < left, let last = limits.pauses.last else { return false }
    arrival.rest()
    let pause = vain < limits.pauses.count ? limits.pauses[vain] : last
    // Nothing interrupts the wait: the process exits without waiting for this thread.
    WakeUp().wait(seconds: min(pause, left))
    return true
  }

  /// One try: requests the sound or its missing rest, and stores it.
  private func go(
    _ part: PartFile, _ known: RemoteCache.CacheEntry?, _ fetch: Fetch
  ) throws(FetchFailure) -> RemoteCache.CacheEntry {
    let ifChanged = known?.validators.ifChanged ?? []
    var status = try fetch.ask(ifChanged + part.wish, to: part).status
    if status == 416, 0 < part.count {
      // The server has no bytes after those that are there, so they are not part of its content.
      try part.restart()
      status = try fetch.ask(ifChanged, to: part).status
    }
    if status == 304, let known { return known }
    guard status == 200 || status == 206 else { throw .refused(status: status) }
    if let promised = part.promised, promised != part.count { throw .brokenOff }
    return try keep(part, instead: known)
  }

  /// Stores a complete download.
  private func keep(_ part: PartFile, instead known: RemoteCache.CacheEntry?) throws(FetchFailure)
    -> RemoteCache.CacheEntry
  {
    // Networks that require a login answer every request with a page of their own.
    guard known == nil || isSound(part) else { throw .other(cause: "the server no longer sends a sound file") }
    let card = try cache.card(for: part, of: text)
    try cache.keep(part, as: card)
    return card
  }

  private func isSound(_ part: PartFile) -> Bool {
    (try? openReader(RegularFile(path: part.path), scans: ScanCache())) != nil
  }
}
