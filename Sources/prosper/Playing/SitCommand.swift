import ArgumentParser
import Glibc
import ProsperKit

/// `prosper sit`: plays a sit without a session file: a bell, silence or music, and the bell again.
struct SitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sit", abstract: "Plays a sit without a file; takes the options of 'prosper play', too.",
    usage: "prosper sit 40m --prepare 1m --every 10m --music rain")

  @Argument(help: "25m, 1:30:00, or open: until key s or ctl next-stage.")
  var duration: String?

  @Option(help: ArgumentHelp("Silence before the first bell. (default: 0s)", valueName: "time"))
  var prepare: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("A sound, file, address or none. (default: bowl)", valueName: "sound"),
    completion: .soundOrFile)
  var bell: [String] = []

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Strikes at the start and at the end. (default: 3)", valueName: "n"))
  var strikes: Int?

  @Option(help: ArgumentHelp("Time from one strike to the next. (default: 4s)", valueName: "time"))
  var spacing: String?

  @Option(help: ArgumentHelp("Strikes the bell at this interval.", valueName: "time"))
  var every: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Volume of the bells in between: 50% or -6dB.", valueName: "volume"))
  var everyVolume: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Strikes the bell at this many random moments.", valueName: "n"))
  var random: Int?

  @Option(help: ArgumentHelp("The same seed gives the same random moments.", valueName: "number"))
  var seed: UInt64?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("A built-in sound such as rain, a file or an address.", valueName: "sound"),
    completion: .soundOrFile)
  var music: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A talk; without a duration, the sit is as long.", valueName: "sound"),
    completion: .soundOrFile)
  var guide: [String] = []

  @Option(help: ArgumentHelp("Fade-out of the music. (default: 30s)", valueName: "time"))
  var fadeOut: String?

  @Option(
    help: ArgumentHelp("Writes the sit as a session file; doesn't play it.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml", "json"]))
  var save: String?

  /// Hidden in the help, which must fit on a screen, but offered by the completions of shells.
  private static let shared: ArgumentVisibility = CompletionScript.isRequested ? .default : .hidden

  @OptionGroup(visibility: shared) var output: OutputOptions

  @OptionGroup(visibility: shared) var form: FileOptions

  @OptionGroup(visibility: shared) var desktop: DesktopOptions

  @OptionGroup(visibility: shared) var playing: PlayOptions

  var options: PlaybackOptions { PlaybackOptions(session: playing, output: output, form: form, desktop: desktop) }

  func validate() throws {
    try form.check(output.choices)
    if playing.resume {
      // The saved sit has its own length, bells and music.
      if let setting = settings.first {
        throw ValidationError("--resume continues the last sit with its own settings; leave out \(setting)")
      }
    } else if duration == nil, guide.isEmpty {
      throw ValidationError("Missing expected argument '<duration>'")
    }
    if save != nil, !options.areForFiles {
      throw ValidationError("--save writes the sit without playing it; leave out --output, --volume and --lead-in")
    }
    for (name, sounds) in [("--bell", bell), ("--music", music), ("--guide", guide)] where 1 < sounds.count {
      throw ValidationError("\(name) is given \(sounds.count) times; give one sound")
    }
    let ofBell = [
      ("--strikes", strikes != nil), ("--spacing", spacing != nil), ("--every", every != nil),
      ("--random", random != nil), ("--every-volume", everyVolume != nil),
    ]
    if hasNoBell, let option = ofBell.first(where: \.1)?.0 {
      throw ValidationError("\(option) needs a bell; leave out --bell none")
    }
    if everyVolume != nil, every == nil, random == nil {
      throw ValidationError("--every-volume needs --every or --random; add one of them")
    }
    if every != nil, random != nil { throw ValidationError("--every and --random can't be combined; give only one") }
    if seed != nil, random == nil { throw ValidationError("--seed needs --random; add --random with a number") }
    if let strikes, !(1...1_000 ~= strikes) { throw ValidationError("--strikes must be a whole number from 1 to 1000") }
  }

  private var hasNoBell: Bool { bell == ["none"] }

  /// The names of the arguments that were given, of those that describe the sit.
  private var settings: [String] {
    let settings = [
      ("the duration", duration != nil), ("--prepare", prepare != nil), ("--bell", !bell.isEmpty),
      ("--strikes", strikes != nil), ("--spacing", spacing != nil), ("--every", every != nil),
      ("--random", random != nil), ("--every-volume", everyVolume != nil), ("--seed", seed != nil),
      ("--music", !music.isEmpty), ("--guide", !guide.isEmpty), ("--fade-out", fadeOut != nil), ("--save", save != nil),
    ]
    return settings.filter(\.1).map(\.0)
  }

  func run() async throws {
    try await SessionPlayback.reportingRefusals {
      if playing.resume { return try await resume() }
      let session = try session()
      if let save { return try SessionFileWriter.write(session, to: save, .keep) }
      try await play(session)
    }
  }

  /// The sit as a session, after its sounds have been found.
  func session() throws -> Session {
    let guide = try guide.first.map { try SoundArgument($0, of: "--guide", mayBeEndless: false) }
    var sit = Sit(duration: try seconds(with: guide))
    sit.guide = guide.map { ($0.sound, $0.length) }
    if let prepare { sit.prepare = try DurationArgument.seconds(prepare, of: "--prepare") }
    if hasNoBell {
      sit.bell = nil
    } else if let bell = bell.first {
      sit.bell = try SoundArgument(bell, of: "--bell", mayBeEndless: false).sound
    }
    if let everyVolume { sit.bellsVolume = try Self.volume(everyVolume) }
    if let strikes { sit.strikes = strikes }
    if let spacing { sit.spacing = try DurationArgument.seconds(spacing, of: "--spacing") }
    if let music = try music.first.map({ try SoundArgument($0, of: "--music", mayBeEndless: true) }) {
      (sit.music, sit.musicLength) = (music.sound, music.length)
    }
    sit.fadeOut = try fadeOut.map { try DurationArgument.seconds($0, of: "--fade-out") }
    if let every { sit.bells = .every(try DurationArgument.seconds(every, of: "--every")) }
    if let random { sit.bells = .random(random, seed: seed ?? .random(in: 0..<1_000_000)) }
    do throws(SitError) { return try sit.session() } catch { throw Refusal(error.description) }
  }

  /// The length of the sit; nil for an open one.
  private func seconds(with guide: SoundArgument?) throws(Refusal) -> Double? {
    if duration == "open" { return nil }
    // The last bell comes after the last word.
    if duration == nil, let guide { return (guide.length * 1_000).rounded(.up) / 1_000 }
    return try DurationArgument.seconds(duration ?? "", of: "the duration")
  }

  /// The volume of the bells during the sit.
  private static func volume(_ text: String) throws(Refusal) -> Gain {
    if let gain = VolumeSpelling.attenuation(text) { return gain }
    throw Refusal("--every-volume '\(text.withoutControls)' is not a volume; write 0.5, 50% or -6dB")
  }

  /// Plays the sit. A live one is also written to the state folder, so that it can be resumed.
  private func play(_ session: Session) async throws {
    let interruptions = try Interruptions()
    let path = output.isLive ? LastSit.save(session) : nil
    let library = Sounds(playsWhileDownloading: options.playsWhileDownloading)
    let plan = SessionPlan(session: session, library: library, fetching: SessionPlan.announceDownload)
    try await SessionPlayback(options: options).play(plan, at: path, until: interruptions)
  }

  private func resume() async throws {
    let interruptions = try Interruptions()
    guard let path = LastSit.path, FilePath.exists(path) else {
      StandardError.say("there is no sit to resume; start one with 'prosper sit 25m'")
      throw ExitStatus.missingInput.code
    }
    let plan = SessionPlan.read(path, playsWhileDownloading: options.playsWhileDownloading)
    try await SessionPlayback(options: options).play(plan, at: path, until: interruptions)
  }
}
