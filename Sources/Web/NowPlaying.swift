import Foundation
package import Player
import Synchronization

/// The session that plays now, as the page sees it. In `serve` one follows the other.
package final class NowPlaying: Sendable {
  /// A session that plays.
  package struct Session: Sendable {
    /// Different for each session that plays, even if it is read from the same file.
    let id = UUID()
    package var player: any PlayerControl
    /// Ends the session with a fade of so many seconds, because another one takes its place.
    package var leave: @Sendable (Double) -> Void
    /// Reads a command of the page. It refuses what the page may not do.
    package var understand: @Sendable (String) -> ControlRequest
    /// The session as it is planned now, as JSON text; nil if it is over.
    package var timeline: @Sendable () async -> String?

    package init(
      player: any PlayerControl, leave: @escaping @Sendable (Double) -> Void,
      understand: @escaping @Sendable (String) -> ControlRequest, timeline: @escaping @Sendable () async -> String?
    ) {
      (self.player, self.leave, self.understand, self.timeline) = (player, leave, understand, timeline)
    }
  }

  private struct State {
    var session: Session?
    /// Whether another session takes the place of the one that plays or opens.
    var isReplaced = false
    var hasEnded = false
    /// Passes the events of the last session to the feed, until it ends.
    var forwarding: Task<Void, Never>?
  }

  /// Seconds of the fade-out of a session that is heard, and of one that is not.
  private static let (fade, shortFade) = (3.0, 0.02)

  private let state = Mutex(State())
  let feed = EventFeed()

  package init() {}

  /// The session that plays; nil between two of them.
  var session: Session? { state.withLock(\.session) }

  /// Whether a session has been played, and no other one is.
  var isOver: Bool { state.withLock { $0.hasEnded && $0.session == nil } }

  /// A session is being opened, which `begin` follows, unless it can't be played.
  package func open() { state.withLock { $0.isReplaced = false } }

  /// A session begins. Its events reach the pages from now on.
  package func begin(_ session: Session) {
    let events = session.player.events(.bufferingNewest(1_000))
    let isReplaced = state.withLock { state in
      state.session = session
      return state.isReplaced
    }
    feed.begin()
    let forwarding = Task { [feed] in
      for await event in events { feed.send(event.value, number: event.number) }
    }
    state.withLock { $0.forwarding = forwarding }
    // Nothing of it has been heard that could fade out.
    if isReplaced { session.leave(Self.shortFade) }
  }

  /// Another session was chosen: the one that plays fades out. One that opens ends as soon as it begins.
  package func replace() {
    let session = state.withLock { state in
      defer { state.isReplaced = true }
      return state.isReplaced ? nil : state.session
    }
    session?.leave(Self.fade)
  }

  /// The session has ended.
  package func end() { state.withLock { ($0.session, $0.hasEnded) = (nil, true) } }

  /// Sends the pages the rest of the events of a session that has ended, and nothing more. Each of the two steps takes at
  /// most `limit` seconds.
  func drain(within limit: Double) async {
    if let forwarding = state.withLock({ $0.session == nil ? $0.forwarding : nil }) {
      await EventFeed.wait(seconds: limit) { end in
        Task {
          await forwarding.value
          end()
        }
      }
    }
    await feed.drain(within: limit)
  }
}
