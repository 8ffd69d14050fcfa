// Sine and exponential function that use only sums, products and quotients, so that a recipe gives the same samples on
// every machine. The C library selects a variant for the processor, and the variants differ in their last bits.

/// sin(2πt) for any number t of cycles. The error is below 1e-13 for small t.
func sine(cycles: Double) -> Double {
  var t = cycles - cycles.rounded()
  if 0.25 < t { t = 0.5 - t }
  if t < -0.25 { t = -0.5 - t }
  let x = t * 6.28318530717958647693
  let s = x * x
  let top: Double = 1.0 / 6_227_020_800 + s * (-1.0 / 1_307_674_368_000 + s * (1.0 / 355_687_428_096_000))
  let high: Double = 1.0 / 362_880 + s * (-1.0 / 39_916_800 + s * top)
  let low: Double = -1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5_040 + s * high))
  return x * (1 + s * low)
}

/// cos(2πt) for any number t of cycles.
func cosine(cycles: Double) -> Double { sine(cycles: cycles - cycles.rounded() + 0.25) }

/// eˣ; exactly 0 below x = −700, and limited to e⁷⁰⁰ above.
func exponential(_ x: Double) -> Double {
  if x < -700 { return 0 }
  let bounded = min(x, 700)
  // eˣ = 2^whole · eʳ with |r| ≤ ln(2)/2, where a Taylor polynomial of degree 13 is accurate.
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

/// 3p² − 2p³: rises from 0 to 1 and is flat at both ends; p is clamped to 0…1.
func smoothStep(_ p: Double) -> Double {
  let p = max(0, min(1, p))
  return p * p * (3 - 2 * p)
}

/// The amplitude 10^(dB/20) of a level in decibels; full scale is 0 dB.
func amplitude(decibels: Double) -> Double { exponential(decibels * 0.11512925464970228420) }
