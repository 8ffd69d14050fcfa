import Synchronization

/// Sends the same values to any number of readers, each at its own pace.
///
/// Publishing never waits for a reader, because each has its own buffer. Readers can be added and released at any time.
/// Their streams end with `finish`, or when the multicast is deinitialized, after the readers have received the values
/// in their buffers.
///
///     let states = Multicast<PlayerState>(repeatsLatest: true)
///     Task { for await delivery in states.reader() { print(delivery.value) } }
///     states.publish(.finished)
package final class Multicast<Value: Sendable>: Sendable {
  /// A value and its number for this reader, from 1. The numbers of values that were dropped are missing.
  package struct Delivery: Sendable {
    package var number: Int
    package var value: Value
  }

  package typealias Reader = AsyncStream<Delivery>
  /// Which values are kept for a reader that is slower than the publisher.
  package typealias Policy = Reader.Continuation.BufferingPolicy

  private struct Subscription {
    let id: Int
    let continuation: Reader.Continuation
    /// The number of values that were sent.
    var count = 0

    mutating func send(_ value: Value) {
      count += 1
      continuation.yield(Delivery(number: count, value: value))
    }
  }

  private struct State {
    var subscriptions: [Subscription] = []
    var lastID = 0
    var latest: Value?
    var isFinished = false
  }

  private let state = Mutex(State())
  private let repeatsLatest: Bool

  /// - Parameter repeatsLatest: whether a new reader immediately receives the last published value.
  package init(repeatsLatest: Bool = false) { self.repeatsLatest = repeatsLatest }

  deinit { finish() }

  /// The number of readers.
  var readerCount: Int { state.withLock { $0.subscriptions.count } }

  /// Sends a value to all readers. May be called from any thread except the render thread, because it takes a lock. Has
  /// no effect after `finish`.
  package func publish(_ value: Value) {
    // The lock is held until all readers have the value, so that they receive the values in the same order.
    state.withLock { state in
      if state.isFinished { return }
      if repeatsLatest { state.latest = value }
      for index in state.subscriptions.indices { state.subscriptions[index].send(value) }
    }
  }

  /// Ends all streams, after the readers have received the values in their buffers.
  package func finish() {
    // A stream that ends removes its subscription, so the lock must not be held here.
    let subscriptions = state.withLock { state in
      state.isFinished = true
      return state.subscriptions
    }
    for subscription in subscriptions { subscription.continuation.finish() }
  }

  /// A stream of the values published from now on, for one task. It ends early if that task is cancelled.
  package func reader(_ policy: Policy = .bufferingNewest(16)) -> Reader {
    let (stream, continuation) = Reader.makeStream(bufferingPolicy: policy)
    let (id, isFinished) = state.withLock { state in
      state.lastID += 1
      var subscription = Subscription(id: state.lastID, continuation: continuation)
      if let latest = state.latest { subscription.send(latest) }
      state.subscriptions.append(subscription)
      return (subscription.id, state.isFinished)
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    if isFinished { continuation.finish() }
    return stream
  }

  private func remove(_ id: Int) { state.withLock { $0.subscriptions.removeAll { $0.id == id } } }
}
