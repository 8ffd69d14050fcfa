package import Signal
public import Sounds

/// The built-in sounds: bowls, bells, noise and tones that are generated while they play.
///
/// A recipe gives the same frames every time, whatever the size of the reads and wherever a decoder is opened. Any
/// thread may call it; no call waits.
package struct GeneratedSoundLibrary: SoundLibrary {
  package init() {}

  /// Describes the part of a built-in sound that is played.
  ///
  /// - Throws: `noSuchGenerator`, or `emptyPart` if the part begins after the sound's end.
  package func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    let part = try Part(source, at: rate)
    let length = part.end == .endless ? .endless : part.end - part.start
    return SoundFacts(length: length, rate: nil, channels: 2, title: part.name)
  }

  /// Opens the part at `offset` frames from its beginning. After the end of the part, the decoder delivers no frames.
  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount
  ) throws(SourceError) -> any Decoder {
    let part = try Part(source, at: rate)
    let (first, isTooFar) = part.start.addingReportingOverflow(max(0, offset))
    return GeneratedDecoder(part.generator, from: isTooFar ? part.end : min(first, part.end), to: part.end)
  }
}

extension GeneratorDescription {
  /// All built-in sounds, in the order in which `prosper sounds` lists them.
  public static let builtIn: [GeneratorDescription] = CatalogueEntry.all.map(\.description)
}

/// The generator that a source names, and the range of its frames that is played.
private struct Part {
  let name: String
  let generator: any Generator
  let start: FrameTime
  /// The frame after the last one; `.endless` if neither the sound nor the source has an end.
  let end: FrameTime

  init(_ source: SoundSource, at rate: SampleRate) throws(SourceError) {
    let recipe = try Self.recipe(of: source)
    guard let entry = CatalogueEntry.all.first(where: { $0.description.name == recipe.generator }) else {
      throw .noSuchGenerator(name: recipe.generator)
    }
    name = recipe.generator
    generator = entry.make(ResolvedRecipe(recipe, as: entry.description, at: rate))
    start = max(0, rate.frames(source.start))
    end = min(generator.envelope.length, source.end.map(rate.frames) ?? .endless)
    guard start < end else {
      throw .emptyPart(path: name, start: source.start, length: rate.seconds(end))
    }
  }

  /// The recipe of a generated sound. Other origins are errors: the player asks this library only for generated sounds.
  private static func recipe(of source: SoundSource) throws(SourceError) -> Recipe {
    guard case .generated(let recipe) = source.origin else { throw .noSuchGenerator(name: source.label) }
    return recipe
  }
}
