import AudioFiles
import Engine
import GeneratedSounds
import Signal

/// The library for every kind of sound that a session may name. Each kind has a library of its own.
struct Sounds: SoundLibrary {
  private let files: AudioFileLibrary
  private let generated = GeneratedSoundLibrary()

  /// - Parameter takesArriving: whether remote sounds are played while they are still being downloaded.
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
