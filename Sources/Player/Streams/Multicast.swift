/// Sends the same values to any number of readers, each at its own pace.
///
/// Publishing never waits for a reader, because each has its own buffer. A reader that is too slow loses the oldest
/// values, and its next delivery states how many. Readers can be added and released at any time. Their sequences end
/// with `finish`, or when the multicast is deinitialized.
///
///     let states = Multicast<PlayerState>(buffer: 5, repeatsLatest: true)
///     Task { for await state in states.reader().values { print(state) } }
///     states.publish(.finished)
package final class Multicast<Value: Sendable>: Sendable {
  private let hub: MulticastHub<Value>
  private let buffer: Int

  /// - Parameters:
  ///   - buffer: the number of values kept for each reader, unless `reader(buffer:)` gives another one.
  ///   - repeatsLatest: whether a new reader immediately receives the last published value.
  package init(buffer: Int, repeatsLatest: Bool = false) {
    self.buffer = buffer
    hub = MulticastHub(repeatsLatest: repeatsLatest)
  }

  deinit { hub.finish() }

  /// Sends a value to all readers. May be called from any thread except the render thread, because it takes a lock. Has
  /// no effect after `finish`.
  package func publish(_ value: Value) { hub.publish(value) }

  /// Ends all sequences, after the readers have received the values in their buffers.
  package func finish() { hub.finish() }

  /// A sequence of the values published from now on, for one task. It ends early if that task is cancelled.
  package func reader(buffer: Int? = nil) -> Reader {
    Reader(subscription: Subscription(hub: hub, id: hub.add(buffer: buffer ?? self.buffer)))
  }

  /// The number of readers.
  var readerCount: Int { hub.readerCount }
}

extension Multicast {
  /// A value and the number of values lost before it.
  package struct Delivery: Sendable {
    package var value: Value
    /// How many values before this one were dropped because the reader was too slow.
    package var lost: Int
  }

  /// Removes a reader's buffer when the last copy of the reader is released.
  final class Subscription: Sendable {
    let hub: MulticastHub<Value>
    let id: Int

    init(hub: MulticastHub<Value>, id: Int) {
      self.hub = hub
      self.id = id
    }

    deinit { hub.remove(id) }
  }

  /// An asynchronous sequence of published values. Its copies share one buffer.
  package struct Reader: AsyncSequence, Sendable {
    package typealias Element = Delivery
    package typealias Failure = Never

    let subscription: Subscription

    package struct AsyncIterator: AsyncIteratorProtocol {
      let subscription: Subscription

      package mutating func next() async -> Delivery? { await subscription.hub.next(for: subscription.id) }

      package mutating func next(isolation actor: isolated (any Actor)?) async -> Delivery? {
        await subscription.hub.next(for: subscription.id)
      }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }

    /// The values without the counts of lost ones.
    package var values: AsyncMapSequence<Reader, Value> { map(\.value) }
  }
}
