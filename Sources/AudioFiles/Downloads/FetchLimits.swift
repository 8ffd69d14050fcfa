/// Limits for downloads.
struct FetchLimits: Sendable {
  /// Seconds to establish a connection.
  var connecting = 10.0
  /// Whole seconds with less than `slowest` bytes per second, after which a transfer fails.
  var stalling = 20
  /// Bytes per second.
  var slowest = 64
  /// Seconds for the whole download, including retries, as long as nothing of it is being played.
  var total = 3_600.0
  /// Seconds without a new byte after which the download of a sound that is being played is given up.
  var silence = 3_600.0
  /// Seconds before each retry without a new byte, for a sound that is being played; the last one repeats.
  var pauses = [0.5, 1, 2, 4, 8, 15]
  /// The most bytes of one sound.
  var bytes: Int64 = 2 << 30
  /// The most redirections of one request.
  var redirects = 5
  /// The most tries of one download, as long as nothing of it is being played.
  var attempts = 5
}
