/// Folds more than two channels down to stereo by the coefficients of ITU-R BS.775.
///
/// Centre and surrounds come in at −3 dB, the low frequency channel is left out. Both sides are then scaled by one factor,
/// the reciprocal of the larger side's sum of coefficients: no signal within full scale leaves it, and nothing is limited.
struct Fold {
  private let left: [Float]
  private let right: [Float]

  init(_ roles: [ChannelRole]) {
    let left = roles.map(Self.leftShare)
    let right = roles.map { Self.leftShare(of: $0.mirrored) }
    let sum = max(left.reduce(0, +), right.reduce(0, +))
    let scale = sum > 0 ? 1 / sum : 0
    self.left = left.map { $0 * scale }
    self.right = right.map { $0 * scale }
  }

  /// Folds `frames` interleaved frames of `source` into as many stereo frames of `target`.
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
