package import Signal

/// The length of a sound whose rate is not the session's.
package struct ResampledLength: Hashable, Sendable, Codable {
  /// Frames at the sound's own rate.
  package var frames: Int64
  /// The sound's and the session's rate, in hertz.
  package var source: Int
  package var session: Int

  package init(frames: Int64, source: Int, session: Int) {
    (self.frames, self.source, self.session) = (frames, source, session)
  }

  /// Whether a saved length can be that of a sound.
  package var isPlausible: Bool { 0 <= frames && frames < 1 << 48 && 0 < source && 0 < session }

  /// Frames at the session's rate.
  package var exact: ExactFrames { ExactFrames(frames, from: source, to: session) }
}

/// How a sound joins those that directly precede and follow it, if its rate is converted.
///
/// The filter of a resampler reaches over the beginning and the end of a sound. Sounds without a gap between them are
/// therefore converted as one: the resampler also gets the end of the sound before, and the beginning of the sound
/// after. The second one rarely begins at a whole frame of the session, so its frames are the ones of a sound that
/// begins a fraction of a frame later or earlier.
package struct SoundJoin: Hashable, Sendable {
  /// The sound before, which has the same rate.
  package struct Predecessor: Hashable, Sendable {
    package var source: SoundSource
    package var length: ResampledLength

    package init(_ source: SoundSource, _ length: ResampledLength) { (self.source, self.length) = (source, length) }
  }

  /// The exact beginning of the sound, counted from its first frame: a fraction, see `ExactFrames.fraction`.
  package var delay: ExactFrames
  package var before: Predecessor?
  package var after: SoundSource?

  /// Nil if the sound is converted on its own.
  package init?(delay: ExactFrames, before: Predecessor?, after: SoundSource?) {
    if before == nil, after == nil, delay == ExactFrames(0) { return nil }
    (self.delay, self.before, self.after) = (delay, before, after)
  }
}
