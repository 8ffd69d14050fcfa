import Engine
import MessageBus
import Player

/// The connection to the session bus and what is served through it. Only the thread of the bus uses it.
final class DesktopService {
  private let bus: BusConnection
  private let features: DesktopFeatures
  private let complain: @Sendable (String) -> Void
  private let media: MediaPlayerObject?
  private let notifications: NotificationService?

  /// Nil if there is no bus.
  ///
  /// - Parameter post: brings what other threads have for this one to `step`.
  init?(
    _ features: DesktopFeatures, title: String, of player: any PlayerControl, bus address: String?, process: Int32,
    picture: @escaping @Sendable (SoundSource.Origin) -> String?,
    complain: @escaping @Sendable (String) -> Void, post: @escaping @Sendable (DesktopLink.Letter) -> Void
  ) {
    guard let bus = BusConnection(to: address.map { .address($0) } ?? .session) else { return nil }
    (self.bus, self.features, self.complain) = (bus, features, complain)
    media =
      features.hasMediaControls
      ? MediaPlayerObject(
        of: player, on: bus, process: process, art: TrackArt(find: picture) { post(.art($0)) }
      ) { post(.answer($0)) } : nil
    notifications =
      features.needsNotifications
      ? NotificationService(on: bus, features, title: title, complain: complain) : nil
  }

  /// Handles what other threads have posted, and then the messages of the bus.
  ///
  /// - Returns: false if the connection has ended.
  func step(_ letters: [DesktopLink.Letter]) -> Bool {
    for letter in letters {
      switch letter {
      case .status(let status, let hasJumped):
        media?.update(status, hasJumped: hasJumped)
        notifications?.update(isPlaying: MediaProperties.Status(status) == .playing)
      case .answer(let answer): media?.finish(answer)
      case .art(let found): media?.take(found)
      case .announce(let announcement): notifications?.announce(announcement)
      }
    }
    return bus.process()
  }

  /// Waits for a message or for `call`.
  func wait(for call: WakeUp) { bus.wait(for: call, seconds: 3_600) }

  /// Ends the silence and sends what is still queued, for a third of a second at most.
  func close() {
    notifications?.close()
    if bus.flush(seconds: 0.3) { notifications?.end() }
  }

  /// The connection has ended by itself.
  func end() {
    if let notifications, !notifications.isKnown { complain("the session bus does not answer: \(features.wishes)") }
  }
}
