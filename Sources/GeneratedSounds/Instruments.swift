extension Instrument {
  /// A hammered bowl: six bending modes of the rim, at ratios near the squares of 2, 3, 4…, each a beating pair.
  static let bowl = Instrument(
    modes: [
      Mode(ratio: 1, level: 1, decay: 2.4, split: 0.0056),
      Mode(ratio: 2.76, level: 0.72, decay: 1.9, split: 0.0031),
      Mode(ratio: 5.17, level: 0.42, decay: 1.15, split: 0.0024),
      Mode(ratio: 8.11, level: 0.25, decay: 0.62, split: 0.0019),
      Mode(ratio: 11.6, level: 0.16, decay: 0.34, split: 0.0013),
      Mode(ratio: 15.5, level: 0.1, decay: 0.19),
    ], strikeNoise: 0.22, strikeDecay: 0.004)

  /// A large flat gong: a deep note, and many upper modes that build up after the strike.
  static let gong = Instrument(
    modes: [
      Mode(ratio: 1, level: 1, decay: 1.9, split: 0.004),
      Mode(ratio: 1.49, level: 0.55, decay: 1.7, split: 0.007),
      Mode(ratio: 2.02, level: 0.62, decay: 1.6, split: 0.005),
      Mode(ratio: 2.58, level: 0.5, decay: 1.45, split: 0.006, bloom: 0.05),
      Mode(ratio: 3.11, level: 0.46, decay: 1.35, split: 0.004, bloom: 0.07),
      Mode(ratio: 3.77, level: 0.42, decay: 1.2, bloom: 0.09),
      Mode(ratio: 4.36, level: 0.42, decay: 1.1, bloom: 0.11),
      Mode(ratio: 5.13, level: 0.4, decay: 1.05, bloom: 0.13),
      Mode(ratio: 5.91, level: 0.4, decay: 0.95, bloom: 0.15),
      Mode(ratio: 6.74, level: 0.38, decay: 0.9, bloom: 0.18),
      Mode(ratio: 7.83, level: 0.38, decay: 0.82, bloom: 0.2),
      Mode(ratio: 8.89, level: 0.36, decay: 0.76, bloom: 0.22),
      Mode(ratio: 10.27, level: 0.34, decay: 0.7, bloom: 0.25),
      Mode(ratio: 11.83, level: 0.32, decay: 0.62, bloom: 0.27),
      Mode(ratio: 13.61, level: 0.3, decay: 0.55, bloom: 0.28),
      Mode(ratio: 15.92, level: 0.28, decay: 0.5, bloom: 0.3),
      Mode(ratio: 18.67, level: 0.26, decay: 0.44, bloom: 0.3),
      Mode(ratio: 22.31, level: 0.22, decay: 0.38, bloom: 0.3),
      Mode(ratio: 27.43, level: 0.18, decay: 0.32, bloom: 0.28),
    ], strikeNoise: 0.12, strikeDecay: 0.008)

  /// A tuned bell: hum, prime, minor third, fifth, octave, and higher modes.
  static let bell = Instrument(
    modes: [
      Mode(ratio: 0.5, level: 0.5, decay: 0.75, split: 0.0014),
      Mode(ratio: 1, level: 0.9, decay: 0.6, split: 0.0017),
      Mode(ratio: 1.189, level: 0.7, decay: 0.5, split: 0.0012),
      Mode(ratio: 1.5, level: 0.3, decay: 0.38),
      Mode(ratio: 2, level: 1, decay: 0.42, split: 0.0008),
      Mode(ratio: 2.52, level: 0.3, decay: 0.26),
      Mode(ratio: 3.01, level: 0.5, decay: 0.24),
      Mode(ratio: 4.17, level: 0.45, decay: 0.17),
      Mode(ratio: 5.43, level: 0.32, decay: 0.12),
      Mode(ratio: 6.79, level: 0.22, decay: 0.09),
      Mode(ratio: 8.21, level: 0.15, decay: 0.07),
    ], strikeNoise: 0.16, strikeDecay: 0.0025)

  /// A hollow block of hard wood: few modes, which decay fast.
  static let wood = Instrument(
    modes: [
      Mode(ratio: 1, level: 1, decay: 0.048),
      Mode(ratio: 1.51, level: 0.5, decay: 0.03),
      Mode(ratio: 2.63, level: 0.5, decay: 0.018),
      Mode(ratio: 4.08, level: 0.35, decay: 0.011),
      Mode(ratio: 6.2, level: 0.22, decay: 0.007),
    ], strikeNoise: 0.5, strikeDecay: 0.003)
}
