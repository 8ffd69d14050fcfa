/// How often a requested sound had been opened in advance.
public struct CacheFigures: Sendable, Hashable, Decodable {
  /// Requests for a sound that was open or being opened.
  public var hits = 0
  /// Requests for another sound.
  public var misses = 0
  /// Sounds that were opened in advance.
  public var preloadSuccesses = 0
  /// Sounds that could not be opened in advance.
  public var preloadFailures = 0
  /// How often the cache was cleared, by command or because memory was short.
  public var clears = 0

  /// 0…1; 0 if nothing was requested.
  public var hitRate: Double { Self.share(hits, of: hits + misses) }
  /// 0…1; 0 if nothing was preloaded.
  public var preloadSuccessRate: Double { Self.share(preloadSuccesses, of: preloadSuccesses + preloadFailures) }

  private static func share(_ part: Int, of whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
}
