/// Mixes more than two channels down to stereo with the coefficients of ITU-R BS.775.
///
/// Centre and surround channels are added at −3 dB; the low-frequency channel is omitted. Both sides are scaled by the
/// same factor, the reciprocal of the larger sum of coefficients, so the result never exceeds full scale if no input
/// does.
struct Downmix {
  /// One coefficient per channel.
  private let left: [Float]
  private let right: [Float]

  /// - Parameter roles: one for each channel, in order.
  init(_ roles: [ChannelRole]) {
    let left = roles.map(Self.leftShare)
    let right = roles.map { Self.leftShare(of: $0.mirrored) }
    let sum = max(left.reduce(0, +), right.reduce(0, +))
    let scale = sum > 0 ? 1 / sum : 0
    self.left = left.map { $0 * scale }
    self.right = right.map { $0 * scale }
  }

  /// Mixes `frames` interleaved frames of `source` down to as many interleaved stereo frames in `target`.
  func apply(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, frames: Int) {
    let channels = left.count
    for frame in 0..<frames {
      var sums = (left: Float(0), right: Float(0))
      for channel in 0..<channels {
        let sample = source[frame * channels + channel]
        sums.left += sample * left[channel]
        sums.right += sample * right[channel]
      }
      target[2 * frame] = sums.left
      target[2 * frame + 1] = sums.right
    }
  }

  private static func leftShare(of role: ChannelRole) -> Float {
    let halfPower = Float(0.5).squareRoot()
    return switch role {
    case .left: 1
    case .center, .surroundLeft, .unknown: halfPower
    case .surroundCenter: 0.5
    case .right, .surroundRight, .lowFrequency: 0
    }
  }
}

extension ChannelRole {
  fileprivate var mirrored: ChannelRole {
    switch self {
    case .left: .right
    case .right: .left
    case .surroundLeft: .surroundRight
    case .surroundRight: .surroundLeft
    default: self
    }
  }
}
