import ArgumentParser
import ProsperKit

/// `prosper voices`: lists the voices that can speak, or plays one.
struct VoicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voices", abstract: "Lists the voices that speak the texts of sessions, or plays one.",
    usage: """
      prosper voices
      prosper voices --language de
      prosper voices --play anna "Breathe in. ~~ Breathe out."
      """,
    discussion: """
      A session has texts that are spoken, as {"say": "Breathe in. [pause 8s] Breathe out.", "voice": "anna"}. The \
      voices have names in $XDG_CONFIG_HOME/prosper/voices.yaml, and are spoken by espeak-ng or Piper. Without a \
      voice, espeak-ng speaks in the language of the session: its languages are listed after your voices.

      Exit codes: 0 done · 64 wrong usage, or no such voice · 65 a mistake in voices.yaml · 66 a missing program or \
      model
      """)

  @Option(
    help: ArgumentHelp("Plays this voice, or the voice of espeak-ng for this language.", valueName: "name"),
    completion: .voice)
  var play: String?

  @Option(help: ArgumentHelp("Lists only voices of this language, such as de or en-gb.", valueName: "language"))
  var language: String?

  @Flag(help: "Prints one JSON object per line.")
  var json = false

  @Argument(help: "What --play speaks, with its marks. Default: two sentences.")
  var text: String?

  @OptionGroup var options: OutputOptions

  @OptionGroup var form: FileOptions

  private var output: ChosenOutput { ChosenOutput(options: options, form: form) }

  func validate() throws {
    try form.check(options.choices)
    if play == nil, text != nil { throw ValidationError("a text needs --play; add --play with the name of a voice") }
    if play == nil, !output.isStandard {
      throw ValidationError("options of the output need --play; add --play with the name of a voice")
    }
    if play != nil, json { throw ValidationError("--json lists voices; remove it, or --play") }
  }

  func run() async throws {
    guard let name = play else { return try list() }
    throw try await playback(of: try spoken(by: name)).run().code
  }

  private func list() throws {
    let voices = VoiceList(language: language)
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    for line in json ? voices.json : voices.text { out.write(line + "\n") }
    try out.finish()
    for problem in voices.problems { StandardError.printPlain(problem.description) }
    if !voices.problems.isEmpty { throw ExitStatus.invalidData.code }
    guard let failure = voices.failure else { return }
    StandardError.say(failure.description)
    // Without espeak-ng, the user's voices can speak.
    if voices.named.isEmpty { throw ExitStatus.missingInput.code }
  }

  /// The text, by a voice of `voices.yaml` or for a language of espeak-ng.
  private func spoken(by name: String) throws -> Spoken {
    let list = VoiceList(language: nil)
    if list.file.voices[name] != nil || list.file.failure != nil {
      let own = try? list.file.voices[name]?.get().language
      return Spoken(text ?? SampleWords.text(in: own ?? language ?? "en"), voice: name, language: language)
    }
    if let failure = list.failure {
      StandardError.say(failure.description)
      throw ExitStatus.missingInput.code
    }
    guard list.installation?.voice(for: name) != nil else {
      let names = list.file.voices.keys.sorted() + list.offers.map(\.language)
      let fix =
        Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" } ?? "'prosper voices' lists them"
      StandardError.say("there is no voice '\(name)'; \(fix)")
      throw ExitStatus.usage.code
    }
    return Spoken(text ?? SampleWords.text(in: name), language: name)
  }

  /// Speaks the text, and plays it.
  private func playback(of spoken: Spoken) throws -> PlaybackRun {
    let progress = ProgressLine("speaking")
    SpokenSounds.shared.prepare([spoken]) { progress.show(Double($0) / Double(max(1, $1)), "\($0) of \($1)") }
    progress.end()
    let source = SoundSource(.spoken(spoken))
    let length: Int64
    do throws(SourceError) { length = try Sounds().probe(source, at: .studio).length } catch {
      StandardError.say(error.description)
      throw (error.isMistake ? ExitStatus.invalidData : .missingInput).code
    }
    let sound = Programme.Sound(source: source, title: source.label, length: length)
    return try SoundPreview(sound: sound, length: length).playback(output)
  }
}

/// What a voice speaks to be heard.
private enum SampleWords {
  static func text(in language: String) -> String {
    switch language.lowercased().prefix(2) {
    case "de": "So klinge ich. ~ Atme ein, und atme aus."
    case "fr": "Voici ma voix. ~ Inspirez, puis expirez."
    case "es": "Así suena mi voz. ~ Inspira, y espira."
    case "it": "Questa è la mia voce. ~ Inspira, ed espira."
    case "pt": "Esta é a minha voz. ~ Inspire, e expire."
    case "nl": "Zo klink ik. ~ Adem in, en adem uit."
    default: "This is how I sound. ~ Breathe in, and breathe out."
    }
  }
}
