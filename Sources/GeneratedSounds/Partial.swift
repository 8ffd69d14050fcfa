import Signal

/// One sine within one block. Its first frame is computed in closed form; each further frame is a complex rotation of
/// the frame before it. Rounding errors can't accumulate, because each block starts from a closed form again.
struct Partial {
  /// The phase of the first frame, in cycles.
  var phase: Double
  /// The frequency in cycles per frame.
  var step: Double
  /// The factor by which the level decays from one frame to the next.
  var decay = 1.0
  /// The levels in the two channels at the first frame.
  var left: Double
  var right: Double
  /// What is added to the levels per frame, before `decay` is applied.
  var leftSlope = 0.0
  var rightSlope = 0.0

  /// Adds the sine to the buffer, four frames at a time.
  func add(to buffer: PlanarBuffer) {
    var lanes = Rotation(re: cosine(cycles: phase), im: sine(cycles: phase)).lanes(by: rotation)
    let four = rotation.squared.squared
    let offsets = SIMD4<Double>(0, 1, 2, 3)
    var left = SIMD4(repeating: left) + offsets * leftSlope
    var right = SIMD4(repeating: right) + offsets * rightSlope
    for index in buffer.left.indices {
      buffer.left[index] += lanes.im * left
      buffer.right[index] += lanes.im * right
      left += 4 * leftSlope
      right += 4 * rightSlope
      let re = lanes.re * four.re - lanes.im * four.im
      lanes.im = lanes.re * four.im + lanes.im * four.re
      lanes.re = re
    }
  }

  /// One frame's rotation and decay.
  private var rotation: Rotation { Rotation(re: decay * cosine(cycles: step), im: decay * sine(cycles: step)) }
}

/// A complex number: a rotation, scaled by a factor.
private struct Rotation {
  var re: Double
  var im: Double

  static func * (a: Rotation, b: Rotation) -> Rotation {
    Rotation(re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re)
  }

  var squared: Rotation { self * self }

  /// This number, and the results of rotating it once, twice and three times.
  func lanes(by rotation: Rotation) -> (re: SIMD4<Double>, im: SIMD4<Double>) {
    let second = self * rotation
    let third = second * rotation
    let fourth = third * rotation
    return (SIMD4(re, second.re, third.re, fourth.re), SIMD4(im, second.im, third.im, fourth.im))
  }
}
