import Engine
import Glibc
import Logging
import Player
import Remote
import Schedule
import Signal
import Synchronization

/// Plays one session from the command line: connects the player with output, events, signals, keys and control socket,
/// and determines the exit status.
struct PerformanceRun {
  /// The fade after the first SIGINT or SIGTERM, in seconds: smooth, and done within a second.
  static let interruptionFade = 0.4
  /// Seconds after the first signal and after a further one at which the program ends in any case, unless it writes a
  /// file.
  private static let (patience, haste) = (0.9, 0.3)

  var programme: Programme
  var library: any SoundLibrary
  var options: OutputOptions
  var session: AudioSessionManager
  /// A stage of the run of stages that is played. A run ends with an open stage; the listener starts the next run.
  var stage = 0
  /// The frame at which to start, in the frames of that run.
  var start: FrameTime = 0
  /// The listener's earlier changes to a session that is resumed; nil for none.
  var past: Journal?
  /// Whether a damaged source makes a finished session fail.
  var isStrict: Bool
  var interruptions: Interruptions
  /// Whether the queue records metrics, which `prosper metrics` can print later.
  var measures = false
  /// The script, and the regular requests for metrics; nil for neither.
  var prompter: (any Prompter)?
  /// Reads the commands of keys and other programs; nil if the session takes no commands.
  var commands: Commands?
  /// Whether a control socket is opened for other programs.
  var hasControl = false
  /// Saves the listener's position, for `--resume`; nil if it is not to be saved.
  var keeper: PlaceKeeper?
  /// The lowest level that is logged; nil logs nothing.
  var logLevel: Logger.Level?

  /// Plays the session until it ends or is ended; then stops the control socket, the keys and the printers.
  func run() async -> ExitStatus {
    let sink: any Sink
    let listener = Mutex<AudioPlayerService?>(nil)
    do throws(SinkError) {
      sink = try options.makeSink(title: programme.title, length: length, session: session) { event in
        listener.withLock { $0 }?.outputChanged(event)
      }
    } catch {
      Complaint.say(error.description)
      return ExitStatus(error)
    }
    let printer = makePrinter(waits: sink.pace == .players)
    let logs = logLevel == nil ? nil : LogPrinter(waits: sink.pace == .players)
    let player = makePlayer(into: sink, printer, logs)
    listener.withLock { $0 = player }
    interruptions.handOver { [output = options.output] signal, isAgain in
      printer.release()
      // A stalled reader or server could block a live output forever. A file must stay whole, so it is not cut off.
      if output == .standardOutput || output.isLive {
        Interruptions.exit(with: signal, after: isAgain ? Self.haste : Self.patience)
      }
      player.finish(fade: Self.interruptionFade, reason: signal == SIGINT ? .interrupted : .terminated)
    }
    let (server, keys) = sink.pace == .listener ? (serve(player), listen(for: player, printer)) : (nil, nil)
    let sleep = keepsComputerAwake ? SleepWatch(for: player) : nil
    let performance = await player.play()
    sleep?.close()
    server?.stop()
    keys?.close()
    close(printer, logs)
    leavePlace(after: performance)
    if measures { await leaveMetrics(of: player) }
    return conclude(performance, player).after(printer.loss)
  }

  private func makePlayer(into sink: any Sink, _ printer: EventPrinter, _ logs: LogPrinter?) -> AudioPlayerService {
    AudioPlayerService(
      playing: programme, from: library, into: sink, stage: stage, at: start, after: past,
      blockLength: options.blockFrames, script: prompter, session: session, measures: measures,
      log: logLevel.flatMap { logs?.logger(from: $0) } ?? .dropping,
      // The log reports every tenth of a crossfade.
      tellsProgress: options.events != .off || logLevel != nil
    ) { [keeper, isLive = options.output.isLive] event in
      if event.isAboutPlace, let place = event.place { keeper?.keep(place, at: event.run) }
      printer.tell(event)
      if isLive, event.isAfterStart { ResidentMemory.release() }
    }
  }

  /// Waits until all events and log lines have been printed.
  private func close(_ printer: EventPrinter, _ logs: LogPrinter?) {
    printer.close()
    logs?.close()
  }

  private var keepsComputerAwake: Bool { options.output.isLive && options.sessionMode == .managed }

