import Dispatch
import FlyingSocks
import Player
import Synchronization

/// Sends the events of the player to all pages. Each event is written as JSON once, for all of them. A page that reads too
/// slowly misses events, and delays nobody.
final class EventFeed: Sendable {
  private struct State {
    var pages: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
    var lastPage = 0
    /// The last events of the session, for a page that comes back.
    var recent: [(number: Int, bytes: [UInt8])] = []
    var timer: (any DispatchSourceTimer)?
    /// The number of pages that have not got everything and have not gone.
    var readers = 0
    /// Called when there are no readers any more.
    var drained: (@Sendable () -> Void)?
  }

  /// Events that are kept for a page that comes back, and that wait for a slow one.
  private static let (kept, waiting) = (500, 250)
  /// Seconds between two comments, which show both sides that the connection is still there.
  private static let heartbeat = 15

  private let state = Mutex(State())

  /// A session begins, whose events are counted from 1.
  func begin() { state.withLock { $0.recent = [] } }

  func send(_ event: StampedEvent, number: Int) {
    let bytes = Array("id: \(number)\ndata: \(event.json(sequence: number))\n\n".utf8)
    let pages = state.withLock { state in
      state.recent.append((number, bytes))
      if Self.kept < state.recent.count { state.recent.removeFirst() }
      return Array(state.pages.values)
    }
    for page in pages { page.yield(bytes) }
  }

  /// The events from now on, as bytes of server-sent events.
  ///
  /// - Parameter last: the number of the last event that the page has received; the later ones come first, at most 500.
  ///   If the session has not had it yet, because another one plays by now, all of its last events do. A number says
  ///   nothing about its session: who comes back asks for the status.
  func open(after last: Int?) -> EventBytes {
    let (stream, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingNewest(Self.waiting))
    state.withLock { state in
      // The headers of the answer are sent with its first byte.
      continuation.yield(Array(": the events of the player\n\n".utf8))
      if let last {
        let isKnown = state.recent.last.map { last <= $0.number } ?? false
        for event in state.recent where !isKnown || last < event.number { continuation.yield(event.bytes) }
      }
      state.lastPage += 1
      let page = state.lastPage
      state.pages[page] = continuation
      continuation.onTermination = { [weak self] _ in self?.close(page) }
      if state.timer == nil { state.timer = makeTimer() }
      state.readers += 1
    }
    return EventBytes(stream, Reader { [weak self] in self?.left() })
  }

  private func left() {
    state.withLock { state in
      state.readers -= 1
      if state.readers == 0 { state.drained?() }
    }
  }

  private func close(_ page: Int) {
    state.withLock { state in
      state.pages[page] = nil
      if state.pages.isEmpty { state.timer.take()?.cancel() }
    }
  }

  /// Ends all streams.
  func finish() {
    // A stream that ends closes its page, so the lock must not be held.
    for page in state.withLock({ Array($0.pages.values) }) { page.finish() }
  }

  /// Ends all streams, and waits until the pages have got the last events, but at most `limit` seconds.
  func drain(within limit: Double) async {
    finish()
    await Self.wait(seconds: limit) { end in
      state.withLock { state in
        state.drained = end
        if state.readers == 0 { end() }
      }
    }
  }

  /// Waits until the closure that `begin` receives is called, but at most `seconds`.
  static func wait(seconds: Double, _ begin: (@escaping @Sendable () -> Void) -> Void) async {
    let (waiting, end) = AsyncStream<Never>.makeStream()
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { end.finish() }
    begin { end.finish() }
    for await _ in waiting {}
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + .seconds(Self.heartbeat), repeating: .seconds(Self.heartbeat))
    timer.setEventHandler { [weak self] in
      for page in self?.state.withLock({ Array($0.pages.values) }) ?? [] { page.yield(Array(":\n\n".utf8)) }
    }
    timer.resume()
    return timer
  }
}

/// A page that reads events; it has gone when this is released.
final class Reader: Sendable {
  private let left: @Sendable () -> Void

  init(left: @escaping @Sendable () -> Void) { self.left = left }

  deinit { left() }
}

/// The events as a body of an HTTP response.
struct EventBytes: AsyncBufferedSequence, Sendable {
  typealias Element = UInt8

  private let stream: AsyncStream<[UInt8]>
  private let reader: Reader

  init(_ stream: AsyncStream<[UInt8]>, _ reader: Reader) { (self.stream, self.reader) = (stream, reader) }

  func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    private var events: AsyncStream<[UInt8]>.Iterator
    private var rest: ArraySlice<UInt8> = []

    init(_ events: AsyncStream<[UInt8]>.Iterator) { self.events = events }

    mutating func next() async throws -> UInt8? {
      try await nextBuffer(suggested: 1)?.first
    }

    /// At most one event, so that none waits for the next one.
    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      if rest.isEmpty {
        guard let event = await events.next() else { return nil }
        rest = event[...]
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
