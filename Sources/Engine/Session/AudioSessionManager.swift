internal import Synchronization

/// Decides how a session reacts to what happens to its live output.
///
/// * When the sound server or the stream is lost, it reconnects.
/// * When something with a higher priority needs silence, or the computer sleeps, it pauses and later resumes.
/// * When the output is unplugged, it pauses.
/// * When the stream moves to another device and stays there, it reports the move.
///
/// This is a state machine: the sink, the player and the power management report events as inputs, and execute the
/// returned actions in order. All times are seconds of one monotonic clock. Any thread may call it; no call waits.
package final class AudioSessionManager: Sendable {
  /// Who is responsible for the sound server and for keeping the computer awake.
  package enum Mode: String, Sendable, CaseIterable {
    /// The session sets up its output, keeps it alive, and keeps the computer awake.
    case managed
    /// Another program is responsible. The session changes nothing on the server or the computer, reports problems, and
    /// ends when the output is lost.
    case external
  }

  package let mode: Mode
  /// Seconds without sound after which the session gives up.
  package let giveUpAfter: Double
  /// Seconds to wait at the start for an output that does not exist yet; 0 if it must exist.
  package let waitForServer: Double
  private let state: Mutex<State>

  /// - Parameters:
  ///   - giveUpAfter: seconds without sound after which the session gives up; an external session gives up at once.
  ///   - waitForServer: seconds to wait at the start for an output that does not exist yet, in both modes.
  package init(mode: Mode = .managed, giveUpAfter: Double = 300, waitForServer: Double = 0) {
    self.mode = mode
    self.giveUpAfter = mode == .managed ? giveUpAfter : 0
    self.waitForServer = waitForServer
    state = Mutex(
      State(isManaged: mode == .managed, giveUpAfter: self.giveUpAfter, waitForServer: waitForServer))
  }

  /// Takes an input and returns the actions that follow from it.
  ///
  /// - Parameter now: seconds of the monotonic clock.
  package func handle(_ input: Input, at now: Double) -> [Action] { state.withLock { $0.handle(input, at: now) } }

  /// What to do about a lost output: wait, try again, or give up. Nil while it is not lost.
  package func recovery(at now: Double) -> Recovery? {
    state.withLock { state in
      guard case .lost(let outage) = state.link else { return nil }
      if outage.deadline <= now { return .giveUp(outage.error) }
      return outage.nextTry <= now ? .retry : .wait(seconds: min(outage.nextTry, outage.deadline) - now)
    }
  }

  /// Seconds until a pending move has to be reported, with the input `.timePassed`; nil while no move is pending.
  package func pendingFor(at now: Double) -> Double? {
    state.withLock { state in state.move.map { max(0, $0.since + State.settling - now) } }
  }

  /// Whether the player has received a loss of the output, and no recovery since.
  package var isSilent: Bool { state.withLock { $0.isSilent } }

  /// Whether the listener or an unplugged output has paused the session, so that only the listener resumes it.
  package var isPausedByListener: Bool { state.withLock { $0.playback == .pausedByListener } }

  /// Whether the output can be heard: it is neither lost nor corked.
  package var isAudible: Bool { state.withLock { !$0.isSilent && !$0.isCorked } }
}

/// The state machine itself.
private struct State: Sendable {
  enum Link: Hashable {
    case open
    case lost(Outage)
  }

  enum Interruption { case output, sleep }

  /// Whether the session plays, and if not, why.
  enum Playback { case playing, pausedByListener, interrupted }

  /// Seconds for which a stream must stay on a device before the move is reported. When a device is added or removed,
  /// the server may move a stream several times.
  static let settling = 0.3

  /// Seconds for which a stream must be open before it counts as working.
  static let stable = 1.0

  let isManaged: Bool
  /// Seconds that the session waits for a lost output, and for one that has never been open.
  let giveUpAfter, waitForServer: Double
  private var hasOpened = false
  /// The last outage, whether it was the wait for the first connection, and when it ended.
  private var lastOutage: (outage: Outage, isFirst: Bool, end: Double)?
  private(set) var link = Link.open
  private(set) var isSilent = false
  private(set) var isCorked = false
  private var suspendedSince: Double?
  private var device: AudioDevice?
  private var ports: [UInt32: PortMonitor] = [:]
  private(set) var move: (to: String, since: Double)?
  private var interruptions: Set<Interruption> = []
  private(set) var playback = Playback.playing
  /// The warnings that were given so far, because each is given once.
  private var warned: Set<String> = []

  init(isManaged: Bool, giveUpAfter: Double, waitForServer: Double) {
    (self.isManaged, self.giveUpAfter, self.waitForServer) = (isManaged, giveUpAfter, waitForServer)
  }

