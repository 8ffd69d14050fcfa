import Signal
import Sounds

/// A built-in sound: its description for users, and its generator.
struct CatalogueEntry: Sendable {
  let description: GeneratorDescription
  /// Creates the generator for a recipe and a rate.
  let make: @Sendable (ResolvedRecipe) -> any Generator

  /// All built-in sounds, in the order in which they are listed.
  static let all: [CatalogueEntry] = struck + tones + beds

  private init(
    _ name: String, _ summary: String, endless: Bool, _ settings: [GeneratorDescription.Setting],
    changing: [GeneratorDescription.Setting] = [], make: @escaping @Sendable (ResolvedRecipe) -> any Generator
  ) {
    let volume = Self.setting("volume", 0...1, 1, "the volume")
    description = GeneratorDescription(
      name: name, summary: summary, isEndless: endless, settings: settings, changing: endless ? changing + [volume] : []
    )
    self.make = { recipe in
      let sound = make(recipe)
      return recipe.course(of: "volume").map { Shaped(sound, volume: $0) } ?? sound
    }
  }

  /// An instrument that is struck once, with the settings that all of them share.
  private static func struck(
    _ name: String, _ summary: String, _ instrument: Instrument, pitch: ClosedRange<Double>, _ standard: Double
  ) -> CatalogueEntry {
    let settings = [
      setting("pitch", pitch, standard, "the pitch, in hertz"),
      setting("strike", 0...1, 0.45, "hardness of the mallet, from 0 soft to 1 hard"),
      setting("decay", 0.25...4, 1, "factor for the time it rings"),
    ]
    return CatalogueEntry(name, summary, endless: false, settings) { StruckSound(instrument, $0) }
  }

  private static func setting(
    _ name: String, _ range: ClosedRange<Double>, _ standard: Double, _ summary: String
  ) -> GeneratorDescription.Setting {
    GeneratorDescription.Setting(name: name, range: range, standard: standard, summary: summary)
  }
}

extension CatalogueEntry {
  private static let struck = [
    struck("bowl", "a singing bowl, struck once; rings for 26 s", .bowl, pitch: 60...1_200, 196),
    struck("gong", "a large gong; rings for 21 s", .gong, pitch: 40...400, 82),
    struck("bell", "a clear bell; rings for 8 s", .bell, pitch: 150...2_500, 660),
    struck("wood", "a wood block; rings for half a second", .wood, pitch: 200...2_500, 740),
  ]

  private static let tones = [
    CatalogueEntry(
      "beep", "a short sine tone for countdowns", endless: false,
      [
        setting("pitch", 100...3_000, 880, "the pitch, in hertz"),
        setting("length", 0.02...5, 0.15, "in seconds"),
      ], make: Beep.init),
    CatalogueEntry(
      "binaural", "a tone of a slightly different frequency in each ear; needs headphones", endless: true,
      [
        setting("carrier", 0...10_000, 200, "in hertz; left is carrier - beat/2, right is carrier + beat/2"),
        setting("beat", -100...100, 8, "the difference between the ears, in hertz"),
        setting("level", -60...(-1), -20, "the level of each tone, in decibels below full scale"),
      ] + glide(-100...100),
      changing: [setting("carrier", 0...10_000, 200, "in hertz"), setting("beat", -100...100, 8, "in hertz")],
      make: Binaural.init),
    CatalogueEntry(
      "isochronic", "a tone that pulses evenly and softly", endless: true,
      [
        setting("carrier", 40...1_500, 200, "the pitch, in hertz"),
        setting("beat", 0.5...40, 8, "pulses per second"),
      ] + glide(0.5...40),
      changing: [setting("carrier", 40...1_500, 200, "in hertz"), setting("beat", 0.5...40, 8, "in hertz")],
      make: Isochronic.init),
    CatalogueEntry(
      "drone", "a low chord whose harmonics slowly swell and fade", endless: true,
      [
        setting("pitch", 30...440, 110, "the root note, in hertz"),
        setting("movement", 0...1, 0.6, "how much the harmonics change, from 0 not at all to 1 most"),
        setting("brightness", 0...1, 0.35, "level of the overtones, from 0 dark to 1 bright"),
      ], make: Drone.init),
  ]

  private static let beds = [
    CatalogueEntry("white", "white noise: a flat spectrum", endless: true, []) { Noise<White>($0, level: -24) },
    CatalogueEntry("pink", "pink noise: falls 3 dB per octave", endless: true, []) { Noise<Pink>($0, level: -22) },
    CatalogueEntry("brown", "brown noise: falls 6 dB per octave", endless: true, []) { Noise<Brown>($0, level: -22) },
    CatalogueEntry(
      "rain", "steady rain with near and distant drops", endless: true,
      [setting("intensity", 0...1, 0.5, "from 0 drizzle to 1 downpour")], make: Rain.init),
    CatalogueEntry("ocean", "waves on a shore, one every 8 to 14 seconds", endless: true, [], make: Ocean.init),
  ]

  /// The settings that move the beat of a tone from one value to another.
  private static func glide(_ beats: ClosedRange<Double>) -> [GeneratorDescription.Setting] {
    [
      setting("beatTo", beats, 4, "the value that beat moves to, in hertz"),
      setting("glide", 0...14_400, 0, "seconds for the move from beat to beatTo; 0 for no move"),
    ]
  }
}
