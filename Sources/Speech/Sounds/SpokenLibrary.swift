import AudioFiles
package import Signal
package import Sounds

/// Opens spoken texts. Calls wait until the text has been spoken.
package struct SpokenLibrary: SoundLibrary {
  private let sounds: SpokenSounds
  private let files = AudioFileLibrary()

  /// - Parameter sounds: speaks what is not in the cache.
  package init(_ sounds: SpokenSounds = .shared) { self.sounds = sounds }

  package func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    let part = try part(of: source, at: rate)
    // A voice does not decide at which rate a session plays.
    var facts = SoundFacts(length: FrameCount(part.frames.count), rate: nil, channels: 1)
    facts.captions = part.layout.captions(in: part.frames)
    return facts
  }

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    let part = try part(of: source, at: rate)
    let start = part.frames.lowerBound + min(max(0, offset), FrameCount(part.frames.count))
    let decoder = SpokenDecoder(part.script, part.layout, start..<part.frames.upperBound) {
      [sounds, files] (sentence, frame) throws(SourceError) in
      try Self.open(sentence, in: part.script, at: rate, from: frame, sounds, files)
    }
    try decoder.begin()
    return decoder
  }

  /// Opens a sentence. If its file was removed from the cache meanwhile, it is spoken again.
  private static func open(
    _ number: Int, in script: SpokenScript, at rate: SampleRate, from frame: FrameCount, _ sounds: SpokenSounds,
    _ files: AudioFileLibrary
  ) throws(SourceError) -> any Decoder {
    guard case .sentence(let text, let stored) = script.parts[number] else { throw .empty(path: "") }
    let source = { (path: String) in SoundSource(.file(path: path)) }
    if let decoder = try? files.open(source(stored.path), at: rate, from: frame) { return decoder }
    let again: StoredSentence
    do throws(SpeechFailure) { again = try sounds.sentence(text, by: script.engine) } catch { throw .speech(error) }
    return try files.open(source(again.path), at: rate, from: frame)
  }

  /// The text of a source, and the frames that are played.
  private func part(
    of source: SoundSource, at rate: SampleRate
  ) throws(SourceError) -> (script: SpokenScript, layout: SpokenLayout, frames: Range<FrameTime>) {
    guard case .spoken(let spoken) = source.origin else { throw .noSuchGenerator(name: source.label) }
    let script = try sounds.script(of: spoken)
    let layout = SpokenLayout(script, at: rate)
    let start = max(0, rate.frames(source.start))
    let end = min(layout.length, source.end.map(rate.frames) ?? .endless)
    guard start < end else {
      throw .emptyPart(path: source.address, start: source.start, length: rate.seconds(layout.length))
    }
    return (script, layout, start..<end)
  }
}
