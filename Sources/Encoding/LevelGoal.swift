import Levels
import Signal

/// What one gain gives a file that is levelled.
enum LevelGoal: Hashable {
  /// In LUFS.
  case loudness(Double)
  /// The root mean square of all samples in dBFS.
  case rms(Double)
  /// Nothing: only its peaks are limited.
  case peak

  /// The gains in decibels with which a limiter still leaves something of a sound.
  static let gains = -100.0...60.0

  init(_ delivery: Delivery) {
    self = delivery.loudness.map { .loudness($0) } ?? delivery.rms.map { .rms($0) } ?? .peak
  }

  /// How much louder a sound must become, in decibels; infinite for silence.
  func distance(from levels: SoundLevels) -> Double {
    switch self {
    case .loudness(let target): target - levels.integrated
    case .rms(let target): target - levels.rms
    case .peak: 0
    }
  }

  /// The goal in words.
  var text: String {
    switch self {
    case .loudness(let target): "\(Level.text(target)) LUFS"
    case .rms(let target): "an RMS of \(Level.text(target)) dBFS"
    case .peak: "the true peak"
    }
  }

  /// What a sound has of it, in words.
  func text(of levels: SoundLevels) -> String {
    switch self {
    case .loudness: "\(Level.text(levels.integrated)) LUFS"
    case .rms: "\(Level.text(levels.rms)) dBFS"
    case .peak: "\(Level.text(levels.truePeak ?? levels.samplePeak)) dBTP"
    }
  }
}
