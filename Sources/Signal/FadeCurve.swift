/// The shape of a fade: gain as a function of progress 0…1. A fade-out is the same curve at 1 − progress.
///
/// The curves use only sums, products and quotients, so every machine with IEEE 754 arithmetic computes the same bits.
@frozen public enum FadeCurve: String, CaseIterable, Sendable, Hashable, Codable, BitwiseCopyable {
  /// sin(πp/2): in² + out² = 1, so two unrelated sounds keep their loudness through a crossfade.
  case equalPower
  /// p: in + out = 1, so a sound that is crossfaded into itself keeps its level.
  case linear
  /// log10(9p + 1): rises fast; meant for fade-ins from silence.
  case logarithmic
  /// p²: falls fast; meant for fade-outs.
  case exponential
  /// 3p² − 2p³: flat at both ends.
  case sCurve

  /// The gain at `progress`, which is clamped to 0…1; exactly 0 at 0 and exactly 1 at 1. NaN counts as 0.
  @inlinable @_noLocks public func gain(at progress: Double) -> Float {
    if progress >= 1 { return 1 }
    // Not `progress <= 0`, which is false for NaN.
    if !(progress > 0) { return 0 }
    switch self {
    case .equalPower: return Float(sineOfQuarterTurns(progress))
    case .linear: return Float(progress)
    case .logarithmic: return Float(naturalLogarithm(9 * progress + 1) * 0.43429448190325182765)
    case .exponential: return Float(progress * progress)
    case .sCurve: return Float(progress * progress * (3 - 2 * progress))
    }
  }
}

/// sin(πp/2) for p in 0…1, as a Taylor series up to the 15th power; the error is below 5e-11.
@inlinable @_noLocks func sineOfQuarterTurns(_ p: Double) -> Double {
  let x = p * 1.57079632679489661923
  let s = x * x
  let high: Double = -1.0 / 39_916_800 + s * (1.0 / 6_227_020_800 - s / 1_307_674_368_000)
  let low: Double = 1.0 / 120 + s * (-1.0 / 5_040 + s * (1.0 / 362_880 + s * high))
  return x * (1 + s * (-1.0 / 6 + s * low))
}

/// ln(y) for y in 1…10: y is halved until it is near 1, then 2·artanh((m − 1)/(m + 1)) is summed up to the 13th power.
@inlinable @_noLocks func naturalLogarithm(_ y: Double) -> Double {
  var m = y
  var whole = 0.0
  while 1.41421356237309504880 < m {
    m *= 0.5
    whole += 0.69314718055994530942
  }
  let t = (m - 1) / (m + 1)
  let s = t * t
  let series: Double = 1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11 + s / 13))
  return whole + 2 * t * (1 + s * (1.0 / 3 + s * (1.0 / 5 + s * series)))
}
