package import Engine
package import Player
import Synchronization

/// Connects a session to the desktop through the session bus: media keys, applets, notifications.
///
/// The connection has a thread of its own, which sleeps until the player's state changes or the bus has a message. The
/// player never waits for it. Without a bus, and when it ends or does not answer, the session plays as it would
/// otherwise.
package final class DesktopLink: Sendable {
  /// What the thread of the bus has to do.
  enum Letter: Sendable {
    /// `hasJumped`: the position stood still while it seemed to move.
    case status(PlayerStatus, hasJumped: Bool)
    case answer(MediaAnswer)
    case art(TrackArt.Found)
    case announce(Announcement)
  }

  private struct State {
    var player: (any PlayerControl)?
    var letters: [Letter] = []
    /// Whether the thread takes letters.
    var isOpen = false
    var isClosing = false
    /// Whether the status is about to be read.
    var isReading = false
    var hasJumped = false
  }

  private let features: DesktopFeatures
  private let title: String
  private let picture: @Sendable (SoundSource.Origin) -> String?
  private let complain: @Sendable (String) -> Void
  private let state = Mutex(State())
  /// Wakes the thread of the bus when `State` has changed.
  private let call = WakeUp()
  /// Called when the thread has ended.
  private let ended = WakeUp()

  /// - Parameters:
  ///   - title: the title of the session.
  ///   - picture: the address of the picture of a sound, nil if it has none. Called on a thread that may block.
  ///   - complain: receives a sentence if the desktop can't do what the listener has asked for; on any thread.
  package init(
    _ features: DesktopFeatures, title: String,
    picture: @escaping @Sendable (SoundSource.Origin) -> String? = { _ in nil },
    complain: @escaping @Sendable (String) -> Void
  ) {
    (self.features, self.title, self.picture, self.complain) = (features, title, picture, complain)
  }

  /// Connects to the bus. Any thread; returns at once.
  ///
  /// - Parameters:
  ///   - bus: the address of the session bus; nil for `DBUS_SESSION_BUS_ADDRESS` or the user's default.
  ///   - process: the number that distinguishes this player from others on the bus.
  package func open(for player: any PlayerControl, bus: String? = nil, process: Int32) {
    guard features.needsBus else { return }
    state.withLock { ($0.player, $0.isOpen) = (player, true) }
    let isStarted = OSThread.start { [self] in
      let service = DesktopService(
        features, title: title, of: player, bus: bus, process: process, picture: picture, complain: complain,
        post: post)
      if let service {
        serve(service)
      } else if features.needsNotifications {
        complain("there is no session bus: \(features.wishes)")
      }
      shut()
    }
    if !isStarted { shut() }
  }

  /// Takes an event of the player. On the control thread; never waits.
  package func note(_ event: StampedEvent) {
    if let announcement = Announcement(event.event) { post(.announce(announcement)) }
    if features.followsState, event.event.changesDesktop { readStatus(hasJumped: event.event.isReturn) }
  }

  /// Shows that nothing plays any more, ends the silence, and disconnects. Blocks until that is sent, for a third of a
  /// second at most. Any thread.
  package func close() {
    let isOpen = state.withLock { state in
      if let player = state.player { state.letters.append(.status(player.status, hasJumped: false)) }
      (state.player, state.isClosing) = (nil, true)
      return state.isOpen
    }
    call.call()
    if isOpen { ended.wait(seconds: 0.35) }
  }

  /// Gives the thread of the bus something to do. Any thread.
  private func post(_ letter: Letter) {
    state.withLock { if $0.isOpen { $0.letters.append(letter) } }
    call.call()
  }

  /// Reads the player's status after the event that is being reported. Events that follow each other closely cause one
  /// reading.
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

/// The thread of the bus.
extension DesktopLink {
  private func serve(_ service: DesktopService) {
    while true {
      let (letters, isClosing) = state.withLock { state in
        defer { state.letters = [] }
        return (state.letters, state.isClosing)
      }
      guard service.step(letters) else { return service.end() }
      if isClosing { return service.close() }
      service.wait(for: call)
    }
  }

  /// Takes no letters any more.
  private func shut() {
    state.withLock { ($0.isOpen, $0.player, $0.letters) = (false, nil, []) }
    ended.call()
  }
}

extension PlayerEvent {
  /// Whether the desktop may show something else after it. Positions are not among these events: they are read when a
  /// program asks for them.
  fileprivate var changesDesktop: Bool {
    switch self {
    case .stageStarted, .track, .volume, .output, .command(_, _, .ended(.done)), .sessionFinished: true
    // The steps of a crossfade keep its state.
    case .state(let state, let previous): state.name != previous
    default: false
    }
  }

  /// Whether playback continues after a time in which the position stood still without a pause.
  fileprivate var isReturn: Bool { if case .output(.restored) = self { true } else { false } }
}
