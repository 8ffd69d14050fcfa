/// Detects where sound stops abruptly and zeros follow. libFLAC delivers zeros for missing blocks, and reports no
/// error.
struct TruncationDetector {
  private let channels: Int
  /// Whether the last frame of the previous call was audible.
  private var isSounding = false

  /// The distance between two frames that are checked; less than the block lengths of all encoders.
  private static let stride = 128
  /// 80 dB below full scale. If sound stops at this level, there is no click.
  private static let quiet: Float = 1e-4

  init(channels: Int) { self.channels = channels }

  /// Whether audible sound is followed directly by zeros in these frames. They follow those of the previous call.
  mutating func breaksOff(in samples: UnsafeMutablePointer<Float>, frames: Int) -> Bool {
    guard frames > 0 else { return false }
    let peak = { [channels] (frame: Int) in
      (0..<channels).reduce(Float(0)) { max($0, abs(samples[frame * channels + $1])) }
    }
    let wasSounding = isSounding
    isSounding = Self.quiet < peak(frames - 1)
    for frame in Swift.stride(from: Self.stride - 1, to: frames + Self.stride - 1, by: Self.stride) {
      var start = min(frame, frames - 1)
      guard peak(start) == 0 else { continue }
      while start > 0, peak(start - 1) == 0 { start -= 1 }
      if start > 0 ? Self.quiet < peak(start - 1) : wasSounding { return true }
    }
    return false
  }
}