  /// Removes the saved position after a complete session, restores the earlier one if nothing was played, and otherwise
  /// keeps the last position.
  private func leavePlace(after performance: Performance) {
    let isOver = performance.failure == nil && (performance.reason == .completed || performance.reason == .stopped)
    if isOver {
      keeper?.forget()
    } else if performance.totals.played == 0 {
      keeper?.withdraw()
    } else {
      keeper?.close()
    }
  }

  /// Opens the control socket. The session also plays without one, so a failure is only reported.
  private func serve(_ player: AudioPlayerService) -> ControlServer? {
    guard let commands, hasControl else { return nil }
    do throws(ControlError) {
      return try ControlServer(of: player, understand: commands.understand)
    } catch {
      Complaint.say("\(error); 'prosper ctl' won't find this player")
      return nil
    }
  }

  /// Starts to read keys; nil without a terminal, and if stdout carries the sound.
  private func listen(for player: AudioPlayerService, _ printer: EventPrinter) -> Keys? {
    guard let commands, options.output != .standardOutput else { return nil }
    return Keys(for: player, gong: commands.gong, say: printer.say)
  }

  /// The length of the whole sound in frames; nil if an open stage or the listener's earlier changes make it unknown.
  private var length: FrameCount? {
    past?.isChanged == true ? nil : programme.end(ofRun: programme.run(containing: stage)).map { $0 - start }
  }

  /// Saves the metrics for `prosper metrics`. Failures are ignored: the state folder may not be writable.
  private func leaveMetrics(of player: AudioPlayerService) async {
    guard let folder = StateFolder() else { return }
    try? SavedMetrics.save(await player.queueMetrics(), in: folder)
  }

  /// Prints what went wrong, and returns the exit status.
  private func conclude(_ performance: Performance, _ player: AudioPlayerService) -> ExitStatus {
    if let failure = performance.failure { Complaint.say(failure.description) }
    if !tellsOnTerminal { tellOnce(performance.damage) }
    for line in player.scriptWarnings + player.scriptFailures { Complaint.sayPlain(line) }
    let status = ExitStatus(performance, isStrict: isStrict, signal: interruptions.first)
    // Failed expectations matter most to someone who wrote them, but an output that failed explains them all.
    let isPlayed = status == .finished || status == .invalidData
    return isPlayed && !player.scriptFailures.isEmpty ? .expectationFailed : status
  }

  /// Reports each damaged sound once, although a repeated sound is damaged in each pass. Sounds that were skipped have
  /// been reported before the start.
  private func tellOnce(_ damage: [SourceError]) {
    var told = Set(programme.skipped.map(\.reason))
    for error in damage where told.insert(error).inserted { Complaint.say(error.description) }
  }

  /// Whether a person has seen the events on this terminal, and with them what was damaged.
  private var tellsOnTerminal: Bool {
    isatty(1) == 1 && isatty(2) == 1 && (options.events == .auto || options.events == .text)
  }

  /// The printer for events. They go to stderr if stdout carries the sound.
  private func makePrinter(waits: Bool) -> EventPrinter {
    let descriptor: Int32 = options.output == .standardOutput ? 2 : 1
    let isTerminal = isatty(descriptor) == 1
    let format: EventPrinter.Format =
      switch options.events {
      case .auto: isTerminal ? .text : .jsonLines(.full)
      case .text: .text
      case .jsonl: .jsonLines(.full)
      case .simpleJSONL: .jsonLines(.simple)
      case .off: .off
      }
    let isColoured = (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true) && !Self.isDumbTerminal
    let showsStatus = logLevel == nil && isatty(2) == 1 && options.events != .off && !Self.isDumbTerminal
    return EventPrinter(
      format: format, descriptor: descriptor, waits: waits,
      status: showsStatus ? StatusLine(isColoured: isColoured) : nil)
  }

  private static var isDumbTerminal: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? true }
}

extension StampedEvent {
  /// True twice: 3 s after the start, when everything that plays has been opened, and after 12 s, when the output has
  /// grown to its full length and everything that happens regularly has happened.
  fileprivate var isAfterStart: Bool {
    if case .position = event { 3..<4 ~= run || 12..<13 ~= run } else { false }
  }

  /// True for the events after which the listener's position is saved: once a second, and after every change, because
  /// no position events occur during a pause.
  fileprivate var isAboutPlace: Bool {
    switch event {
    case .position, .stageStarted, .command: true
    // The steps of a crossfade keep its state.
    case .state(let state, let previous): state.name != previous
    default: false
    }
  }
}
