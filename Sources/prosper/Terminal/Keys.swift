import Glibc
import ProsperKit
import Synchronization

/// Controls the session with the keys of the terminal on stdin.
///
/// Keys are read on a separate thread. Commands run as tasks, so the thread does not wait for their outcomes.
final class Keys: Sendable {
  private struct State {
    var decoder = KeyDecoder()
    /// Whether `q` was pressed, so that a second `q` stops the session.
    var isFinishing = false
    /// Whether Ctrl-Z paused the session, so that resuming the program resumes it, too.
    var isPausedByStop = false
    /// Whether the terminal is read: only while prosper runs in the foreground.
    var isListening = false
    var isClosed = false
  }

  private let player: any PlayerControl
  /// The command of the key `g`.
  private let gong: @Sendable () -> Command
  /// Shows the listener what the keys do.
  private let printer: EventPrinter
  private let state = Mutex(State())
  /// Wakes the reading thread when `State` has changed.
  private let wakeUp: PollWakeUp

  /// - Parameter interruptions: handles SIGTSTP and SIGCONT.
  /// - Returns: nil if stdin is not a terminal, or if there is no descriptor or no thread left.
  init?(
    for player: any PlayerControl, gong: @escaping @Sendable () -> Command, printer: EventPrinter,
    _ interruptions: Interruptions
  ) {
    guard TerminalMode.prepare(), let wakeUp = try? PollWakeUp() else { return nil }
    (self.player, self.gong, self.printer, self.wakeUp) = (player, gong, printer, wakeUp)
    guard OSThread.start({ [self] in run() }) else { return nil }
    for number in [SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
    interruptions.handle(SIGTSTP) { [weak self] in self?.stop() }
    interruptions.handle(SIGCONT) { [weak self] in self?.resume() }
    listen()
  }

  /// Restores the terminal's mode and ends the reading thread. May be called from any thread.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.call()
    for number in [SIGTSTP, SIGCONT] { signal(number, SIG_DFL) }
    TerminalMode.restore()
  }

  /// Starts to read keys, unless prosper runs in the background, where the terminal belongs to another program.
  private func listen() {
    guard TerminalMode.isOurs else { return }
    TerminalMode.readKeys()
    state.withLock { $0.isListening = true }
    wakeUp.call()
  }

  /// Stops reading keys until `listen`.
  private func stopListening() { state.withLock { $0.isListening = false } }

  /// The reading thread: waits for keys and for the wake-up.
  private func run() {
    while !state.withLock({ $0.isClosed }) {
      let events = state.withLock { $0.isListening } ? POLLIN : 0
      // `poll` ignores negative descriptors.
      var polled = [
        pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: events == 0 ? -1 : 0, events: Int16(events), revents: 0),
      ]
      poll(&polled, 2, -1)
      wakeUp.reset()
      if polled[1].revents != 0 { read() }
    }
  }

  /// Reads what was typed. Stops listening at the end of input, or if prosper was moved to the background.
  private func read() {
    guard TerminalMode.isOurs else { return stopListening() }
    var block = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(0, &block, block.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard 0 < count else { return stopListening() }
    for byte in block[..<count] {
      if let key = state.withLock({ $0.decoder.take(byte) }) { press(key) }
    }
  }
}

/// The commands of the keys.
extension Keys {
  /// Sends the command of a key, and shows what it has changed or why the player rejected it.
  private func press(_ key: Key) {
    // Each line is printed after an indent, or after the name of the program.
    if key == .letter("?") { return KeyHelp.lines(width: terminalColumns() - "prosper: ".count).forEach(printer.say) }
    guard let command = command(for: key) else { return printer.show("? lists the keys") }
    Task.immediate { [self] in
      let outcome = await player.perform(command)
      if case .rejected(let error) = outcome { printer.explain("\(command.name): \(error)") }
      if outcome == .done, let effect = await effect(of: command) { printer.show(effect) }
    }
  }

  /// The command of a key; nil if it has none.
  private func command(for key: Key) -> Command? {
    switch key {
    case .letter(" "): .toggle
    case .letter("n"): .next
    case .letter("p"): .previous
    case .letter("s"): .nextStage
    case .letter("e"): .extend(by: 300)
    case .letter("E"): .extend(by: -300)
    case .letter("r"): .reload
    case .letter("g"): gong()
    case .letter("o"): .overlay(player.status.overlays.paused.isEmpty ? .pause : .resume)
    case .letter("q"): finish()
    case .left: .seek(.by(-15))
    case .right: .seek(.by(15))
    case .up, .letter("+"), .letter("="): volume(by: 0.05)
    case .down, .letter("-"): volume(by: -0.05)
    case .letter("m"): volume(by: -0.05, of: .music)
    case .letter("M"): volume(by: 0.05, of: .music)
    case .letter("v"): volume(by: -0.05, of: .overlay)
    case .letter("V"): volume(by: 0.05, of: .overlay)
    case .letter: nil
    }
  }

  /// What a command has changed, if no event is printed for it and the status line does not contain it.
  private func effect(of command: Command) async -> String? {
    let status = await player.currentStatus()
    switch command {
    case .volumeStep(_, of: .music, over: _): return "music \(percentText(status.layerVolumes.music))%"
    case .volumeStep(_, of: .overlay, over: _): return "overlays \(percentText(status.layerVolumes.overlays))%"
    case .volumeStep: return "volume \(percentText(status.volumeTarget))%"
    case .reload: return "the session was read again"
    case .extend: return status.duration.map { "the session now lasts \(clockText($0))" }
    case .seek:
      guard let position = status.moment.position, let track = status.moment.track else { return nil }
      return "\(track) at \(clockText(position))"
    default: return nil
    }
  }

  /// `q` ends the session with a fade of 3 s; the second one ends it at once.
  private func finish() -> Command {
    let isSecond = state.withLock { state in
      defer { state.isFinishing = true }
      return state.isFinishing
    }
    return isSecond ? .stop : .finish(fade: 3)
  }

  /// A change of the volume of a layer, or of the master volume, on the linear scale from 0 to 1.
  private func volume(by step: Double, of layer: Layer? = nil) -> Command {
    .volumeStep(.share(step), of: layer, over: 0)
  }
}

/// Ctrl-Z and `fg`. The session is paused while the program is stopped, because nothing can be heard then.
extension Keys {
  /// Pauses the session and then stops the program, after 0.5 s even if the pause is not complete. Runs on the thread of
  /// the signals.
  private func stop() {
    let isPlaying = !["paused", "crossfadePaused"].contains(player.status.moment.state)
    guard isPlaying else { return halt() }
    state.withLock { $0.isPausedByStop = true }
    let paused = WakeUp()
    Task.immediate { [player] in
      _ = await player.perform(.pause)
      paused.call()
    }
    paused.wait(seconds: 0.5)
    halt()
  }

  /// Restores the terminal and stops the program, as Ctrl-Z does by default.
  private func halt() {
    stopListening()
    TerminalMode.restore()
    kill(getpid(), SIGSTOP)
  }

  /// Handles the continuation of the program: reads keys again, and resumes the session if Ctrl-Z paused it.
  private func resume() {
    listen()
    let wasPlaying = state.withLock { state in
      defer { state.isPausedByStop = false }
      return state.isPausedByStop
    }
    if wasPlaying { Task.immediate { [player] in _ = await player.perform(.resume) } }
  }
}
