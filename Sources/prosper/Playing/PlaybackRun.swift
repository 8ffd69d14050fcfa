import Glibc
import ProsperKit

/// Plays one session from the command line: connects the player with output, events, signals, keys and control socket,
/// and determines the exit status.
struct PlaybackRun {
  /// Seconds of the fade-out after the first SIGINT, SIGTERM or SIGHUP.
  static let interruptionFade = 0.4
  /// Seconds after the first signal, and after a further one, at which the program ends even if the session has not
  /// ended; and after a further one if the output is a file.
  private static let (firstTimeout, secondTimeout, fileTimeout) = (0.9, 0.3, 5.0)

  /// The programme, the output and the start position. If it measures, metrics are saved after the run.
  var setup: PlaybackSetup
  var options: OutputOptions
  /// Whether a damaged source makes a finished session fail.
  var isStrict: Bool
  var interruptions: Interruptions
  /// What a file is made for; nil for nothing in particular.
  var target: PublishingTarget?
  /// Reads the commands of keys and other programs; nil if the session takes no commands.
  var commands: Commands?
  /// Whether a control socket is opened for other programs.
  var hasControl = false
  /// The page, and what it shows of a player of the session; nil for none.
  var page: (playing: NowPlaying, session: @Sendable (AudioPlayerService) -> NowPlaying.Session)?
  /// The session file that is read again when it or one of those that it includes changes; nil for none.
  var watched: (path: String, included: @Sendable () -> [String])?
  /// The connections with the desktop.
  var desktop = DesktopFeatures.none
  /// The command line that resumes the session, as words for a shell.
  var resumeCommand: String?
  /// Where the results of the script are written; nil if nowhere.
  var results: ScriptResults?
  /// What is run at events; nil for nothing.
  var hooks: HookRunner?
  /// The page about the run; nil for none.
  var report: RunReport?
  /// What the log will say of the run; nil if it is not logged.
  var log: SitRecord?
  /// The lowest level that is logged; nil logs nothing.
  var logLevel: Logger.Level?

  /// Plays the session to its end, and then stops the control socket, the keys and the printers.
  ///
  /// - Throws: `noThread`, before anything is played.
  func run() async throws(SinkError) -> ExitStatus {
    let isLive = options.isLive
    let printer = try makePrinter(waits: !isLive)
    let logs = logLevel == nil ? nil : try LogPrinter(waits: !isLive)
    let covers = CoverFiles()
    let link = DesktopLink(
      desktop, title: setup.programme.title.withoutControls, picture: covers.address,
      warn: { StandardError.say($0) })
    let progress = ProgressLine("levelling", isHidden: options.quiet)
    let session: SessionPlayer
    do throws(SinkError) {
      session = try SessionPlayer(setup(logging: logs, progress)) { event in
        printer.print(event)
        report?.note(event)
        log?.note(event)
        link.note(event)
        hooks?.note(event)
      }
    } catch {
      close(nil, printer, logs)
      StandardError.say(error.description)
      return ExitStatus(error)
    }
    let player = session.service
    report?.follow(player)
    handleSignals(for: player, printer)
    show(player, on: link)
    let (server, keys, watch) =
      isLive ? (serve(player), listen(for: player, printer), watch(for: player)) : (nil, nil, nil)
    ResidentMemory.release()
    let result = await session.perform()
    watch?.close()
    leave(after: result, progress)
    link.close()
    covers.close()
    server?.stop()
    close(keys, printer, logs)
    let status = conclude(result, session).after(printer.loss)
    await leaveState(after: result, of: player)
    return status
  }

  /// Shows the session on the desktop and on the page.
  private func show(_ player: AudioPlayerService, on link: DesktopLink) {
    link.open(for: player, process: getpid())
    if let page { page.playing.begin(page.session(player)) }
  }

  /// Lets the hooks and the log know that the session is over, and removes the line about the progress.
  private func leave(after result: PlaybackResult, _ progress: ProgressLine) {
    progress.end()
    hooks?.close()
    log?.leave(result.reason, played: result.totals.played)
  }

