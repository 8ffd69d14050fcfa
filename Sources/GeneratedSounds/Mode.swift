/// One way in which a struck body swings.
struct Mode: Sendable {
  /// Its frequency, as a multiple of the sound's pitch.
  var ratio: Double
  /// Relative to the instrument's other modes, when it is struck so hard that all are excited alike.
  var level: Double
  /// Seconds in which it falls to 1/e.
  var decay: Double
  /// How far apart the two sines of the mode lie, relative to its frequency: no body is quite round. 0 for one sine.
  var split = 0.0
  /// Seconds in which the mode builds up out of the others; 0 when the strike itself excites it.
  var bloom = 0.0
}

/// What is struck, and how it answers.
struct Instrument: Sendable {
  var modes: [Mode]
  /// Level of the strike's own noise, relative to the modes.
  var knock: Double
  /// Seconds in which the strike's noise falls to 1/e.
  var knockDecay: Double

  /// Seconds until the longest mode has fallen by 94 dB.
  func length(decay: Double) -> Double {
    10.8 * decay * (modes.map(\.decay).max() ?? 0)
  }
}
