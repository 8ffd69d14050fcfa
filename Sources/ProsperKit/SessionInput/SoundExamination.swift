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
    damage = Self.decode(decoder, upTo: rate.frames(seconds)) { frames in
      meter.add(frames)
      envelope.add(frames)
    }
    (self.meter, isStrike) = (meter, envelope.isStrike)
  }

  /// Whether the sound is inaudible at a normal volume: no sample reaches −70 dBFS.
  package var isSilent: Bool { damage == nil && Level(peak: meter.peak) < Level(decibels: -70) }

  /// Decodes up to `count` frames, up to the end, or up to the first damage.
  private static func decode(
    _ decoder: any Decoder, upTo count: FrameCount, _ measure: (UnsafeBufferPointer<Frame>) -> Void
  ) -> SourceError? {
    var piece = Array(repeating: Frame.silence, count: 16_384)
    var left = count
    while 0 < left, decoder.damage == nil {
      let wanted = Int(min(left, FrameCount(piece.count)))
      let done = piece.withUnsafeMutableBufferPointer { frames in
        let done = decoder.read(into: UnsafeMutableBufferPointer(rebasing: frames[..<wanted]))
        measure(UnsafeBufferPointer(rebasing: frames[..<done]))
        return done
      }
      left -= FrameCount(done)
      if done < wanted { break }
    }
    return decoder.damage?.error
  }
}