  /// Keeps the position of an interrupted session for `--resume`, and says so on a terminal; saves the metrics. Lets the
  /// page know afterwards, which then finds the position, and the sit in the log.
  private func leaveState(after result: PlaybackResult, of player: AudioPlayerService) async {
    setup.positionSaver?.leave(after: result) {
      if let resumeCommand, isatty(2) == 1, options.events != .off {
        StandardError.say("to continue here, run: \(resumeCommand)")
      }
    }
    await leaveMetrics(of: player)
    page?.playing.end()
  }

  private func setup(logging logs: LogPrinter?, _ progress: ProgressLine) -> PlaybackSetup {
    var setup = setup
    setup.levelling = { progress.show($0) }
    setup.log = logLevel.flatMap { logs?.logger(from: $0) } ?? .dropping
    // The log reports every tenth of a crossfade.
    setup.reportsProgress = options.events != .off || logLevel != nil
    return setup
  }

  /// From now on, signals end the session with a fade, and SIGUSR1 prints the status, which the printer shows, too.
  private func handleSignals(for player: AudioPlayerService, _ printer: EventPrinter) {
    printer.read { [weak player] in player?.status }
    let isLevelled = setup.output.isLevelled
    let isQuiet = options.quiet
    interruptions.beforeExit { [log, weak player] signal in
      if let player { log?.leaveSoon(Self.reason(of: signal), at: player.status.moment.session) }
    }
    interruptions.setHandler { [interruptions, options] signal, isAgain in
      printer.release()
      // A stalled reader or server could block a live output forever. A file is completed, unless that takes long and
      // another signal comes.
      if options.isLive, !options.files.isEmpty, !isAgain {
        interruptions.exit(with: signal, after: Self.fileTimeout)
      } else if options.usesStandardOutput || options.isLive {
        interruptions.exit(with: signal, after: isAgain ? Self.secondTimeout : Self.firstTimeout)
      } else if isAgain {
        // The file is worth a few seconds, but not another pass of levelling.
        interruptions.exit(with: signal, after: isLevelled ? 0 : Self.fileTimeout)
      } else if isLevelled, !isQuiet {
        StandardError.say("completing \(options.files[0]); a second signal leaves it unfinished")
      }
      player.finish(fade: Self.interruptionFade, reason: Self.reason(of: signal))
    }
    interruptions.handle(SIGUSR1) { printer.say(player.status.moment.line) }
  }

  private static func reason(of signal: Int32) -> FinishReason { signal == SIGINT ? .interrupted : .terminated }

  /// Stops reading keys, and waits until all events and log lines have been printed.
  private func close(_ keys: Keys?, _ printer: EventPrinter, _ logs: LogPrinter?) {
    keys?.close()
    printer.close()
    logs?.close()
  }

  /// Opens the control socket. The session also plays without one, so a failure is only reported.
  private func serve(_ player: AudioPlayerService) -> ControlServer? {
    guard let commands, hasControl else { return nil }
    do throws(ControlError) {
      return try ControlServer(of: player, understand: commands.understand)
    } catch {
      StandardError.say("\(error); 'prosper ctl' won't find this player")
      return nil
    }
  }

  /// Reads the session again when its file changes, and prints why if that is refused.
  private func watch(for player: AudioPlayerService) -> FileWatch? {
    guard let watched else { return nil }
    let watch = FileWatch(of: watched.path, and: watched.included) { [weak player] watch in
      Task { [weak player] in
        let outcome = await player?.perform(.reload)
        // It may include other files now.
        watch.refresh()
        // A file that is saved without a change has nothing to say.
        guard case .rejected(let error)? = outcome, error.code != "noEffect" else { return }
        StandardError.say("not reloaded: \(error)")
      }
    }
    if watch == nil {
      StandardError.say("\(watched.path.withoutControls) can't be watched; 'prosper ctl reload' reads it again")
    }
    return watch
  }

  /// Starts to read keys; nil without a terminal, and if the sound goes to stdout.
  private func listen(for player: AudioPlayerService, _ printer: EventPrinter) -> Keys? {
    guard let commands, !options.usesStandardOutput else { return nil }
    return Keys(for: player, gong: { commands.gong }, printer: printer, interruptions)
  }

