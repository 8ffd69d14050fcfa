/// Time limits and size limits of downloads.
struct FetchLimits: Sendable {
  /// Seconds to establish a connection.
  var connectTimeout = 10.0
  /// A transfer fails after this many whole seconds with less than `lowSpeedLimit` bytes per second.
  var lowSpeedTime = 20
  /// Bytes per second.
  var lowSpeedLimit = 64
  /// Seconds for the whole download, including retries, while none of it is being played.
  var timeout = 3_600.0
  /// Seconds without a new byte after which a download that is being played fails.
  var stallTimeout = 3_600.0
  /// For a download that is being played: seconds before each retry that follows attempts without a new byte. The last
  /// value is used for all further retries.
  var retryDelays = [0.5, 1, 2, 4, 8, 15]
  /// The maximum size of a sound in bytes.
  var bytes: Int64 = 2 << 30
  /// The maximum number of redirections of a request.
  var redirects = 5
  /// The maximum number of attempts for a download while none of it is being played.
  var attempts = 5
}
