import AudioFiles
package import Engine
import GeneratedSounds
package import Signal

/// The sound library of a session. It passes each source to the library of its kind: decoders of the embedding program,
/// generated sounds, or files and network sounds.
package struct Sounds: SoundLibrary {
  /// Whether remote sounds are played while they are still being downloaded.
  let playsWhileDownloading: Bool
  private let custom: CustomDecoders
  private let files: AudioFileLibrary
  private let generated = GeneratedSoundLibrary()

  package init(playsWhileDownloading: Bool = false) {
    self.init(decoders: [], playsWhileDownloading: playsWhileDownloading)
  }

  /// - Parameter decoders: the decoders to which each sound file is offered first, in this order.
  init(decoders: [any AudioDecoder], playsWhileDownloading: Bool) {
    self.playsWhileDownloading = playsWhileDownloading
    custom = CustomDecoders(decoders: decoders)
    files = AudioFileLibrary(lengths: .shared, playsWhileDownloading: playsWhileDownloading)
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
