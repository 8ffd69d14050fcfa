package import Signal
package import Sounds

/// The results of decoding a sound: its length, tags, level and damage.
package struct SoundExamination: Sendable {
  /// Length and tags. The length is in frames at `rate`.
  package let facts: SoundFacts
  /// The sound's own sample rate, at which it is decoded: resampling would hide damage.
  package let rate: SampleRate
  /// The peak and level of the decoded part.
  package let meter: LevelMeter
  /// Whether the decoded part is the strike of a bell, and not speech or music.
  package let isStrike: Bool
  /// The first damage; nil if there is none.
  package let damage: SourceError?

  /// Decodes a sound, at most its first `seconds`. Blocks meanwhile. Called from any thread.
  ///
  /// - Throws: if the sound can't be opened.
  package init(of source: SoundSource, upTo seconds: Double, in library: any SoundLibrary) throws(SourceError) {
    // The rate of this probe does not matter: only the sound's own rate is used.
    rate = try library.probe(source, at: .studio).rate.flatMap(SampleRate.init(hertz:)) ?? .studio
    facts = try library.probe(source, at: rate)
    let decoder = try library.open(source, at: rate, from: 0)
    var (meter, envelope) = (LevelMeter(rate: rate), Envelope(rate: rate))
    damage =
      decoder.decode(upTo: rate.frames(seconds), block: 16_384) { frames in
        meter.add(frames)
        envelope.add(frames)
      }?.error
    (self.meter, isStrike) = (meter, envelope.isStrike)
  }

  /// Whether the sound is inaudible at a normal volume.
  package var isSilent: Bool { damage == nil && Level(peak: meter.peak) < .inaudible }
}

extension Level {
  /// A sound of which no sample reaches this level is inaudible at a normal volume.
  static let inaudible = Level(decibels: -70)
}

extension Decoder {
  /// Decodes up to `count` frames, up to the end, or up to the first damage, in blocks of `block` frames.
  ///
  /// - Returns: the damage.
  func decode(
    upTo count: FrameCount, block: Int, _ measure: (UnsafeBufferPointer<Frame>) -> Void
  ) -> SoundDamage? {
    var piece = Array(repeating: Frame.silence, count: block)
    var left = count
    while 0 < left, damage == nil {
      let wanted = Int(min(left, FrameCount(block)))
      let done = piece.withUnsafeMutableBufferPointer { frames in
        let done = read(into: UnsafeMutableBufferPointer(rebasing: frames[..<wanted]))
        measure(UnsafeBufferPointer(rebasing: frames[..<done]))
        return done
      }
      left -= FrameCount(done)
      if done < wanted { break }
    }
    return damage
  }
}
