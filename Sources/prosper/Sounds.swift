import AudioFiles
import Engine
import GeneratedSounds
import Signal

/// Every kind of sound that a session can name, each from its own library.
struct Sounds: SoundLibrary {
  private let files: AudioFileLibrary
  private let generated = GeneratedSoundLibrary()

  /// - Parameter takesArriving: whether sounds of other machines are played while they are still fetched.
  init(takesArriving: Bool = false) { files = AudioFileLibrary(takesArriving: takesArriving) }

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    try library(of: source).probe(source, at: rate)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    try library(of: source).open(source, at: rate, from: offset)
  }

  private func library(of source: SoundSource) -> any SoundLibrary {
    if case .generated = source.origin { return generated }
    return files
  }
}
