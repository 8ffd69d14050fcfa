/// The measured speed of a download. It decides whether playback may start before the download is complete.
struct DownloadRate: Hashable {
  /// Bytes that have arrived since the measurement began.
  var bytes: Int64
  /// The duration of the measurement in nanoseconds.
  var nanoseconds: Int64
  /// All bytes that have arrived, counted from the content's beginning.
  var here: Int64

  /// The shortest measurement, in bytes or in nanoseconds: a shorter one would say little about the speed of the rest.
  private static let (leastBytes, leastNanoseconds): (Int64, Int64) = (256 << 10, 500_000_000)
  /// How many times faster than playback the download must be, and how many seconds of sound must have arrived. These
  /// margins cover slow and interrupted transfers.
  private static let (speedFactor, reserve) = (2.0, 2.0)

  /// Whether playback won't catch up with the download.
  ///
  /// - Parameter rate: bytes per second of playback.
  func outruns(_ rate: Double) -> Bool {
    guard Self.leastBytes <= bytes || Self.leastNanoseconds <= nanoseconds else { return false }
    return Self.speedFactor * rate * Double(nanoseconds) / 1e9 <= Double(bytes) && Self.reserve * rate <= Double(here)
  }
}