  mutating func handle(_ input: AudioSessionManager.Input, at now: Double) -> [AudioSessionManager.Action] {
    switch input {
    case .opened(let isSuspended): return opened(isSuspended: isSuspended, at: now)
    case .failed(let error): return failed(error, at: now)
    case .suspended(let isSuspended): return suspended(isSuspended, at: now)
    case .corkRequested(let begins): return corkRequested(begins)
    case .device(let device): return reported(device)
    case .moved(let device): return moved(to: device)
    case .left(let device): return left(device)
    case .received(let event, let canPause): return received(event, canPause: canPause, at: now)
    case .listenerPaused: playback = .pausedByListener
    case .listenerResumed: (playback, interruptions) = (.playing, [])
    case .timePassed: return settle(at: now)
    case .ended: return settle(at: .infinity)
    }
    return []
  }
}

/// The connection.
extension State {
  private mutating func opened(isSuspended: Bool, at now: Double) -> [AudioSessionManager.Action] {
    var actions: [AudioSessionManager.Action] = []
    // If silence is still requested, the server requests it again for the new stream.
    if isCorked { actions.append(.send(.corked(false))) }
    (isCorked, device) = (false, nil)
    // An outage continues while the device of the new stream is suspended.
    if case .lost(let outage) = link { (suspendedSince, lastOutage) = (outage.since, (outage, !hasOpened, now)) }
    (link, hasOpened) = (.open, true)
    return actions + suspended(isSuspended, at: now)
  }

  private mutating func failed(_ error: SinkError, at now: Double) -> [AudioSessionManager.Action] {
    if case .lost(var outage) = link {
      outage.failed(now: now)
      link = .lost(outage)
      return []
    }
    let timeout = hasOpened || waitForServer <= 0 ? giveUpAfter : waitForServer
    var outage = Outage(since: now, timeout: timeout, error: error)
    // If a stream fails as soon as it is open, the attempts become rarer all the same, and the session gives up in time.
    if let last = lastOutage, now < last.end + Self.stable {
      outage.follow(last.outage, sharesDeadline: !last.isFirst, now: now)
    }
    link = .lost(outage)
    guard 0 < timeout else { return [.disconnect] }
    return [.disconnect, .send(.lost(cause: error.cause))]
  }

  private mutating func suspended(_ isSuspended: Bool, at now: Double) -> [AudioSessionManager.Action] {
    if isSuspended {
      // The server suspends the idle device of a corked stream, and resumes it after the cork.
      if isCorked || suspendedSince != nil { return [] }
      suspendedSince = now
      return [.send(.lost(cause: "the output is suspended"))]
    }
    return suspendedSince.take().map { [.send(.restored(seconds: now - $0))] } ?? []
  }

  /// A managed stream is corked in answer, because the server reports the end of the request only to corked streams. It
  /// mutes all others, so each request to an external session begins another interruption.
  private mutating func corkRequested(_ begins: Bool) -> [AudioSessionManager.Action] {
    guard isManaged else { return [.send(.corked(begins))] }
    guard begins != isCorked else { return [] }
    isCorked = begins
    return [.cork(begins), .send(.corked(begins))]
  }
}

/// The device.
extension State {
  private mutating func reported(_ device: AudioDevice) -> [AudioSessionManager.Action] {
    self.device = device
    return isUnplugged(device) ? [.send(.unplugged(to: device.name))] : []
  }

  private mutating func moved(to next: AudioDevice) -> [AudioSessionManager.Action] {
    let isSame = device == nil || device?.index == next.index
    device = next
    return isSame ? [.send(.moved(to: next.name))] : []
  }

  /// Distinguishes a move that somebody has chosen from one that is due to an unplugged device or port.
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
    case .corked(let begins): return interrupted(.output, begins, event, canPause: canPause)
    case .asleep(let begins): return interrupted(.sleep, begins, event, canPause: canPause)
    }
    return []
  }

  /// Pauses the session, because sound for headphones must not continue on a loudspeaker. Only the listener resumes it,
  /// even if the headphones are plugged in again.
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

  private mutating func interrupted(
    _ interruption: Interruption, _ begins: Bool, _ event: OutputEvent, canPause: Bool
  ) -> [AudioSessionManager.Action] {
    if begins {
      interruptions.insert(interruption)
      guard canPause, playback == .playing, isManaged else { return [.report(event)] }
      playback = .interrupted
      return [.report(event), .pause]
    }
    guard interruptions.remove(interruption) != nil, interruptions.isEmpty, playback == .interrupted else { return [] }
    playback = .playing
    return [.resume]
  }

  private mutating func settle(at now: Double) -> [AudioSessionManager.Action] {
    guard let settled = move, settled.since + Self.settling <= now else { return [] }
    move = nil
    return [.report(.moved(to: settled.to))]
  }
}
