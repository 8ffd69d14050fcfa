import ArgumentParser
import Engine
import Player
import ProsperKit
import Schedule
import Sessions
import Signal

/// `prosper play`: plays a session on the sound server, or renders it to a file, a pipe or stdout.
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
      Ctrl-C fades out and ends; a second Ctrl-C ends at once. A file output is then complete up to that point.

      On a terminal, keys control the session: space pauses and resumes, n and p go to the next and previous track, \
      s to the next stage, arrows seek and change the volume, g strikes a gong, o pauses the overlays, q fades out \
      and ends, ? lists the keys. Media keys control it, too, if there is a desktop. From another terminal or program \
      use 'prosper ctl'.

      Sounds from the network are downloaded first, into $XDG_CACHE_HOME/prosper/sounds (or ~/.cache/prosper/sounds), \
      and later play from there without a network. In live playback, WAV, AIFF, CAF and FLAC files start to play \
      while they are downloaded, if the download is fast enough.

      During live playback the computer does not suspend when idle, if logind is available. If it is suspended \
      anyway, the session pauses first and resumes after wake-up.

      A script contains commands with times, and expectations about their effects; prosper-script(5) describes it. If an \
      expectation fails, the exit code is 1.
      """)

  @Argument(
    help: """
      The session: a file, JSON or YAML, or a name of 'prosper sessions'. Without one, --resume takes the last \
      unfinished session.
      """, completion: .session, transform: SessionLibrary.file)
  var session: String?

  @OptionGroup var options: OutputOptions

  @OptionGroup var desktop: DesktopOptions

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

  @Option(parsing: .unconditional, help: "Master volume, 0…1 or in decibels (-6dB), instead of the session's volume.")
  var volume: String?

  @Flag(help: "Exits with 65 at the end if a source is damaged; the default for files, stdout and null:fast.")
  var strict = false

  @Flag(help: "Exits with 0 even if a source is damaged; the damage is still reported. The default for live outputs.")
  var lenient = false

  @Option(
    help: ArgumentHelp(
      "A file of commands and expectations with times: JSON Lines, a JSON array or YAML.", valueName: "file"),
    completion: .file(extensions: ["jsonl", "json", "yaml", "yml"]))
  var script: String?

  @Flag(help: "Opens no control socket: 'prosper ctl' can't find this player.")
  var noControl = false

  @Option(
    help: ArgumentHelp("Prints the metrics of the command queue as an event at this interval.", valueName: "duration"))
  var metricsEvery: String?

  @Flag(help: "Records no metrics: 'prosper metrics' then has none of this run.")
  var noMetrics = false

  @Option(
    help: ArgumentHelp(
      "Logs entries of this level and above to stderr: trace, debug, info, warning, error or off. Logging replaces the "
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
      StandardError.say(refusal.reason)
      throw ExitStatus.usage.code
    } catch let failure as ResumePoint.Failure {
      StandardError.say(failure.message)
      throw failure.status.code
    }
  }

  /// Prepares everything that can fail before the output is opened, and then plays.
  private func play() async throws {
    // First, so that signals are handled while the steps below wait for the network.
    let interruptions = Interruptions()
    let session = try session ?? ResumePoint.lastSession()
    var (programme, scope) = try SessionPlan.programme(of: session, playsWhileDownloading: playsWhileDownloading)
    let commands = Commands(scope: scope, playsWhileDownloading: playsWhileDownloading)
    let lines = try script.map { try commands.script(at: $0) }
    if let volume { programme.master = try masterVolume(volume) }
    var (first, start, journal) = try beginning(in: programme, at: session)
    if volume == nil, let journal { programme.master = journal.master } else { journal?.setMaster(programme.master) }
    var setup = options.setup(of: programme, library: Sounds(playsWhileDownloading: options.output.isLive))
    (setup.stage, setup.start, setup.journal) = (first, start, journal)
    setup.measures = !noMetrics
    setup.script = try beat(around: lines.map { ScriptRunner($0) })
    try refuseOverwriting(
      by: setup, inputs: [session, script].compactMap(\.self), (lines?.sources ?? []).map(\.origin))
    // A script may end an open stage.
    if script == nil { try refuseEndlessRender(setup) }
    var performance = PlaybackRun(setup: setup, options: options, isStrict: isStrict, interruptions: interruptions)
    performance.commands = commands
    performance.hasControl = !noControl
    performance.desktop = desktop.features(isLive: options.output.isLive)
    performance.logLevel = logLevel.level
    if options.output.isLive {
      performance.positionSaver = ResumePoint.positionSaver(of: programme, at: session, resumes: resume)
    }
    throw await performance.run().code
  }

  /// Whether sounds may start to play while they are downloaded. Not in the middle of a session, where a later part is
  /// needed at once, and not with `--resume`, which compares whole files.
  var playsWhileDownloading: Bool { options.output.isLive && !resume && from == nil && stage == nil }

  /// Adds regular requests for metrics to the script, if `--metrics-every` asks for them.
  private func beat(around script: (any CommandSource)?) throws -> (any CommandSource)? {
    guard let text = metricsEvery else { return script }
    guard let every = TimeSpelling.seconds(text) ?? Double(text), 0.01 <= every, every.isFinite else {
      throw Refusal(
        "--metrics-every '\(text.withoutControls)' is not a duration of 10 ms or more; write it like 10s or 1m30s")
    }
    return MetricsBeat(every: every, around: script)
  }

  /// Strict by default for renders, lenient for live outputs.
  private var isStrict: Bool { strict || (!lenient && !options.output.isLive) }

  /// Where to start: a stage of the run that is played, the frame in that run, and the listener's earlier changes to a
  /// session that is resumed.
  private func beginning(
    in programme: Programme, at session: String
  ) throws -> (stage: Int, frame: FrameTime, journal: Journal?) {
    if resume {
      guard let position = try ResumePoint.position(in: programme, at: session, isStrict: isStrict) else {
        return (0, 0, nil)
      }
      let frame = programme.layout[position.stage].begin + programme.rate.frames(position.seconds)
      return (
        position.stage, frame,
        position.journal ?? position.volumes.map { Journal(stage: position.stage, start: frame, volumes: $0) }
      )
    }
    if let stage {
      let index = try index(ofStage: stage, in: programme)
      return (index, programme.layout[index].begin, nil)
    }
    guard let from else { return (0, 0, nil) }
    return (0, try StartPosition(from).frame(in: programme), nil)
  }

  /// The value of `--volume`, as a linear factor or in decibels, at most 0 dB.
  private func masterVolume(_ text: String) throws -> Gain {
    if let factor = Double(text), 0...1 ~= factor { return Gain(linear: Float(factor)) }
    if let decibels = VolumeSpelling.decibels(text), -60...0 ~= decibels { return VolumeSpelling.gain(decibels) }
    throw Refusal(
      "--volume '\(text.withoutControls)' is not a master volume; write 0…1, or decibels from -60dB to 0dB")
  }

  private func index(ofStage name: String, in programme: Programme) throws -> Int {
    if let index = programme.stages.firstIndex(where: { $0.name == name }) { return index }
    let names = programme.stages.map { "'\($0.name)'" }.joined(separator: ", ")
    throw Refusal("there is no stage '\(name.withoutControls)'; use one of \(names.withoutControls)")
  }

  /// Refuses to render into one of the files that the run reads, which would destroy the input and the output.
  private func refuseOverwriting(
    by setup: PlaybackSetup, inputs paths: [String], _ sounds: [SoundSource.Origin]
  ) throws {
    guard let path = setup.overwrittenInput(among: sounds + paths.map { .file(path: $0) }) else { return }
    throw Refusal("--output \(path.withoutControls) is a file that the session uses; choose another name")
  }

  /// Refuses to render an open stage, which only the listener ends.
  private func refuseEndlessRender(_ setup: PlaybackSetup) throws {
    guard let name = setup.endlessStage?.withoutControls else { return }
    throw Refusal(
      "stage '\(name)' is open and would never end in a file; give it a duration or a script that ends it, or play it live"
    )
  }
}

/// Options that the session can't satisfy: one line on stderr and the exit code of wrong usage.
struct Refusal: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
