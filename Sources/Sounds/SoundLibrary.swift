package import Signal

/// Opens sounds. The engine and the player use a library to play sources of any kind; they know no file formats.
///
/// Several threads may call it at the same time, and a call may wait for the disk or the network.
package protocol SoundLibrary: Sendable {
  /// The length, rate, channels and tags of a sound.
  ///
  /// The length is exact: a decoder opened at offset 0 delivers `length` frames, unless the source is damaged.
  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts

  /// The facts of several parts of one sound, in their order, for which the sound is opened once.
  func facts(of parts: [SoundSource], at rate: SampleRate) -> [Result<SoundFacts, SourceError>]

  /// Opens a decoder whose first frame is frame `offset` of a decoder opened at 0.
  ///
  /// - Parameters:
  ///   - rate: the rate of the frames that it delivers.
  ///   - offset: frames at `rate` from the beginning of the part that `source` describes.
  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder

  /// The same for a sound that directly precedes or follows others. Frame 0 is the one nearest to the sound's exact
  /// beginning, and at least as many frames follow as there are to the frame nearest to its exact end.
  func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount, joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder
}

extension SoundLibrary {
  /// Opens the sound for each part.
  package func facts(of parts: [SoundSource], at rate: SampleRate) -> [Result<SoundFacts, SourceError>] {
    parts.map { part in Result { () throws(SourceError) in try probe(part, at: rate) } }
  }

  /// Opens the sound on its own: a library whose sounds are not resampled has nothing to join.
  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount, joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder {
    try open(source, at: rate, from: offset)
  }
}
