import ArgumentParser
import ProsperKit

/// `prosper sounds`: lists the generated sounds, or plays one.
struct SoundsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sounds", abstract: "Lists the built-in sounds, or plays one.",
    usage: """
      prosper sounds
      prosper sounds --play bowl
      prosper sounds --play rain --output rain.flac
      """,
    discussion: """
      A session refers to them as "generate:bowl", or with settings as {"generate": "bowl", "pitch": 180}. Endless \
      ones change with "points": [{"at": 0, "volume": 0}, {"at": "5m", "volume": 1}]. --play \
      plays an endless sound for ten seconds.
      """)

  @Option(
    help: ArgumentHelp("Plays this sound with its default settings.", valueName: "name"), completion: .builtInSound)
  var play: String?

  @OptionGroup var options: OutputOptions

  @OptionGroup var form: FileOptions

  private var output: ChosenOutput { ChosenOutput(options: options, form: form) }

  func validate() throws {
    try form.check(options.choices)
    if play == nil, !output.isStandard {
      throw ValidationError("options of the output need --play; add --play with the name of a sound")
    }
  }

  func run() async throws {
    guard let name = play else { return try list() }
    guard let description = GeneratorDescription.builtIn.first(where: { $0.name == name }) else {
      let fix = Suggestion.fix(for: name, among: GeneratorDescription.builtIn.map(\.name))
      StandardError.say("there is no built-in sound '\(name)'; \(fix)")
      throw ExitStatus.usage.code
    }
    throw try await playback(of: description).run().code
  }

  private func list() throws {
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    for sound in GeneratorDescription.builtIn {
      out.write("\(sound.name)\(sound.isEndless ? " (endless)" : "")\n    \(sound.summary)\n")
      for setting in sound.settings {
        let range = "\(Spelling.plain(setting.range.lowerBound))…\(Spelling.plain(setting.range.upperBound))"
        out.write("    \(setting.name): \(range), default \(Spelling.plain(setting.standard)): \(setting.summary)\n")
      }
      let names = sound.changing.map(\.name)
      if !names.isEmpty { out.write("    points: change \(names.joined(separator: ", ")) while it plays\n") }
    }
    try out.finish()
  }

  /// Plays the sound; an endless one for ten seconds, with fades.
  private func playback(of description: GeneratorDescription) throws -> PlaybackRun {
    let rate = SampleRate.studio
    let source = SoundSource(.generated(Recipe(generator: description.name)))
    let natural = (try? Sounds().probe(source, at: rate).length) ?? .endless
    var preview = SoundPreview(
      sound: Programme.Sound(source: source, title: description.name, length: natural), length: natural)
    if natural == .endless {
      (preview.length, preview.fade) = (rate.frames(10), FadeShape(length: rate.frames(1), curve: .sCurve))
    }
    return try preview.playback(output)
  }
}
