// Sine and exponential from sums, products and quotients alone. The C library picks its variants by processor, and
// their last bits differ; a recipe has to give the same samples on every machine.

/// sin(2πt) for t in turns of any size; the error is below 1e-13 for small t.
func sine(turns: Double) -> Double {
  var t = turns - turns.rounded()
  if 0.25 < t { t = 0.5 - t }
  if t < -0.25 { t = -0.5 - t }
  let x = t * 6.28318530717958647693
  let s = x * x
  let top: Double = 1.0 / 6_227_020_800 + s * (-1.0 / 1_307_674_368_000 + s * (1.0 / 355_687_428_096_000))
  let high: Double = 1.0 / 362_880 + s * (-1.0 / 39_916_800 + s * top)
  let low: Double = -1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5_040 + s * high))
  return x * (1 + s * low)
}

/// cos(2πt), t in turns.
func cosine(turns: Double) -> Double { sine(turns: turns - turns.rounded() + 0.25) }

/// eˣ; exactly 0 below x = −700, bounded at e⁷⁰⁰ above.
func exponential(_ x: Double) -> Double {
  if x < -700 { return 0 }
  let bounded = min(x, 700)
  let whole = (bounded * 1.44269504088896340736).rounded()
  let r = bounded - whole * 0.69314718055994530942
  var sum = 1.0
  var divisor = 13.0
  while 0 < divisor {
    sum = 1 + sum * r / divisor
    divisor -= 1
  }
  return sum * Double(sign: .plus, exponent: Int(whole), significand: 1)
}

/// 3p² − 2p³, level at both ends; p is clamped to 0…1.
func smoothStep(_ p: Double) -> Double {
  let p = max(0, min(1, p))
  return p * p * (3 - 2 * p)
}

/// The amplitude of a level in decibels, 10^(dB/20).
func amplitude(decibels: Double) -> Double { exponential(decibels * 0.11512925464970228420) }
