internal import Synchronization

/// Guards a live output: reconnects when the sound server or the stream is lost, pauses and resumes when something with
/// a higher priority needs silence or the computer sleeps, pauses when the output is unplugged, and reports moves once
/// they have settled.
///
/// A state machine. The sink, the player and the power management report what happens as inputs, and execute the
/// actions that are returned to them, in order. All times are seconds of one monotonic clock. From any thread; never
/// waits.
package final class AudioSessionManager: Sendable {
  /// How much of the output's environment belongs to the session.
  package enum Mode: String, Sendable, CaseIterable {
    /// The session sets up its output, keeps it alive, and keeps the computer awake.
    case managed
    /// Something else is responsible for the sound server and the computer. The session changes nothing there, reports
    /// problems, and ends when the output is lost.
    case external
  }

  package let mode: Mode
  /// Seconds without sound after which the session gives up.
  package let giveUpAfter: Double
  private let state: Mutex<State>

  /// - Parameter giveUpAfter: seconds without sound after which the session gives up; an external session gives up at
  ///   once.
  package init(mode: Mode = .managed, giveUpAfter: Double = 300) {
    self.mode = mode
    self.giveUpAfter = mode == .managed ? giveUpAfter : 0
    state = Mutex(State(isManaged: mode == .managed, waits: 0 < self.giveUpAfter))
  }

  /// Takes an input and returns the actions that follow from it.
  ///
  /// - Parameter now: seconds of the monotonic clock.
  package func handle(_ input: Input, at now: Double) -> [Action] { state.withLock { $0.handle(input, at: now) } }

  /// What to do about a lost output: wait, try again, or give up. Nil while it is not lost.
  package func recovery(at now: Double) -> Recovery? {
    state.withLock { state in
      guard case .lost(let outage) = state.link else { return nil }
      let deadline = outage.since + giveUpAfter
      if deadline <= now { return .giveUp(outage.error) }
      return outage.nextTry <= now ? .retry : .wait(seconds: min(outage.nextTry, deadline) - now)
    }
  }

  /// Seconds until `.timePassed` has something to report; nil while nothing is pending.
  package func pendingFor(at now: Double) -> Double? {
    state.withLock { state in state.move.map { max(0, $0.since + State.settling - now) } }
  }

  /// Whether a loss of the output has been reported to the player, and no recovery yet.
  package var isSilent: Bool { state.withLock { $0.isSilent } }
}

extension AudioSessionManager {
  /// What happens to an output.
  package enum Input: Hashable, Sendable {
    /// The stream plays: for the first time, or again after an outage.
    case opened
    /// The server or the stream is gone, or could not be reached again.
    case failed(SinkError)
    /// The server has suspended the device, or has resumed it.
    case suspended(Bool)
    /// The server requests silence because something with a higher priority plays, or no longer requests it.
    case corkRequested(Bool)
    /// The device that plays, as it reports itself now.
    case device(AudioDevice)
    /// The stream now plays on another device.
    case moved(AudioDevice)
    /// The device on which the stream played before: as it reports itself, or nil if it is gone.
    case left(AudioDevice?)
    /// An event from a sink or from the power management reaches the player, which may be able to pause or not.
    case received(OutputEvent, canPause: Bool)
    /// The listener has paused or resumed the session.
    case listenerPaused
    case listenerResumed
    case timePassed
    /// The session is over: pending moves are reported now.
    case ended
  }

  package enum Action: Hashable, Sendable {
    /// The sink disconnects from a server that does not answer properly.
    case hangUp
    /// The sink corks its stream, or uncorks it.
    case cork(Bool)
    /// The sink passes an event on to the player.
    case send(OutputEvent)
    /// The player pauses, on behalf of the output.
    case pause
    /// The player resumes what was paused on behalf of the output.
    case resume
    /// The player emits an event about the output.
    case report(OutputEvent)
    /// The player warns of something that a listener could notice.
    case warn(String)
  }

  package enum Recovery: Hashable, Sendable {
    case wait(seconds: Double)
    case retry
    case giveUp(SinkError)
  }
}

/// The state machine itself.
private struct State: Sendable {
  enum Link: Hashable {
    case open
    case lost(Outage)
  }

  enum Silencer { case output, sleep }

  /// Whether the session plays, and if not, why.
  enum Playback { case playing, pausedByListener, silenced }

  /// Seconds that a move must last before it is reported: a device that comes or goes moves streams to and fro.
  static let settling = 0.3

  let isManaged: Bool
  /// Whether the session waits for a lost output.
  let waits: Bool
  private(set) var link = Link.open
  private(set) var isSilent = false
  private var isCorked = false
  private var suspendedSince: Double?
  private var device: AudioDevice?
  private var ports: [UInt32: PortMonitor] = [:]
  private(set) var move: (to: String, since: Double)?
  private var silencers: Set<Silencer> = []
  private var playback = Playback.playing
  /// Warnings that were given; each is given once.
  private var warned: Set<String> = []

  init(isManaged: Bool, waits: Bool) { (self.isManaged, self.waits) = (isManaged, waits) }

