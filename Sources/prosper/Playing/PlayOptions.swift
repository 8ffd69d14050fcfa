import ArgumentParser
import ProsperKit

/// The options for a session as a whole, which `play` and `sit` share.
struct PlayOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Starts at a position: 12:30, 90s, 1h5m, -30s (before the end of the last stage), start or end.",
      valueName: "position")
  )
  var from: String?

  @Option(help: ArgumentHelp("Starts with this stage.", valueName: "name"), completion: .stage)
  var stage: String?

  @Flag(
    help: """
      Resumes the session at the position at which a signal, a crash or a lost sound server has interrupted it. A \
      session that was played to its end starts from the beginning. Without a session, resumes the one that was \
      interrupted last, unless another one has finished since. A run without --resume keeps the saved position for \
      its first minute.
      """)
  var resume = false

  @Option(
    help: ArgumentHelp(
      "Begins with silence of this length, up to 60s, during which speakers and Bluetooth outputs wake up.",
      valueName: "duration"))
  var leadIn: String?

  @Option(
    parsing: .unconditional,
    help: "Master volume, 0…1, in percent (80%) or in decibels (-6dB), instead of the session's volume.")
  var volume: String?

  @Flag(help: "Exits with 65 at the end if a source is damaged; the default for files, stdout and null:fast.")
  var strict = false

  @Flag(help: "Exits with 0 even if a source is damaged; the damage is still reported. The default for live outputs.")
  var lenient = false

  @Option(
    help: ArgumentHelp(
      "A script: commands and expectations with times, as JSON Lines, a JSON array or YAML.", valueName: "file"),
    completion: .file(extensions: ["jsonl", "json", "yaml", "yml"]))
  var script: String?

  @Option(
    help: ArgumentHelp(
      "Writes a JUnit XML file with a test case for each expectation of the script.", valueName: "file"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Writes an HTML page about what was planned and what was heard: levels, cues, crossfades, gaps and commands.",
      valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?

  @Flag(help: "Doesn't open a control socket: 'prosper ctl' can't find this player.")
  var noControl = false

  @Option(
    help: ArgumentHelp(
      "Serves a page on which a phone sees and controls the session, at all addresses and port \(ListenAddress.standardPort) "
        + "if none is given. It prints the address and a code of six digits.", valueName: "address:port"),
    transform: ListenAddress.argument)
  var web: ListenAddress?

  @Flag(help: "Prints a second link of the page, for participants: it shows the session, and commands nothing.")
  var view = false

  @Option(
    help: ArgumentHelp("Prints the metrics of the command queue as an event at this interval.", valueName: "duration"))
  var metricsEvery: String?

  @Flag(help: "Doesn't record metrics: 'prosper metrics' then has none of this run.")
  var noMetrics = false

  @Flag(help: "Doesn't add this run to the log of 'prosper log'.")
  var noLog = false

  @Option(
    help: ArgumentHelp(
      "Logs entries of this level and above to stderr: trace, debug, info, warning, error or off. Logging replaces the "
        + "status line.", valueName: "level"))
  var logLevel = LogChoice.off

  func validate() throws {
    if strict, lenient { throw ValidationError("--strict and --lenient can't be combined; give only one") }
    if from != nil, stage != nil { throw ValidationError("--from and --stage both set the start position; give one") }
    if resume, from != nil || stage != nil {
      throw ValidationError("--resume sets the start position; leave out --from and --stage")
    }
    if view, web == nil { throw ValidationError("--view is a link of the page; add --web") }
    if junit != nil, script == nil { throw ValidationError("--junit needs --script, whose expectations it reports") }
    if noMetrics, metricsEvery != nil {
      throw ValidationError("--no-metrics and --metrics-every can't be combined; give only one")
    }
  }
}

/// The values of the options. A value that can't be read is a `Refusal`.
extension PlayOptions {
  /// Checks the values that can be read without the session.
  func checkValues() throws {
    _ = (try masterVolume(), try metricsInterval(), try leadInSeconds(), try from.map { try StartPosition($0) })
  }

  /// The value of `--volume`, as a linear factor or in decibels, at most 0 dB; nil without the option.
  func masterVolume() throws(Refusal) -> Gain? {
    guard let volume else { return nil }
    if let gain = VolumeSpelling.attenuation(volume) { return gain }
    throw Refusal(
      "--volume '\(volume.withoutControls)' is not a master volume; "
        + "write 0…1, 0% to 100%, or decibels from -60dB to 0dB")
  }

  /// The start position that `--stage` or `--from` selects; nil without these options.
  func start(in programme: Programme) throws -> (stage: Int, frame: FrameTime)? {
    if let stage {
      let index = try index(ofStage: stage, in: programme)
      return (index, programme.layout[index].begin)
    }
    return try from.map { (0, try StartPosition($0).frame(in: programme)) }
  }

  private func index(ofStage name: String, in programme: Programme) throws(Refusal) -> Int {
    if let index = programme.stages.firstIndex(where: { $0.name == name }) { return index }
    let names = programme.stages.map { "'\($0.name)'" }.joined(separator: ", ")
    throw Refusal("there is no stage '\(name.withoutControls)'; use one of \(names.withoutControls)")
  }

  /// The seconds of `--metrics-every`; nil without the option.
  func metricsInterval() throws(Refusal) -> Double? {
    guard let metricsEvery else { return nil }
    guard let every = DurationArgument.seconds(metricsEvery), 0.01...Programme.maximumSeconds ~= every else {
      throw Refusal(
        "--metrics-every '\(metricsEvery.withoutControls)' is not a duration from 10 ms to 168 h; "
          + "write it like 10s or 1m30s")
    }
    return every
  }

  /// The seconds of `--lead-in`; 0 without the option.
  func leadInSeconds() throws(Refusal) -> Double {
    guard let leadIn else { return 0 }
    guard let seconds = DurationArgument.seconds(leadIn), PlaybackSetup.leadIns.contains(seconds) else {
      throw Refusal("--lead-in '\(leadIn.withoutControls)' is not a duration up to 60 s; write it like 3s or 500ms")
    }
    return seconds
  }
}

/// The error for options that don't apply to the session: one line on stderr, and the exit code of wrong usage.
struct Refusal: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
