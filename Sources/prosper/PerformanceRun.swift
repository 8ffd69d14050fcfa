import Engine
import Glibc
import Logging
import Player
import Remote
import Schedule
import Signal
import Synchronization

/// One performance on the command line: sink, events, signals, and what the exit code says of it.
struct PerformanceRun {
  /// Seconds of the fade after the first SIGINT or SIGTERM: gentle, and over within a second.
  static let interruptionFade = 0.4
  /// Seconds behind the first signal, and behind another, at which what is not a file ends in any case.
  private static let (patience, haste) = (0.9, 0.3)

  var programme: Programme
  var library: any SoundLibrary
  var options: OutputOptions
  var session: AudioSessionManager
  /// One of those that are played without the listener's doing.
  var stage = 0
  var start: FrameTime = 0
  /// What was done before in the session that goes on; nil for nothing.
  var past: Journal?
  var isStrict: Bool
  var interruptions: Interruptions
  /// Whether the queue of commands keeps figures, which `prosper metrics` can tell afterwards.
  var measures = false
  var prompter: (any Prompter)?
  /// What listeners and other programs can ask for; nil where nothing can be asked.
  var commands: Commands?
  var hasControl = false
  /// Writes down where the listener is; nil where nobody is to go on from there.
  var keeper: PlaceKeeper?
  /// From which on it logs; nil logs nothing.
  var logLevel: Logger.Level?

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
    let player = AudioPlayerService(
      playing: programme, from: library, into: sink, stage: stage, at: start, after: past,
      blockLength: options.blockFrames, script: prompter, session: session, measures: measures,
      log: logLevel.flatMap { logs?.logger(from: $0) } ?? .dropping
    ) { [keeper, isLive = options.output.isLive] event in
      if event.isAboutPlace, let place = event.place { keeper?.keep(place, at: event.run) }
      printer.tell(event)
      if isLive, event.isAfterStart { ResidentMemory.release() }
    }
    listener.withLock { $0 = player }
    interruptions.handOver { [output = options.output] signal, isAgain in
      printer.release()
      // A stalled reader, server or disk may hold what is live for ever. Nothing of it is lost; a file must stay whole.
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

  /// Waits until everything has been printed.
  private func close(_ printer: EventPrinter, _ logs: LogPrinter?) {
    printer.close()
    logs?.close()
  }

  private var keepsComputerAwake: Bool { options.output.isLive && options.sessionMode == .managed }

  /// There is nothing to go on with where it was played to its end, or to the end that its listener has chosen; and
  /// nothing new where it never began.
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

  /// Other programs can do without; the session is played anyway.
  private func serve(_ player: AudioPlayerService) -> ControlServer? {
    guard let commands, hasControl else { return nil }
    do throws(ControlError) {
      return try ControlServer(of: player, understand: commands.understand)
    } catch {
      Complaint.say("\(error); 'prosper ctl' won't find this player")
      return nil
    }
  }

  private func listen(for player: AudioPlayerService, _ printer: EventPrinter) -> Keys? {
    guard let commands, options.output != .standardOutput else { return nil }
    return Keys(for: player, gong: commands.gong, say: printer.say)
  }

  /// Of the whole sound; nil while an open stage decides, or what the listener did before.
  private var length: FrameCount? {
    past?.isChanged == true ? nil : programme.end(ofRun: programme.run(containing: stage)).map { $0 - start }
  }

  /// A state folder that can't be written costs the metrics, and no more.
  private func leaveMetrics(of player: AudioPlayerService) async {
    guard let folder = StateFolder() else { return }
    try? SavedMetrics.save(await player.queueMetrics(), in: folder)
  }

  private func conclude(_ performance: Performance, _ player: AudioPlayerService) -> ExitStatus {
    if let failure = performance.failure { Complaint.say(failure.description) }
    if !tellsOnTerminal { tellOnce(performance.damage) }
    for line in player.scriptWarnings + player.scriptFailures { Complaint.sayPlain(line) }
    let status = ExitStatus(performance, isStrict: isStrict, signal: interruptions.first)
    // Whoever wrote expectations wants to know of them first; an output that failed has spoiled them all.
    let isPlayed = status == .finished || status == .invalidData
    return isPlayed && !player.scriptFailures.isEmpty ? .expectationFailed : status
  }

  /// A sound that is repeated is damaged each time it plays; what was skipped has been told before it began.
  private func tellOnce(_ damage: [SourceError]) {
    var told = Set(programme.skipped.map(\.reason))
    for error in damage where told.insert(error).inserted { Complaint.say(error.description) }
  }

  /// Whether a person reads the events, and has read what was damaged.
  private var tellsOnTerminal: Bool {
    isatty(1) == 1 && isatty(2) == 1 && (options.events == .auto || options.events == .text)
  }

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
  /// Once, when the start is over and all that plays has been opened.
  fileprivate var isAfterStart: Bool { if case .position = event { 3..<4 ~= run } else { false } }

  /// Once a second, and whenever the listener has gone elsewhere or done something: in a pause no second passes.
  fileprivate var isAboutPlace: Bool {
    switch event {
    case .position, .stageStarted, .state, .command: true
    default: false
    }
  }
}
