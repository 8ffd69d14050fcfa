/// How often a requested sound had been opened in advance.
package struct CacheFigures: Sendable, Hashable, Decodable {
  /// Requests for a sound that was open or being opened.
  package var hits = 0
  package var misses = 0
  package var preloadSuccesses = 0
  package var preloadFailures = 0
  /// How often the cache was cleared, by command or because memory was short.
  package var clears = 0

  /// 0…1; 0 if nothing was requested.
  package var hitRate: Double { Self.share(hits, of: hits + misses) }
  /// 0…1; 0 if nothing was preloaded.
  package var preloadSuccessRate: Double { Self.share(preloadSuccesses, of: preloadSuccesses + preloadFailures) }

  private static func share(_ part: Int, of whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
}