  /// Saves the metrics for `prosper metrics`. Failures are ignored: the state folder may not be writable.
  private func leaveMetrics(of player: AudioPlayerService) async {
    guard let folder = StateFolder(), let metrics = await player.queueMetrics() else { return }
    try? SavedMetrics.save(metrics, in: folder)
  }

  /// Prints what went wrong, and returns the exit status.
  private func conclude(
    _ result: PlaybackResult, _ session: SessionPlayer
  ) -> ExitStatus {
    if let failure = result.failure { StandardError.say(failure.description) }
    if result.failure == nil, reportsOnTerminal {
      for path in options.files { StandardError.say("the sound is in \(path)") }
    }
    if !reportsOnTerminal { reportOnce(result.damage) }
    let unmet = session.levelling.map(report) ?? false
    for line in session.service.scriptWarnings + session.scriptFailures.map(\.description) {
      StandardError.printPlain(line)
    }
    let status = ExitStatus(result, isStrict: isStrict, signal: interruptions.first)
    // Failed expectations take precedence over damaged sounds, but not over a failed output, which causes them.
    let isPlayed = status == .finished || status == .invalidData
    let failure = results?.write(session.scriptFailures, cause: isPlayed ? nil : result.failure?.description)
    let unwritten = report?.write(session.sound) ?? failure
    let isUnmet = !session.scriptFailures.isEmpty || unmet
    return isPlayed ? unwritten ?? (isUnmet ? .expectationFailed : status) : status
  }

  /// Prints the levels of the file and what was done to reach them, and what its target asks and it is not.
  ///
  /// - Returns: whether there is any such thing.
  private func report(_ outcome: LevellingOutcome) -> Bool {
    let levels = outcome.levels
    var words = [
      "\(Level.text(levels.integrated)) LUFS", "true peak \(Level.text(levels.truePeak ?? -.infinity)) dBTP",
      "gain \(0 <= outcome.gain ? "+" : "")\(Level.text(outcome.gain)) dB",
    ]
    if 0.05 <= outcome.reduction {
      words.append("largest reduction \(Level.text(outcome.reduction)) dB at \(clockText(outcome.reducedAt))")
    }
    if !options.quiet { StandardError.say("\(options.files[0]): \(words.joined(separator: ", "))") }
    let problems = target?.problems(of: levels) ?? []
    for problem in problems {
      StandardError.say("\(options.files[0]): does not meet \(target?.name ?? ""): \(problem)")
    }
    return !problems.isEmpty
  }

  /// Reports each damaged sound once, even if it was repeated. Skipped sounds have been reported before the start.
  private func reportOnce(_ damage: [SourceError]) {
    var reported = Set(setup.programme.skipped.map(\.reason))
    for error in damage where reported.insert(error).inserted { StandardError.say(error.description) }
  }

  /// Whether the events, which include damaged sounds, were printed on this terminal.
  private var reportsOnTerminal: Bool {
    isatty(1) == 1 && isatty(2) == 1 && (options.events == .auto || options.events == .text)
  }

  /// The printer for events. They go to stderr if the sound goes to stdout.
  private func makePrinter(waits: Bool) throws(SinkError) -> EventPrinter {
    let descriptor: Int32 = options.usesStandardOutput ? 2 : 1
    let isTerminal = isatty(descriptor) == 1
    let format: EventPrinter.Format =
      switch options.events {
      case .auto: isTerminal ? .text : .jsonLines(.full)
      case .text: .text
      case .jsonl: .jsonLines(.full)
      case .simpleJSONL: .jsonLines(.simple)
      case .off: .off
      }
    let isColoured = !options.noColor && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true) && !Self.isDumbTerminal
    let showsStatus = logLevel == nil && isatty(2) == 1 && options.events != .off && !Self.isDumbTerminal
    return try EventPrinter(
      format: format, descriptor: descriptor, waits: waits,
      status: showsStatus ? StatusLine(isColoured: isColoured, isRender: !options.isLive) : nil)
  }

  private static var isDumbTerminal: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? true }
}

extension PlayerMoment {
  /// One line: time, state, stage and track.
  fileprivate var line: String {
    ([clockText(session), state] + [stage, track].compactMap(\.self)).joined(separator: " · ")
  }
}
