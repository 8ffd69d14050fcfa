import Signal

/// One sine within one block. Its first frame is computed from closed forms; each further frame is a complex rotation
/// of the one before it.
///
/// Rounding errors of the rotation stay within the block and can't accumulate.
struct Partial {
  /// The phase of the first frame, in turns.
  var phase: Double
  /// The frequency, in turns per frame.
  var step: Double
  /// The factor for the level from one frame to the next.
  var fall = 1.0
  /// The levels in the two channels at the first frame.
  var left: Double
  var right: Double
  /// What is added to the levels per frame, apart from `fall`.
  var leftSlope = 0.0
  var rightSlope = 0.0

  /// Adds the sine to the planes, four frames at a time.
  func add(to planes: PlanarBuffer) {
    var lanes = Rotation(re: cosine(cycles: phase), im: sine(cycles: phase)).lanes(by: rotation)
    let four = rotation.squared.squared
    let offsets = SIMD4<Double>(0, 1, 2, 3)
    var left = SIMD4(repeating: left) + offsets * leftSlope
    var right = SIMD4(repeating: right) + offsets * rightSlope
    for index in planes.left.indices {
      planes.left[index] += lanes.im * left
      planes.right[index] += lanes.im * right
      left += 4 * leftSlope
      right += 4 * rightSlope
      let re = lanes.re * four.re - lanes.im * four.im
      lanes.im = lanes.re * four.im + lanes.im * four.re
      lanes.re = re
    }
  }

  /// One frame's rotation and decay.
  private var rotation: Rotation { Rotation(re: fall * cosine(cycles: step), im: fall * sine(cycles: step)) }
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
