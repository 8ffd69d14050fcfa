package import AudioFiles
import GeneratedSounds
package import Signal
package import Sounds
import Speech

/// The sound library of a session. It passes each source to the library of its kind: decoders of the embedding program,
/// generated sounds, spoken texts, or files and network sounds.
package struct Sounds: SoundLibrary {
  /// Whether remote sounds are played while they are still being downloaded.
  let playsWhileDownloading: Bool
  /// Called while the sounds of a session are downloaded, on any thread.
  var progress: (@Sendable (DownloadProgress) -> Void)?
  /// Called while texts are spoken, with the number of spoken sentences and of all that are missing, on any thread.
  package var speaking: (@Sendable (Int, Int) -> Void)?
  private let custom: CustomDecoders
  private let files: AudioFileLibrary
  private let generated = GeneratedSoundLibrary()
  /// What speaks the texts of sessions.
  let speech: SpokenSounds

  /// - Parameter progress: called while sounds are downloaded, on any thread.
  package init(playsWhileDownloading: Bool = false, progress: (@Sendable (DownloadProgress) -> Void)? = nil) {
    self.init(decoders: [], playsWhileDownloading: playsWhileDownloading)
    self.progress = progress
  }

  /// The sounds of this computer, and the remote and spoken ones that are in the cache. Never sends a request, and lets
  /// no engine speak.
  package static let cached = Sounds(
    decoders: [], playsWhileDownloading: false, remote: .cached, speech: .cached)

  /// - Parameter decoders: the decoders to which each sound file is offered first, in this order.
  init(
    decoders: [any AudioDecoder], playsWhileDownloading: Bool, remote: RemoteSounds = .shared,
    speech: SpokenSounds = .shared
  ) {
    self.speech = speech
    self.playsWhileDownloading = playsWhileDownloading
    custom = CustomDecoders(decoders: decoders)
    files = AudioFileLibrary(remote: remote, lengths: .lengths, playsWhileDownloading: playsWhileDownloading)
  }

  package func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    if let part = try custom.part(of: source, at: rate) { return part.facts }
    return try library(of: source).probe(source, at: rate)
  }

  package func facts(of parts: [SoundSource], at rate: SampleRate) -> [Result<SoundFacts, SourceError>] {
    guard let first = parts.first else { return [] }
    if custom.decoders.isEmpty { return library(of: first).facts(of: parts, at: rate) }
    return parts.map { part in Result { () throws(SourceError) in try probe(part, at: rate) } }
  }

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    if let part = try custom.part(of: source, at: rate) { return try part.decoder(from: offset) }
    return try library(of: source).open(source, at: rate, from: offset)
  }

  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount, joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder {
    if let part = try custom.part(of: source, at: rate) { return try part.decoder(from: offset) }
    return try library(of: source).open(source, at: rate, from: offset, joined: join)
  }

  /// The path of a sound's file, or of the copy of a network sound; nil for other sounds.
  func path(of source: SoundSource) -> String? {
    if case .remote(let address) = source.origin { return RemoteSounds.shared.copy(of: address) }
    return source.origin.path
  }

  private func library(of source: SoundSource) -> any SoundLibrary {
    switch source.origin {
    case .generated: generated
    case .spoken: SpokenLibrary(speech)
    case .file, .remote: files
    }
  }
}
