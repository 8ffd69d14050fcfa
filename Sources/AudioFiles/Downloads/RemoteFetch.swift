import Engine

/// Downloads a sound into the cache, with retries. Runs on a thread of its own.
struct RemoteFetch {
  private let address: RemoteAddress
  /// The address as it is written in the session.
  private let text: String
  private let cache: RemoteCache
  private let limits: FetchLimits
  private let download: Download

  /// - Parameter download: is notified of the bytes of a sound that is not in the cache yet.
  init(_ address: RemoteAddress, _ text: String, _ cache: RemoteCache, _ limits: FetchLimits, _ download: Download) {
    self.address = address
    (self.text, self.cache, self.limits, self.download) = (text, cache, limits, download)
  }

  /// Downloads the sound, and waits until it is complete.
  ///
  /// - Parameter known: the copy in the cache; it is returned if the server has nothing newer.
  func download(known: RemoteCache.CacheEntry?) throws(FetchFailure) -> RemoteCache.CacheEntry {
    let part = try cache.part(of: text, limit: limits.bytes)
    // If there is a copy, a newer content can't be played before it is complete: if it turns out not to be a sound, the
    // copy is played instead.
    if known == nil { part.download = download }
    var fetch = newFetch
    var left = limits.attempts
    var failures = 0
    while true {
      let (before, peak) = (part.count, part.peak)
      left -= 1
      do throws(FetchFailure) {
        return try attempt(part, known, fetch)
      } catch {
        failures = peak < part.peak ? 0 : failures + 1
        let isPlayed = download.isReleased
        if isPlayed, error.isResumable, pause(part, after: failures) {
          fetch = newFetch
          continue
        }
        // A server that sends no new bytes is not asked again.
        if !isPlayed, error == .connectionLost, 0 < left, before < part.count { continue }
        if error.isResumable { part.keepForLater() }
        throw error
      }
    }
  }

  /// A request whose time limit begins now.
  private var newFetch: Fetch {
    Fetch(address: address, limits: limits, deadline: monotonicNanoseconds() + Int64(limits.timeout * 1e9))
  }

  /// Waits before a retry for a sound that is being played. The network may be available again before playback reaches
  /// the missing bytes.
  ///
  /// - Parameter failures: how many successive attempts have brought no new byte.
  /// - Returns: false if no new byte has arrived for `limits.stallTimeout` seconds.
  private func pause(_ part: PartFile, after failures: Int) -> Bool {
    let left = limits.stallTimeout - Double(monotonicNanoseconds() - part.peakTime) / 1e9
    guard 0 < left, let last = limits.retryDelays.last else { return false }
    download.paused()
    let pause = failures < limits.retryDelays.count ? limits.retryDelays[failures] : last
    // Nothing interrupts this wait. At exit, the process doesn't wait for this thread.
    WakeUp().wait(seconds: min(pause, left))
    return true
  }

  /// Makes one attempt: requests the sound, or only its missing bytes, and stores it.
  private func attempt(
    _ part: PartFile, _ known: RemoteCache.CacheEntry?, _ fetch: Fetch
  ) throws(FetchFailure) -> RemoteCache.CacheEntry {
    let ifChanged = known?.validators.ifChanged ?? []
    var status = try fetch.ask(ifChanged + part.resumeFields, to: part).status
    if status == 416, 0 < part.count {
      // The server has no bytes at this offset, so the stored bytes belong to another content.
      try part.restart()
      status = try fetch.ask(ifChanged, to: part).status
    }
    if status == 304, let known { return known }
    guard status == 200 || status == 206 else { throw .refused(status: status) }
    if let expectedLength = part.expectedLength, expectedLength != part.count { throw .connectionLost }
    return try keep(part, instead: known)
  }

  /// Stores a complete download.
  private func keep(_ part: PartFile, instead known: RemoteCache.CacheEntry?) throws(FetchFailure)
    -> RemoteCache.CacheEntry
  {
    // A network that requires a login answers every request with a page of its own, which must not replace the copy.
    guard known == nil || isSound(part) else { throw .other(cause: "the server no longer sends a sound file") }
    let entry = try cache.entry(for: part, of: text)
    try cache.keep(part, as: entry)
    return entry
  }

  private func isSound(_ part: PartFile) -> Bool {
    (try? openReader(RegularFile(path: part.path), scans: ScanCache())) != nil
  }
}
