import Engine
import Signal

/// A built-in sound: what is said of it, and how it is made.
struct CatalogueEntry: Sendable {
  let description: GeneratorDescription
  let make: @Sendable (Choice) -> any Generator

  static let all: [CatalogueEntry] = struck + tones + beds

  private init(
    _ name: String, _ summary: String, endless: Bool, _ settings: [GeneratorDescription.Setting],
    make: @escaping @Sendable (Choice) -> any Generator
  ) {
    description = GeneratorDescription(name: name, summary: summary, isEndless: endless, settings: settings)
    self.make = make
  }

  private static func struck(
    _ name: String, _ summary: String, _ instrument: Instrument, pitch: ClosedRange<Double>, _ standard: Double
  ) -> CatalogueEntry {
    let settings = [
      setting("pitch", pitch, standard, "the note, in hertz"),
      setting("strike", 0...1, 0.45, "0 a soft mallet, 1 a hard one"),
      setting("decay", 0.25...4, 1, "factor on the time it rings"),
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
    struck("wood", "a wood block; half a second", .wood, pitch: 200...2_500, 740),
  ]

  private static let tones = [
    CatalogueEntry(
      "beep", "a short plain tone for countdowns", endless: false,
      [
        setting("pitch", 100...3_000, 880, "hertz"),
        setting("length", 0.02...5, 0.15, "seconds"),
      ], make: Beep.init),
    CatalogueEntry(
      "binaural", "a tone for each ear, a beat apart; for headphones", endless: true,
      [
        setting("carrier", 40...1_500, 200, "hertz; left has carrier - beat/2, right carrier + beat/2"),
        setting("beat", 0.5...40, 8, "hertz between the ears"),
      ] + glide, make: Binaural.init),
    CatalogueEntry(
      "isochronic", "a tone in soft even pulses", endless: true,
      [
        setting("carrier", 40...1_500, 200, "hertz"),
        setting("beat", 0.5...40, 8, "pulses a second"),
      ] + glide, make: Isochronic.init),
    CatalogueEntry(
      "drone", "a low chord of slowly breathing harmonics", endless: true,
      [
        setting("pitch", 30...440, 110, "the root, in hertz"),
        setting("movement", 0...1, 0.6, "0 still, 1 restless"),
        setting("brightness", 0...1, 0.35, "0 dark, 1 full of overtones"),
      ], make: Drone.init),
  ]

  private static let beds = [
    CatalogueEntry("white", "white noise: every frequency alike", endless: true, []) { Noise<White>($0, level: -24) },
    CatalogueEntry("pink", "pink noise: falls by 3 dB an octave", endless: true, []) { Noise<Pink>($0, level: -22) },
    CatalogueEntry("brown", "brown noise: falls by 6 dB an octave", endless: true, []) { Noise<Brown>($0, level: -21) },
    CatalogueEntry(
      "rain", "steady rain, near drops and far", endless: true,
      [setting("intensity", 0...1, 0.5, "0 a drizzle, 1 a downpour")], make: Rain.init),
    CatalogueEntry("ocean", "waves on a shore, one every 8 to 14 seconds", endless: true, [], make: Ocean.init),
  ]

  private static var glide: [GeneratorDescription.Setting] {
    [
      setting("beatTo", 0.5...40, 4, "the beat after the glide, in hertz"),
      setting("glide", 0...14_400, 0, "seconds from beat to beatTo; 0 stays at beat"),
    ]
  }
}
