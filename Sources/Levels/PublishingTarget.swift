import Signal

/// What a place of publication asks of a file: loudness, peaks and format.
public struct PublishingTarget: Sendable, Hashable {
  /// The name on the command line.
  public var name: String
  /// What it is for, as a phrase.
  public var summary: String
  /// The integrated loudness in LUFS; nil for any.
  public var loudness: Double?
  /// How far a file may be from that loudness, in LU.
  public var tolerance = 0.5
  /// The root mean square in dBFS to which a file is levelled; nil for any.
  public var rms: Double?
  /// The accepted root mean squares in dBFS; nil for any.
  public var rmsRange: ClosedRange<Double>?
  /// The largest true peak in dBTP; nil for any.
  public var truePeak: Double?
  /// The largest magnitude of a sample in dBFS; nil for any.
  public var samplePeak: Double?
  /// The loudest noise floor in dBFS; nil for any.
  public var noiseFloor: Double?
  /// The number of channels; nil for any.
  public var channels: Int?
  /// The sample rate in hertz; nil for any.
  public var sampleRate: Int?
  /// The constant bit rate of an MP3 file in bits per second; nil for any format.
  public var mp3BitRate: Int?

  private init(_ name: String, _ summary: String, loudness: Double? = nil, within tolerance: Double = 0.5) {
    (self.name, self.summary, self.loudness, self.tolerance) = (name, summary, loudness, tolerance)
  }
}

extension PublishingTarget {
  /// All targets.
  public static let all = [podcast, podcastMono, acx, ebu, insightTimer]

  /// The target with a name; nil if there is none.
  public init?(name: String) {
    guard let target = Self.all.first(where: { $0.name == name }) else { return nil }
    self = target
  }

  private static let podcast = Self("podcast", "podcasts in stereo", loudness: -16, within: 1).with { $0.truePeak = -1 }

  private static let podcastMono = Self("podcast-mono", "podcasts in mono", loudness: -19, within: 1).with {
    ($0.truePeak, $0.channels) = (-1, 1)
  }

  private static let acx = Self("acx", "audiobooks at ACX").with {
    ($0.rms, $0.rmsRange, $0.samplePeak, $0.noiseFloor) = (-20, -23 ... -18, -3, -60)
    ($0.channels, $0.sampleRate, $0.mp3BitRate) = (1, 44_100, 192_000)
  }

  private static let ebu = Self("ebu-r128", "broadcasting by EBU R128", loudness: -23, within: 0.5).with {
    $0.truePeak = -1
  }

  private static let insightTimer = Self("insight-timer", "Insight Timer").with {
    ($0.sampleRate, $0.mp3BitRate) = (48_000, 128_000)
  }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var target = self
    change(&target)
    return target
  }
}

extension PublishingTarget {
  /// What is wrong with the levels of a sound; none if they meet the target.
  public func problems(of levels: SoundLevels) -> [String] {
    var problems: [String] = []
    let most = { (what: String, value: Double?, limit: Double?, unit: String) in
      // Levels are shown with one decimal.
      if let value, let limit, limit + 0.05 <= value {
        problems.append("\(what) is \(Level.text(value)) \(unit), above \(Level.text(limit)) \(unit)")
      }
    }
    if let loudness, !(abs(levels.integrated - loudness) < tolerance + 0.05) {
      problems.append("the loudness is \(Level.text(levels.integrated)) LUFS instead of \(Level.text(loudness)) LUFS")
    }
    if let rmsRange, !(rmsRange.lowerBound - 0.05...rmsRange.upperBound + 0.05 ~= levels.rms) {
      problems.append(
        "the RMS is \(Level.text(levels.rms)) dBFS instead of \(Level.text(rmsRange.lowerBound)) to "
          + "\(Level.text(rmsRange.upperBound)) dBFS")
    }
    most("the true peak", levels.truePeak, truePeak, "dBTP")
    most("the peak", levels.samplePeak, samplePeak, "dBFS")
    most("the noise floor", levels.noiseFloor, noiseFloor, "dBFS")
    if let channels, channels != levels.channels {
      problems.append("it has \(levels.channels) channels instead of \(channels)")
    }
    return problems
  }
}
