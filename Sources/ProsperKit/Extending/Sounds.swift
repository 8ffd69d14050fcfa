import AudioFiles
package import Engine
import GeneratedSounds
package import Signal

/// The library for every kind of sound that a session may name. Each kind has a library of its own.
package struct Sounds: SoundLibrary {
  /// Whether remote sounds are played while they are still being downloaded.
  let playsWhileDownloading: Bool
  private let custom: CustomDecoders
  private let files: AudioFileLibrary
  private let generated = GeneratedSoundLibrary()

  package init(playsWhileDownloading: Bool = false) {
    self.init(decoders: [], playsWhileDownloading: playsWhileDownloading)
  }

  /// - Parameter decoders: asked for each sound file, in this order, before the built-in decoders.
  init(decoders: [any AudioDecoder], playsWhileDownloading: Bool) {
    self.playsWhileDownloading = playsWhileDownloading
    custom = CustomDecoders(decoders: decoders)
    files = AudioFileLibrary(playsWhileDownloading: playsWhileDownloading)
  }

  package func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    if let part = try custom.part(of: source, at: rate) { return part.facts }
    return try library(of: source).probe(source, at: rate)
  }

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    if let part = try custom.part(of: source, at: rate) { return try part.decoder(from: offset) }
    return try library(of: source).open(source, at: rate, from: offset)
  }

  private func library(of source: SoundSource) -> any SoundLibrary {
    if case .generated = source.origin { return generated }
    return files
  }
}
