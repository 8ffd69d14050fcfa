/// What a server may cost.
struct FetchLimits: Sendable {
  /// Seconds until a connection stands.
  var connecting = 10.0
  /// Seconds without a stream of `slowest` bytes a second, whole ones.
  var stalling = 20
  var slowest = 64
  /// Seconds in all, however often a fetch is taken up again, while nobody plays what has come.
  var total = 3_600.0
  /// Seconds without a new byte until one that is being played is given up.
  var silence = 3_600.0
  /// Seconds before each try that follows one without a new byte, while it is being played; the last holds for all more.
  var pauses = [0.5, 1, 2, 4, 8, 15]
  /// Of one sound.
  var bytes: Int64 = 2 << 30
  var redirects = 5
  /// How often it may break off and go on, while nobody plays what has come.
  var attempts = 5
}
