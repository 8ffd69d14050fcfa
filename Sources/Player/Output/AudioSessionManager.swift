package import Engine
import Synchronization

/// Decides how a session reacts to what happens to its live output.
///
/// * When the sound server or the stream is lost, it reconnects.
/// * When something with a higher priority needs silence, or the computer sleeps, it pauses and later resumes.
/// * When the output is unplugged, it pauses.
/// * When the stream moves to another device and stays there, it reports the move.
///
/// Two state machines decide: `StreamState` what the output does, `SessionState` what the player does. Both report what
/// happens, and execute the returned actions in order. All times are seconds of one monotonic clock. Any thread may call
/// it; no call waits.
package final class AudioSessionManager: OutputPolicy {
  /// Who is responsible for the sound server and for keeping the computer awake.
  package enum Mode: String, Sendable, CaseIterable {
    /// The session sets up its output, keeps it alive, and keeps the computer awake.
    case managed
    /// Another program is responsible. The session changes nothing on the server or the computer, reports problems, and
    /// ends when the output is lost.
    case external
  }

  /// What happens to the session.
  package enum Input: Hashable, Sendable {
    /// The player has received an event of the sink or of the power management. `canPause` is false if the session
    /// can't be paused now, for example during its last fade-out.
    case received(OutputEvent, canPause: Bool)
    /// The listener has paused or resumed the session.
    case listenerPaused
    case listenerResumed
    /// The time that `pendingFor` has returned is over.
    case timePassed
    /// The session has ended: pending moves are reported now.
    case ended
  }

  /// What the player does then.
  package enum Action: Hashable, Sendable {
    /// It pauses, on behalf of the output.
    case pause
    /// It resumes what was paused on behalf of the output.
    case resume
    /// It emits an event about the output.
    case report(OutputChange)
    /// It reports an underrun of that many seconds, unless it was paused.
    case underrun(seconds: Double)
    /// It warns of something that a listener could notice.
    case warn(String)
  }

  package let isManaged: Bool
  package let waitsForServer: Bool
  /// Seconds without sound after which the session gives up, and seconds to wait for an output at the start.
  package let timeout, startTimeout: Double
  private let state: Mutex<(stream: StreamState, session: SessionState)>

  /// - Parameters:
  ///   - giveUpAfter: seconds without sound after which the session gives up; an external session gives up at once.
  ///   - waitForServer: seconds to wait at the start for an output that does not exist yet, in both modes; 0 if it must
  ///     exist.
  package init(mode: Mode = .managed, giveUpAfter: Double = 300, waitForServer: Double = 0) {
    isManaged = mode == .managed
    waitsForServer = 0 < waitForServer
    let limit = isManaged ? giveUpAfter : 0
    (timeout, startTimeout) = (limit, waitForServer)
    state = Mutex(
      (
        StreamState(isManaged: isManaged, giveUpAfter: limit, waitForServer: waitForServer),
        SessionState(isManaged: isManaged)
      ))
  }

  /// The policy of a device that follows: its connection is kept alive for as long as the session lasts.
  package var another: AudioSessionManager {
    AudioSessionManager(mode: isManaged ? .managed : .external, giveUpAfter: .infinity, waitForServer: startTimeout)
  }

  package func handle(_ change: StreamChange, at now: Double) -> [StreamAction] {
    state.withLock { $0.stream.handle(change, at: now) }
  }

  package func recovery(at now: Double) -> StreamRecovery? { state.withLock { $0.stream.recovery(at: now) } }

  /// Takes what happens to the session, and returns the actions that follow from it.
  func handle(_ input: Input, at now: Double) -> [Action] {
    state.withLock { $0.session.handle(input, at: now) }
  }

  /// Seconds until a pending move has to be reported, with the input `.timePassed`; nil while no move is pending.
  func pendingFor(at now: Double) -> Double? { state.withLock { $0.session.pendingFor(at: now) } }

  /// Whether the player has received a loss of the output, and no recovery since.
  var isSilent: Bool { state.withLock { $0.session.isSilent } }

  /// Whether the listener or an unplugged output has paused the session, so that only the listener resumes it.
  var isPausedByListener: Bool { state.withLock { $0.session.playback == .pausedByListener } }

  /// Whether the output can be heard: it is neither lost nor corked.
  var isAudible: Bool { state.withLock { !$0.session.isSilent && !$0.stream.isCorked } }
}

/// The session as the events of its output describe it. Decides what the player does.
private struct SessionState {
  typealias Action = AudioSessionManager.Action

  /// Whether the session plays, and if not, why.
  enum Playback { case playing, pausedByListener, interrupted }

  /// Seconds for which a stream must stay on a device before the move is reported. When a device is added or removed,
  /// the server may move a stream several times.
  private static let settling = 0.3

  let isManaged: Bool
  private(set) var isSilent = false
  private(set) var playback = Playback.playing
  private var move: (to: String, since: Double)?
  /// Which of `corked` and `asleep` last.
  private var interruptions: Set<OutputChange> = []
  /// The warnings that were given so far, because each is given once.
  private var warned: Set<String> = []

  init(isManaged: Bool) { self.isManaged = isManaged }

  mutating func handle(_ input: AudioSessionManager.Input, at now: Double) -> [Action] {
    switch input {
    case .received(let event, let canPause): return received(event, canPause: canPause, at: now)
    case .listenerPaused: playback = .pausedByListener
    case .listenerResumed: (playback, interruptions) = (.playing, [])
    case .timePassed: return settle(at: now)
    case .ended: return settle(at: .infinity)
    }
    return []
  }

  func pendingFor(at now: Double) -> Double? { move.map { max(0, $0.since + Self.settling - now) } }

  private mutating func received(_ event: OutputEvent, canPause: Bool, at now: Double) -> [Action] {
    switch event {
    case .lost(let cause, let ofDevice):
      isSilent = true
      return [.report(.lost(cause: cause, ofDevice: ofDevice))]
    case .restored(let seconds):
      isSilent = false
      return [.report(.restored(after: seconds))]
    case .starved(let seconds): return [.underrun(seconds: seconds)]
    case .connected(let grant): return grant.warnings.filter { warned.insert($0).inserted }.map { .warn($0) }
    case .moved(let name): move = (name, now)
    case .unplugged(let name): return unplugged(to: name, canPause: canPause, at: now)
    case .corked(let begins): return interrupted(by: .corked, begins, canPause: canPause)
    case .asleep(let begins): return interrupted(by: .asleep, begins, canPause: canPause)
    }
    return []
  }

  /// Pauses the session, because sound for headphones must not continue on a loudspeaker. Only the listener resumes it,
  /// even if the headphones are plugged in again.
  private mutating func unplugged(to name: String, canPause: Bool, at now: Double) -> [Action] {
    guard canPause, playback != .pausedByListener, isManaged else {
      move = (name, now)
      return []
    }
    move = nil
    playback = .pausedByListener
    return [.report(.unplugged(to: name)), .pause]
  }

  private mutating func interrupted(by change: OutputChange, _ begins: Bool, canPause: Bool) -> [Action] {
    if begins {
      interruptions.insert(change)
      guard canPause, playback == .playing, isManaged else { return [.report(change)] }
      playback = .interrupted
      return [.report(change), .pause]
    }
    guard interruptions.remove(change) != nil, interruptions.isEmpty, playback == .interrupted else { return [] }
    playback = .playing
    return [.resume]
  }

  private mutating func settle(at now: Double) -> [Action] {
    guard let settled = move, settled.since + Self.settling <= now else { return [] }
    move = nil
    return [.report(.moved(to: settled.to))]
  }
}
