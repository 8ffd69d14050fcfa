import ArgumentParser
import Engine
import Player
import Schedule
import Sessions
import Signal

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Plays a session, or renders it to a file.",
    usage: """
      prosper play SESSION
      prosper play SESSION --output sit.flac
      prosper play SESSION --stage Practice --volume -6dB
      prosper play SESSION --output null:fast --script SCRIPT
      """,
    discussion: """
      Ctrl-C fades out and ends; a second one ends at once. A file output is then complete up to there.

      On a terminal keys control the session: space pauses and goes on, n p next and previous track, s next stage,
      arrows seek and change the volume, g strikes a gong, o pauses the overlays, q fades out, ? lists the keys.
      From anywhere else 'prosper ctl' does.

      Sounds from the network are fetched first, into $XDG_CACHE_HOME/prosper/sounds (or ~/.cache/prosper/sounds), and
      play from there without a network, too. Live, WAV, AIFF, CAF and FLAC files play while they arrive, if they come
      fast enough.

      While it plays live the computer doesn't go to sleep by itself, where logind answers. When it sleeps all the same,
      the session is paused before, and goes on when it is awake again.

      A script is a file of commands with times, and of expectations; sessions/README.md describes it. When one of them
      fails the exit code is 1.
      """)

  @Argument(help: "The session file, JSON or YAML; with --resume the one that was left last, if none is given.")
  var session: String?

  @OptionGroup var options: OutputOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Begins in the middle: 12:30, 90s, 1h5m, or -30s, before the last stage ends; start; end.", valueName: "position")
  )
  var from: String?

  @Option(help: ArgumentHelp("Begins with this stage.", valueName: "name"))
  var stage: String?

  @Flag(
    help: """
      Goes on where the session was left: by a signal, a crash or a sound server that stayed away. From the beginning \
      where it was played to its end. Without a session, the one that was left last, unless another one has ended since. \
      A run without --resume keeps the old place for its first minute.
      """)
  var resume = false

  @Option(parsing: .unconditional, help: "Master volume, 0…1 or in decibels (-6dB), instead of the session's.")
  var volume: String?

  @Flag(help: "A damaged source fails the run (exit 65) after it has been played; the default for files and stdout.")
  var strict = false

  @Flag(help: "A damaged source is told and left out, the exit code stays 0; the default for live outputs.")
  var lenient = false

  @Option(
    help: ArgumentHelp(
      "Commands and expectations, each with its time: JSON Lines, a JSON array or YAML.", valueName: "file"))
  var script: String?

  @Flag(help: "Takes no commands from other programs: 'prosper ctl' does not find it.")
  var noControl = false

  @Option(
    help: ArgumentHelp("Tells the figures of the command queue as an event, again and again.", valueName: "duration"))
  var metricsEvery: String?

  @Flag(help: "Neither times nor counts commands: 'prosper metrics' then has nothing to tell of this run.")
  var noMetrics = false

  @Option(
    help: ArgumentHelp(
      "Logs to stderr what matters at least so much: trace, debug, info, warning, error or off. A terminal then has no "
        + "status line.", valueName: "level"))
  var logLevel = LogChoice.off

  func validate() throws {
    if strict, lenient { throw ValidationError("--strict and --lenient exclude each other; give one") }
    if from != nil, stage != nil { throw ValidationError("--from and --stage both say where to begin; give one") }
    if resume, from != nil || stage != nil {
      throw ValidationError("--resume says where to begin; leave out --from and --stage")
    }
    if noMetrics, metricsEvery != nil {
      throw ValidationError("--no-metrics and --metrics-every exclude each other; give one")
    }
    if session == nil, !resume { throw ValidationError("Missing expected argument '<session>'") }
  }

  func run() async throws {
    do {
      try await play()
    } catch let refusal as Refusal {
      Complaint.say(refusal.reason)
      throw ExitStatus.usage.code
    } catch let failure as ResumePoint.Failure {
      Complaint.say(failure.message)
      throw failure.status.code
    }
  }

  private func play() async throws {
    let interruptions = Interruptions()
    let session = try session ?? ResumePoint.lastSession()
    var (programme, scope) = try SessionPlan.programme(of: session, takesArriving: takesArriving)
    let commands = Commands(scope: scope, takesArriving: takesArriving)
    let script = try script.map { try commands.script(at: $0) }
    if let volume { programme.master = try masterVolume(volume) }
    var (first, start, past) = try beginning(in: programme, at: session)
    if volume == nil, let past { programme.master = past.master } else { past?.setMaster(programme.master) }
    try refuseOverwriting(soundsOf: programme, at: session)
    if script == nil { try refuseEndlessRender(of: programme) }
    var performance = PerformanceRun(
      programme: programme, library: Sounds(takesArriving: options.output.isLive), options: options,
      session: options.makeSession(), stage: first,
      start: start, past: past, isStrict: isStrict,
      interruptions: interruptions, measures: !noMetrics)
    performance.prompter = try beat(around: script)
    performance.commands = commands
    performance.hasControl = !noControl
    performance.logLevel = logLevel.level
    if options.output.isLive {
      performance.keeper = ResumePoint.keeper(of: programme, at: session, resumes: resume)
    }
    throw await performance.run().code
  }

  /// Who listens from the beginning needn't wait for the end to come; what is gone on with is compared as a whole.
  var takesArriving: Bool { options.output.isLive && !resume && from == nil && stage == nil }

  private func beat(around script: (any Prompter)?) throws -> (any Prompter)? {
    guard let text = metricsEvery else { return script }
    guard let every = TimeSpelling.seconds(text) ?? Double(text), 0.01 <= every, every.isFinite else {
      throw Refusal(
        "--metrics-every '\(text.withoutControls)' is no duration of 10 ms or more; write it like 10s or 1m30s")
    }
    return MetricsBeat(every: every, around: script)
  }

  private var isStrict: Bool { strict || (!lenient && !options.output.isLive) }

  /// The stage in whose run it begins, the frame, and what was done before in the session that goes on.
  private func beginning(
    in programme: Programme, at session: String
  ) throws -> (stage: Int, frame: FrameTime, past: Journal?) {
    if resume {
      guard let place = try ResumePoint.place(in: programme, at: session, isStrict: isStrict) else {
        return (0, 0, nil)
      }
      let frame = programme.layout[place.stage].begin + programme.rate.frames(place.seconds)
      return (
        place.stage, frame,
        place.past ?? place.volumes.map { Journal(stage: place.stage, start: frame, volumes: $0) }
      )
    }
    if let stage {
      let index = try index(ofStage: stage, in: programme)
      return (index, programme.layout[index].begin, nil)
    }
    guard let from else { return (0, 0, nil) }
    return (0, try StartPosition(from).frame(in: programme), nil)
  }

  private func masterVolume(_ text: String) throws -> Gain {
    if let factor = Double(text), 0...1 ~= factor { return Gain(linear: Float(factor)) }
    if let decibels = VolumeSpelling.decibels(text), -60...0 ~= decibels { return VolumeSpelling.gain(decibels) }
    throw Refusal(
      "--volume '\(text.withoutControls)' is no master volume; write 0…1, or decibels from -60dB to 0dB")
  }

  private func index(ofStage name: String, in programme: Programme) throws -> Int {
    if let index = programme.stages.firstIndex(where: { $0.name == name }) { return index }
    let names = programme.stages.map { "'\($0.name)'" }.joined(separator: ", ")
    throw Refusal("there is no stage '\(name.withoutControls)'; its stages are \(names.withoutControls)")
  }

  /// A render into one of the session's own sounds would leave neither.
  private func refuseOverwriting(soundsOf programme: Programme, at session: String) throws {
    guard case .file(let path) = options.output, let target = FileIdentity(path) else { return }
    for case .file(let sound) in programme.sources.map(\.origin) + [.file(path: session)]
    where FileIdentity(sound) == target {
      throw Refusal(
        "--output \(path.withoutControls) is a file that the session is made of; choose another name")
    }
  }

  /// An open stage ends when the listener goes on: nobody listens to a file, but a script may.
  private func refuseEndlessRender(of programme: Programme) throws {
    guard !options.output.isLive, let open = programme.layout.first(where: { $0.end == nil }) else { return }
    let name = programme.stages[open.stage].name.withoutControls
    throw Refusal(
      "stage '\(name)' is open and would never end in a file; give it a duration or a script, or play it live"
    )
  }
}

/// What the command line asks for and the session can't give: one line, and the exit code of wrong usage.
struct Refusal: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
