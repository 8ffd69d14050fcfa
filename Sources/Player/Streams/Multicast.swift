/// Tells any number of readers the same values, each at its own pace.
///
/// Publishing waits for nobody: each reader has a buffer of its own, and one who is too slow loses the oldest values and is
/// told how many. Readers come and go at any time; when the multicast ends, or is gone, so do they.
///
///     let states = Multicast<PlayerState>(buffer: 5, repeatsLatest: true)
///     Task { for await state in states.reader().values { print(state) } }
///     states.publish(.finished)
public final class Multicast<Value: Sendable>: Sendable {
  private let hub: MulticastHub<Value>
  private let buffer: Int

  /// - Parameters:
  ///   - buffer: values that are kept for a reader until it asks for them, unless it wants another number.
  ///   - repeatsLatest: a new reader gets the last value that was published at once.
  public init(buffer: Int, repeatsLatest: Bool = false) {
    self.buffer = buffer
    hub = MulticastHub(repeatsLatest: repeatsLatest)
  }

  deinit { hub.finish() }

  /// Tells all readers; from any thread but the render thread. After `finish` nothing is told.
  public func publish(_ value: Value) { hub.publish(value) }

  /// Readers get what is kept for them, and then their sequences end.
  public func finish() { hub.finish() }

  /// A sequence of what is published from now on, for one task; it ends early when that task is cancelled.
  public func reader(buffer: Int? = nil) -> Reader {
    Reader(subscription: Subscription(hub: hub, id: hub.add(buffer: buffer ?? self.buffer)))
  }

  /// How many there are.
  var readerCount: Int { hub.readerCount }
}

extension Multicast {
  /// What a reader is told.
  public struct Delivery: Sendable {
    public var value: Value
    /// How many values before this one the reader was too slow for.
    public var lost: Int
  }

  /// Keeps the buffer for as long as somebody may read from it.
  final class Subscription: Sendable {
    let hub: MulticastHub<Value>
    let id: Int

    init(hub: MulticastHub<Value>, id: Int) {
      self.hub = hub
      self.id = id
    }

    deinit { hub.remove(id) }
  }

  public struct Reader: AsyncSequence, Sendable {
    public typealias Element = Delivery
    public typealias Failure = Never

    let subscription: Subscription

    public struct AsyncIterator: AsyncIteratorProtocol {
      let subscription: Subscription

      public mutating func next() async -> Delivery? { await subscription.hub.next(for: subscription.id) }

      public mutating func next(isolation actor: isolated (any Actor)?) async -> Delivery? {
        await subscription.hub.next(for: subscription.id)
      }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }

    /// The values alone, for a reader that doesn't mind losing some.
    public var values: AsyncMapSequence<Reader, Value> { map(\.value) }
  }
}
