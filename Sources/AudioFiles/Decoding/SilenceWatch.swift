/// Notices where sound breaks off into zeros, as where libFLAC puts them in the place of blocks that are missing, which it
/// tells nobody.
struct SilenceWatch {
  private let channels: Int
  /// Whether the frame before the next ones is sound.
  private var isSounding = false

  /// Frames between two that are looked at: fewer than those of the blocks that encoders make.
  private static let stride = 128
  /// 80 dB below full scale: what breaks off there is no click.
  private static let quiet: Float = 1e-4

  init(channels: Int) { self.channels = channels }

  /// Whether zeros follow on sound somewhere in these frames, which come behind those of the call before.
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
