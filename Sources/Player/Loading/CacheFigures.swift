/// How often what was asked for was open already: a value.
public struct CacheFigures: Sendable, Hashable, Decodable {
  /// Asked for, and open already or about to be.
  public var hits = 0
  public var misses = 0
  public var preloadSuccesses = 0
  public var preloadFailures = 0
  /// How often everything was released: by command, or because memory was short.
  public var clears = 0

  public init() {}

  /// 0…1; 0 where nothing was asked for.
  public var hitRate: Double { Self.share(hits, of: hits + misses) }
  /// 0…1; 0 where nothing was preloaded.
  public var preloadSuccessRate: Double { Self.share(preloadSuccesses, of: preloadSuccesses + preloadFailures) }

  private static func share(_ part: Int, of whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
}
