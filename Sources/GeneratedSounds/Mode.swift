/// One vibration mode of a struck body.
struct Mode: Sendable {
  /// Its frequency as a multiple of the sound's pitch.
  var ratio: Double
  /// Its level relative to the instrument's other modes, for a strike that is hard enough to excite all modes equally.
  var level: Double
  /// Seconds in which the level falls to 1/e.
  var decay: Double
  /// The difference between the frequencies of the mode's two sines, relative to the mode's frequency; 0 for one sine.
  /// No real body is perfectly round, so most modes are pairs of sines that beat.
  var split = 0.0
  /// Seconds in which the mode builds up after the strike; 0 if the strike itself excites it.
  var bloom = 0.0
}

/// A body that can be struck: its modes and the noise of the strike.
struct Instrument: Sendable {
  var modes: [Mode]
  /// Level of the strike's noise relative to the modes.
  var strikeNoise: Double
  /// Seconds in which the strike's noise falls to 1/e.
  var strikeDecay: Double

  /// Seconds until the longest mode has fallen by 94 dB.
  ///
  /// - Parameter decay: the factor of the setting with that name.
  func length(decay: Double) -> Double {
    10.8 * decay * (modes.map(\.decay).max() ?? 0)
  }
}