  mutating func handle(_ input: AudioSessionManager.Input, at now: Double) -> [AudioSessionManager.Action] {
    switch input {
    case .opened: return opened(at: now)
    case .failed(let error): return failed(error, at: now)
    case .suspended(let isSuspended): return suspended(isSuspended, at: now)
    case .corkRequested(let begins): return corkRequested(begins)
    case .device(let device): return seen(device)
    case .moved(let device): return moved(to: device)
    case .left(let device): return left(device)
    case .received(let event, let canPause): return received(event, canPause: canPause, at: now)
    case .listenerPaused: playback = .pausedByListener
    case .listenerResumed: (playback, silencers) = (.playing, [])
    case .timePassed: return settle(at: now)
    case .ended: return settle(at: .infinity)
    }
    return []
  }
}

/// The connection.
extension State {
  private mutating func opened(at now: Double) -> [AudioSessionManager.Action] {
    var actions: [AudioSessionManager.Action] = []
    // A request for silence is repeated for the new stream.
    if isCorked { actions.append(.send(.corked(false))) }
    (isCorked, suspendedSince, device) = (false, nil, nil)
    if case .lost(let outage) = link { actions.append(.send(.restored(seconds: now - outage.since))) }
    link = .open
    return actions
  }

  private mutating func failed(_ error: SinkError, at now: Double) -> [AudioSessionManager.Action] {
    if case .lost(var outage) = link {
      outage.failed(now: now)
      link = .lost(outage)
      return []
    }
    link = .lost(Outage(since: now, error: error))
    guard waits else { return [.hangUp] }
    var cause = error.description
    if case .lost(let plain) = error { cause = plain }
    return [.hangUp, .send(.lost(cause: cause))]
  }

  private mutating func suspended(_ isSuspended: Bool, at now: Double) -> [AudioSessionManager.Action] {
    if isSuspended, !isCorked {
      guard suspendedSince == nil else { return [] }
      suspendedSince = now
      return [.send(.lost(cause: "the output is suspended"))]
    }
    return suspendedSince.take().map { [.send(.restored(seconds: now - $0))] } ?? []
  }

  /// The server mutes the stream in any case, but reports the end of it only to a corked stream.
  private mutating func corkRequested(_ begins: Bool) -> [AudioSessionManager.Action] {
    guard begins != isCorked else { return [] }
    isCorked = begins
    return (isManaged ? [.cork(begins)] : []) + [.send(.corked(begins))]
  }
}

/// The device.
extension State {
  private mutating func seen(_ device: AudioDevice) -> [AudioSessionManager.Action] {
    self.device = device
    return isUnplugged(device) ? [.send(.unplugged(to: device.name))] : []
  }

  private mutating func moved(to next: AudioDevice) -> [AudioSessionManager.Action] {
    let isSame = device == nil || device?.index == next.index
    device = next
    return isSame ? [.send(.moved(to: next.name))] : []
  }

  /// If the device is gone, or its port was unplugged, nobody has chosen to move the stream.
  private mutating func left(_ old: AudioDevice?) -> [AudioSessionManager.Action] {
    let name = device?.name ?? ""
    let isGone = old.map { isUnplugged($0) } ?? true
    return [.send(isGone ? .unplugged(to: name) : .moved(to: name))]
  }

  private mutating func isUnplugged(_ device: AudioDevice) -> Bool {
    ports[device.index, default: PortMonitor()].update(device)
  }
}

/// The session.
extension State {
  private mutating func received(
    _ event: OutputEvent, canPause: Bool, at now: Double
  ) -> [AudioSessionManager.Action] {
    switch event {
    case .lost, .restored:
      if case .lost = event { isSilent = true } else { isSilent = false }
      return [.report(event)]
    case .starved: return [.report(event)]
    case .connected(let grant): return grant.warnings.filter { warned.insert($0).inserted }.map { .warn($0) }
    case .moved(let name): move = (name, now)
    case .unplugged(let name): return unplugged(to: name, canPause: canPause, at: now)
    case .corked(let begins): return silenced(.output, begins, event, canPause: canPause)
    case .asleep(let begins): return silenced(.sleep, begins, event, canPause: canPause)
    }
    return []
  }

  /// Sound for headphones must not continue on a loudspeaker: the session pauses until the listener resumes it, even if
  /// the headphones are plugged in again.
  private mutating func unplugged(
    to name: String, canPause: Bool, at now: Double
  ) -> [AudioSessionManager.Action] {
    guard canPause, playback != .pausedByListener, isManaged else {
      move = (name, now)
      return []
    }
    move = nil
    playback = .pausedByListener
    return [.report(.unplugged(to: name)), .pause]
  }

  private mutating func silenced(
    _ silencer: Silencer, _ begins: Bool, _ event: OutputEvent, canPause: Bool
  ) -> [AudioSessionManager.Action] {
    if begins {
      silencers.insert(silencer)
      guard canPause, playback == .playing, isManaged else { return [.report(event)] }
      playback = .silenced
      return [.report(event), .pause]
    }
    guard silencers.remove(silencer) != nil, silencers.isEmpty, playback == .silenced else { return [] }
    playback = .playing
    return [.resume]
  }

  private mutating func settle(at now: Double) -> [AudioSessionManager.Action] {
    guard let settled = move, settled.since + Self.settling <= now else { return [] }
    move = nil
    return [.report(.moved(to: settled.to))]
  }
}
