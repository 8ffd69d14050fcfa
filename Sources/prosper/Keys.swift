import Dispatch
import Engine
import Glibc
import Player
import Remote
import Schedule
import Signal
import Synchronization

/// The keys of a terminal as commands for the session that plays: only where stdin is a terminal.
///
/// They are read on a thread of their own; the player is asked and never waited for.
final class Keys: Sendable {
  static let hint = "? lists the keys"
  static let help = [
    "space  pauses and goes on        n p    next and previous track     s      next stage",
    "← →    15 seconds back and forth ↑ ↓    volume, as + and -          g      strikes a gong",
    "o      pauses the overlays and lets them go on                      q      fades out; once more: at once",
  ]

  private struct State {
    var decoder = KeyDecoder()
    var areOverlaysPaused = false
    var isFinishing = false
    /// The session was paused because the program was stopped.
    var isPausedByStop = false
    var isListening = false
    var isClosed = false
    var signals: [any DispatchSourceSignal] = []
  }

  private let player: any PlayerControl
  /// What `g` strikes.
  private let gong: Command
  /// Tells the listener something, a line each.
  private let say: @Sendable (String) -> Void
  private let state = Mutex(State())
  private let bell: Bell
  /// For signals.
  private let queue = DispatchQueue(label: "prosper.keys")

  /// Nil where stdin is no terminal.
  init?(for player: any PlayerControl, gong: Command, say: @escaping @Sendable (String) -> Void) {
    guard TerminalMode.prepare(), let bell = try? Bell() else { return nil }
    (self.player, self.gong, self.say, self.bell) = (player, gong, say, bell)
    for number in [SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
    hear(SIGTSTP) { $0.stop() }
    hear(SIGCONT) { $0.goOn() }
    listen()
    OSThread.start { [self] in run() }
  }

  private func hear(_ number: Int32, _ act: @escaping @Sendable (Keys) -> Void) {
    signal(number, SIG_IGN)
    state.withLock {
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { @Sendable [weak self] in if let self { act(self) } }
      source.resume()
      $0.signals.append(source)
    }
  }

  /// Gives the terminal back; no key is read any more.
  func close() {
    state.withLock {
      $0.isClosed = true
      for source in $0.signals { source.cancel() }
    }
    bell.ring()
    signal(SIGTSTP, SIG_DFL)
    TerminalMode.restore()
  }

  /// In the background the terminal is somebody else's.
  private func listen() {
    guard TerminalMode.isOurs else { return }
    TerminalMode.readKeys()
    state.withLock { $0.isListening = true }
    bell.ring()
  }

  private func rest() { state.withLock { $0.isListening = false } }

  private func run() {
    while !state.withLock({ $0.isClosed }) {
      let events = state.withLock { $0.isListening } ? POLLIN : 0
      // A descriptor below zero is passed over.
      var polled = [
        pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: events == 0 ? -1 : 0, events: Int16(events), revents: 0),
      ]
      poll(&polled, 2, -1)
      bell.silence()
      if polled[1].revents != 0 { read() }
    }
  }

  private func read() {
    guard TerminalMode.isOurs else { return rest() }
    var block = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(0, &block, block.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard 0 < count else { return rest() }
    for byte in block[..<count] {
      if let key = state.withLock({ $0.decoder.take(byte) }) { press(key) }
    }
  }
}

extension Keys {
  private func press(_ key: Key) {
    if key == .letter("?") { return Self.help.forEach(say) }
    guard let command = command(for: key) else { return }
    Task.immediate { [self] in
      let outcome = await player.perform(command)
      if case .rejected(let error) = outcome { say("\(command.name): \(error)") }
      if command == .overlay(.pause) || command == .overlay(.resume), outcome == .done {
        state.withLock { $0.areOverlaysPaused = command == .overlay(.pause) }
      }
    }
  }

  private func command(for key: Key) -> Command? {
    switch key {
    case .letter(" "): .toggle
    case .letter("n"): .next
    case .letter("p"): .previous
    case .letter("s"): .nextStage
    case .letter("g"): gong
    case .letter("o"): .overlay(state.withLock { $0.areOverlaysPaused } ? .resume : .pause)
    case .letter("q"): finish()
    case .left: .seek(.by(-15))
    case .right: .seek(.by(15))
    case .up, .letter("+"), .letter("="): volume(by: 0.05)
    case .down, .letter("-"): volume(by: -0.05)
    default: nil
    }
  }

  private func finish() -> Command {
    let isSecond = state.withLock { state in
      defer { state.isFinishing = true }
      return state.isFinishing
    }
    return isSecond ? .stop : .finish(fade: 3)
  }

  private func volume(by step: Double) -> Command {
    let hundredths = ((player.status.moment.volume + step) * 100).rounded()
    return .volume(Gain(linear: Float(min(1, max(0, hundredths / 100)))), over: 0)
  }
}

/// Ctrl-Z, and coming back: a session does not go on where nobody hears it.
extension Keys {
  private func stop() {
    let isPlaying = !["paused", "crossfadePaused"].contains(player.status.moment.state)
    guard isPlaying else { return halt() }
    state.withLock { $0.isPausedByStop = true }
    let once = Once()
    queue.asyncAfter(deadline: .now() + 0.5) { [self] in if once.take() { halt() } }
    Task.immediate { [self] in
      _ = await player.perform(.pause)
      queue.async { [self] in if once.take() { halt() } }
    }
  }

  private func halt() {
    rest()
    TerminalMode.restore()
    kill(getpid(), SIGSTOP)
  }

  private func goOn() {
    listen()
    let wasPlaying = state.withLock { state in
      defer { state.isPausedByStop = false }
      return state.isPausedByStop
    }
    if wasPlaying { Task.immediate { [player] in _ = await player.perform(.resume) } }
  }
}

/// For what two would do and only the first shall.
private final class Once: Sendable {
  private let isTaken = Atomic<Bool>(false)

  /// True for the first who asks.
  func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
