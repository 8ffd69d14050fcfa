import Foundation
import Player
import TestSupport
import Testing

@testable import Web

/// The events as pages receive them.
struct EventFeedTests {
  private static func event(_ words: String) -> StampedEvent {
    StampedEvent(run: 1, session: 1, event: .warning(words))
  }

  @Test func `a page receives each event with its number, from the moment at which it listens`() async throws {
    let fixture = try await PageFixture()
    let token = fixture.access.tokens.view
    let port = fixture.server.address.port
    let player = fixture.player
    let text = try await onOwnThread {
      let connection = try Connection(to: port)
      connection.send(Array("GET /api/events?token=\(token) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      let head = connection.until("events of the player")
      #expect(head.contains("Content-Type: text/event-stream"))
      player.send(Self.event("one"))
      player.send(Self.event("two"))
      return connection.until("two")
    }
    #expect(text.contains("id: 1\ndata: {\"v\":1,\"seq\":1,") && text.contains("id: 2\ndata: {\"v\":1,\"seq\":2,"))
    await fixture.server.stop()
  }

  @Test func `a page receives the last events although the server stops`() async throws {
    let fixture = try await PageFixture()
    let token = fixture.access.tokens.view
    let port = fixture.server.address.port
    let connection = try await onOwnThread {
      let connection = try Connection(to: port)
      connection.send(Array("GET /api/events?token=\(token) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      _ = connection.until("events of the player")
      return connection
    }
    for number in 1...200 { fixture.player.send(Self.event("event \(number)")) }
    fixture.player.finish()
    fixture.playing.end()
    await fixture.server.stop()
    let text = try await onOwnThread { String(decoding: connection.rest(), as: UTF8.self) }
    #expect(text.contains("event 200\""), "\(text.suffix(200))")
  }

  private static func bytes(of page: EventBytes, count: Int) async throws -> String {
    var (iterator, all) = (page.makeAsyncIterator(), [UInt8]())
    for _ in 0..<count { all += try await iterator.nextBuffer(suggested: 4_096) ?? [] }
    return String(decoding: all, as: UTF8.self)
  }

  @Test func `a page that comes back gets what it has missed, and after a new session what that has told so far`()
    async throws
  {
    let feed = EventFeed()
    for number in 1...5 { feed.send(Self.event("event \(number)"), number: number) }
    let missed = try await Self.bytes(of: feed.open(after: 3), count: 3)
    #expect(!missed.contains("event 3") && missed.contains("event 4") && missed.contains("event 5"))
    feed.begin()
    feed.send(Self.event("of the next session"), number: 1)
    #expect(try await Self.bytes(of: feed.open(after: 5), count: 2).contains("of the next session"))
    #expect(try await Self.bytes(of: feed.open(after: nil), count: 1).contains("id:") == false)
  }

  @Test func `a page that reads nothing keeps the last 250 events, and delays nobody`() async throws {
    let feed = EventFeed()
    let slow = feed.open(after: nil)
    for number in 1...10_000 { feed.send(Self.event("\(number)"), number: number) }
    feed.finish()
    var (iterator, count, first) = (slow.makeAsyncIterator(), 0, "")
    while let event = try await iterator.nextBuffer(suggested: 4_096) {
      if count == 0 { first = String(decoding: event, as: UTF8.self) }
      count += 1
    }
    #expect(count == 250 && first.hasPrefix("id: 9751\n"))
  }

  @Test func `an event that is longer than a piece of the body arrives whole`() async throws {
    let feed = EventFeed()
    let page = feed.open(after: nil)
    feed.send(Self.event(String(repeating: "x", count: 10_000)), number: 1)
    feed.finish()
    var (iterator, all) = (page.makeAsyncIterator(), [UInt8]())
    while let piece = try await iterator.nextBuffer(suggested: 100) { all += piece }
    #expect(String(decoding: all, as: UTF8.self).contains(String(repeating: "x", count: 10_000)))
  }
}
