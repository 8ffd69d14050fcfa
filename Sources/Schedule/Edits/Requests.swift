package import Signal
package import Sounds

/// A sound in a command. It is resolved to a source, but not opened yet.
package struct Cue: Sendable, Hashable, Codable {
  package var source: SoundSource
  package var title: String
  package var gain: Gain

  package init(source: SoundSource, title: String, gain: Gain) {
    self.source = source
    self.title = title
    self.gain = gain
  }
}

/// A command's request to start an overlay. Times are in seconds.
package struct OverlayRequest: Sendable, Hashable, Codable {
  package typealias Times = Programme.Times

  package var cue: Cue
  /// Seconds of the fade-in and of the fade-out.
  package var fadeIn: Double
  package var fadeOut: Double
  package var curve: FadeCurve
  package var times: Times
  /// Seconds of silence between two repeats.
  package var delay: Double
  package var ducking: Ducking?
  /// The overlay plays in addition to the current one instead of replacing it.
  package var isLayer: Bool

  /// How the music is lowered while the overlay plays. Times are in seconds.
  package struct Ducking: Sendable, Hashable, Codable {
    /// Gain of the music while the overlay plays.
    package var depth: Gain
    package var attack: Double
    package var release: Double

    package init(depth: Gain, attack: Double, release: Double) {
      self.depth = depth
      self.attack = attack
      self.release = release
    }
  }

  /// All its times.
  var seconds: [Double] { [fadeIn, fadeOut, delay, ducking?.attack ?? 0, ducking?.release ?? 0] }

  package init(
    cue: Cue, fadeIn: Double = 0, fadeOut: Double = 0, curve: FadeCurve = .linear, times: Times = .times(1),
    delay: Double = 0, ducking: Ducking? = nil, isLayer: Bool = false
  ) {
    self.cue = cue
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.curve = curve
    self.times = times
    self.delay = delay
    self.ducking = ducking
    self.isLayer = isLayer
  }
}
