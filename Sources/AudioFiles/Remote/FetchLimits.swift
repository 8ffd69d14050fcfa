/// What a server may cost.
struct FetchLimits: Sendable {
  /// Seconds until a connection stands.
  var connecting = 10.0
  /// Seconds without a stream of `slowest` bytes a second, whole ones.
  var stalling = 20
  var slowest = 64
  /// Seconds in all, however often a fetch is taken up again.
  var total = 3_600.0
  /// Of one sound.
  var bytes: Int64 = 2 << 30
  var redirects = 5
  /// How often it may break off and go on.
  var attempts = 5
}
