import Engine
import MessageBus
import Player
import Sounds

/// The connection to the session bus, with the media player object and the notifications. Only the bus thread uses it.
final class DesktopService {
  private let bus: BusConnection
  private let features: DesktopFeatures
  private let warn: @Sendable (String) -> Void
  private let media: MediaPlayerObject?
  private let notifications: NotificationService?

  /// Returns nil if there is no bus.
  ///
  /// - Parameter post: called on any thread to pass a job to the next `step`.
  init?(
    _ features: DesktopFeatures, title: String, of player: any PlayerControl, bus address: String?, process: Int32,
    picture: @escaping @Sendable (SoundSource.Origin) -> String?,
    warn: @escaping @Sendable (String) -> Void, post: @escaping @Sendable (DesktopLink.Job) -> Void
  ) {
    guard let bus = BusConnection(to: address.map { .address($0) } ?? .session) else { return nil }
    (self.bus, self.features, self.warn) = (bus, features, warn)
    media =
      features.hasMediaControls
      ? MediaPlayerObject(
        of: player, on: bus, process: process, art: TrackArt(find: picture) { post(.art($0)) }
      ) { post(.answer($0)) } : nil
    notifications =
      features.needsNotifications
      ? NotificationService(on: bus, features, title: title, warn: warn) : nil
  }

  /// Performs the posted jobs, and then handles the messages of the bus.
  ///
  /// - Returns: false if the connection has ended.
  func step(_ jobs: [DesktopLink.Job]) -> Bool {
    for job in jobs {
      switch job {
      case .status(let status, let hasJumped):
        media?.update(status, hasJumped: hasJumped)
        notifications?.update(isPlaying: MediaProperties.Status(status) == .playing)
      case .answer(let answer): media?.finish(answer)
      case .art(let found): media?.update(found)
      case .announce(let announcement): notifications?.announce(announcement)
      }
    }
    return bus.process()
  }

  /// Waits for a message or for `wakeUp`.
  func wait(for wakeUp: WakeUp) { bus.wait(for: wakeUp, seconds: 3_600) }

  /// Stops silencing notifications, and sends what is still queued. Waits at most a third of a second.
  func close() {
    notifications?.close()
    if bus.flush(seconds: 0.3) { notifications?.end() }
  }

  /// Called when the bus has closed the connection. Warns if it did so before it answered.
  func end() {
    if let notifications, !notifications.hasAnswered {
      warn("the session bus does not answer: \(features.missingEffect)")
    }
  }
}
