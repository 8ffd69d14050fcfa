package import Player
import Synchronization

/// The session that plays now, as the page sees it. In `serve` one follows the other.
package final class NowPlaying: Sendable {
  /// A session that plays.
  package struct Session: Sendable {
    package var player: any PlayerControl
    /// Reads a command of the page. It refuses what the page may not do.
    package var understand: @Sendable (String) -> ControlRequest
    /// The session as it is planned now, as JSON text; nil if it is over.
    package var timeline: @Sendable () async -> String?

    package init(
      player: any PlayerControl, understand: @escaping @Sendable (String) -> ControlRequest,
      timeline: @escaping @Sendable () async -> String?
    ) {
      (self.player, self.understand, self.timeline) = (player, understand, timeline)
    }
  }

  private let current = Mutex<Session?>(nil)
  let feed = EventFeed()

  package init() {}

  /// The session that plays; nil between two of them.
  var session: Session? { current.withLock(\.self) }

  /// A session begins. Its events reach the pages from now on.
  package func begin(_ session: Session) {
    let events = session.player.events(.bufferingNewest(1_000))
    current.withLock { $0 = session }
    feed.begin()
    Task { [feed] in for await event in events { feed.send(event.value, number: event.number) } }
  }

  /// Fades the session out, so that another one can follow.
  package func finish() async { _ = await session?.player.perform(.finish()) }

  /// The session has ended.
  package func end() { current.withLock { $0 = nil } }
}
