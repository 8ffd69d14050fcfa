import Schedule
import Engine
package import Player
package import Sounds
import Synchronization

/// Connects a session to the desktop through the session bus: media keys, applets, notifications.
///
/// The connection has a thread of its own, which sleeps until the player's state changes or the bus has a message. The
/// player never waits for it. A bus that is missing, ends or does not answer has no effect on playback.
package final class DesktopLink: Sendable {
  /// Work for the bus thread.
  enum Job: Sendable {
    /// A new status; `hasJumped` if an outage of the output has just ended. Until then, programs that calculate the
    /// position have moved it, although nothing was heard.
    case status(PlayerStatus, hasJumped: Bool)
    case answer(MediaAnswer)
    case art(TrackArt.Found)
    case announce(Announcement)
  }

  private struct State {
    var player: (any PlayerControl)?
    var jobs: [Job] = []
    /// Whether the thread accepts jobs.
    var isOpen = false
    var isClosing = false
    /// Whether a task is about to read the status.
    var isReading = false
    /// Whether an outage has ended since the status was read last.
    var hasJumped = false
  }

  private let features: DesktopFeatures
  private let title: String
  private let picture: @Sendable (SoundSource.Origin) -> String?
  private let warn: @Sendable (String) -> Void
  private let state = Mutex(State())
  /// Wakes the bus thread when `State` has changed.
  private let wakeUp = WakeUp()
  /// Signalled when the bus thread has ended.
  private let ended = WakeUp()

  /// - Parameters:
  ///   - title: the title of the session.
  ///   - picture: returns the address of the picture of a sound, nil if it has none. Called on a thread that may block.
  ///   - warn: receives one sentence if the desktop can't do what an option asks for. Called on any thread.
  package init(
    _ features: DesktopFeatures, title: String,
    picture: @escaping @Sendable (SoundSource.Origin) -> String? = { _ in nil },
    warn: @escaping @Sendable (String) -> Void
  ) {
    (self.features, self.title, self.picture, self.warn) = (features, title, picture, warn)
  }

  /// Starts the bus thread, which connects. Returns at once. Called from any thread.
  ///
  /// - Parameters:
  ///   - bus: the address of the session bus; nil for `DBUS_SESSION_BUS_ADDRESS` or the user's default.
  ///   - process: the process ID, which distinguishes this player from others on the bus.
  package func open(for player: any PlayerControl, bus: String? = nil, process: Int32) {
    guard features.needsBus else { return }
    state.withLock { ($0.player, $0.isOpen) = (player, true) }
    let isStarted = OSThread.start { [self] in
      let service = DesktopService(
        features, title: title, of: player, bus: bus, process: process, picture: picture, warn: warn, post: post)
      if let service {
        serve(service)
      } else if features.needsNotifications {
        warn("there is no session bus: \(features.missingEffect)")
      }
      stop()
    }
    if !isStarted { stop() }
  }

  /// Receives an event of the player. Called on the control thread; never waits.
  package func note(_ event: StampedEvent) {
    if let announcement = Announcement(event.event) { post(.announce(announcement)) }
    if features.followsState, event.event.changesDesktop { readStatus(hasJumped: event.event.endsOutage) }
  }

  /// Reports that nothing plays any more, stops silencing notifications, and disconnects. Waits until this has been
  /// sent, but at most a third of a second. Called from any thread.
  package func close() {
    let isOpen = state.withLock { state in
      if let player = state.player { state.jobs.append(.status(player.status, hasJumped: false)) }
      (state.player, state.isClosing) = (nil, true)
      return state.isOpen
    }
    wakeUp.call()
    if isOpen { ended.wait(seconds: 0.35) }
  }

  /// Adds a job for the bus thread. Called from any thread.
  private func post(_ job: Job) {
    state.withLock { if $0.isOpen { $0.jobs.append(job) } }
    wakeUp.call()
  }

  /// Reads the player's status after the current event, in a task. Events that follow each other closely share one
  /// task.
  private func readStatus(hasJumped: Bool) {
    let player = state.withLock { state -> (any PlayerControl)? in
      state.hasJumped = state.hasJumped || hasJumped
      guard state.isOpen, !state.isReading else { return nil }
      state.isReading = true
      return state.player
    }
    guard let player else { return }
    Task { [self] in
      let hasJumped = state.withLock { state in
        defer { (state.isReading, state.hasJumped) = (false, false) }
        return state.hasJumped
      }
      post(.status(await player.currentStatus(), hasJumped: hasJumped))
    }
  }
}

/// Called on the bus thread.
extension DesktopLink {
  private func serve(_ service: DesktopService) {
    while true {
      let (jobs, isClosing) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.isClosing)
      }
      guard service.step(jobs) else { return service.end() }
      if isClosing { return service.close() }
      service.wait(for: wakeUp)
    }
  }

  /// Accepts no more jobs, and reports that the thread ends.
  private func stop() {
    state.withLock { ($0.isOpen, $0.player, $0.jobs) = (false, nil, []) }
    ended.call()
  }
}

extension PlayerEvent {
  /// Whether the event can change what the desktop shows. Changes of the position don't count: the position is read
  /// when a program asks for it.
  fileprivate var changesDesktop: Bool {
    switch self {
    case .stageStarted, .track, .volume, .output, .command(_, _, .ended(.done)), .sessionFinished: true
    // The progress of a crossfade is reported with the same state.
    case .state(let state, let previous): state.name != previous
    default: false
    }
  }

  /// Whether the output is back, so that the position advances again.
  fileprivate var endsOutage: Bool { if case .output(.restored, _) = self { true } else { false } }
}
