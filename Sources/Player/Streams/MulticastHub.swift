import Synchronization

/// The state that the publisher and the readers of a multicast share.
///
/// One lock guards it. No continuation is resumed while the lock is held, so a thread holds it no longer than it takes
/// to append a value to each buffer.
final class MulticastHub<Value: Sendable>: Sendable {
  typealias Delivery = Multicast<Value>.Delivery
  private typealias Continuation = CheckedContinuation<Delivery?, Never>

  private struct Reader {
    let id: Int
    var buffer: DroppingBuffer<Value>
    var lost = 0
    /// The calls of `next` that wait for a value. While there are any, the buffer is empty.
    var waiting: [(ticket: Int, continuation: Continuation)] = []

    /// Buffers a value, unless a call of `next` waits for it.
    ///
    /// - Returns: the call that receives the value.
    mutating func take(_ value: Value) -> Continuation? {
      if !waiting.isEmpty { return waiting.removeFirst().continuation }
      if buffer.append(value) != nil { lost += 1 }
      return nil
    }

    mutating func next() -> Delivery? {
      guard let value = buffer.popFirst() else { return nil }
      defer { lost = 0 }
      return Delivery(value: value, lost: lost)
    }
  }

  private struct State {
    var readers: [Reader] = []
    var latest: Value?
    var isFinished = false
    var lastNumber = 0

    func index(of id: Int) -> Int? { readers.firstIndex { $0.id == id } }
  }

  private let state = Mutex(State())
  private let repeatsLatest: Bool

  init(repeatsLatest: Bool) { self.repeatsLatest = repeatsLatest }

  var readerCount: Int { state.withLock { $0.readers.count } }

  func add(buffer: Int) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      var reader = Reader(id: state.lastNumber, buffer: DroppingBuffer(capacity: buffer))
      if let latest = state.latest { reader.buffer.append(latest) }
      state.readers.append(reader)
      return reader.id
    }
  }

  func remove(_ id: Int) {
    // The reader is released outside the lock, because the deinitializers of its values may run any code.
    _ = state.withLock { state in state.index(of: id).map { state.readers.remove(at: $0) } }
  }

  func publish(_ value: Value) {
    let waiting = state.withLock { state -> [Continuation] in
      if state.isFinished { return [] }
      if repeatsLatest { state.latest = value }
      return state.readers.indices.compactMap { state.readers[$0].take(value) }
    }
    for continuation in waiting { continuation.resume(returning: Delivery(value: value, lost: 0)) }
  }

  func finish() {
    let waiting = state.withLock { state -> [Continuation] in
      state.isFinished = true
      return state.readers.indices.flatMap { index in
        defer { state.readers[index].waiting = [] }
        return state.readers[index].waiting.map(\.continuation)
      }
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }

  /// Waits for the next value; nil at the end, or if the task is cancelled.
  func next(for id: Int) async -> Delivery? {
    let ticket = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0, for: id, ticket: ticket) }
    } onCancel: {
      cancel(ticket, for: id)
    }
  }

  private enum Answer {
    case now(Delivery?)
    case later
  }

  private func wait(_ continuation: Continuation, for id: Int, ticket: Int) {
    let answer = state.withLock { state -> Answer in
      guard let index = state.index(of: id) else { return .now(nil) }
      if let delivery = state.readers[index].next() { return .now(delivery) }
      // Checked under the lock, so that a later cancellation finds the ticket.
      if state.isFinished || Task.isCancelled { return .now(nil) }
      state.readers[index].waiting.append((ticket, continuation))
      return .later
    }
    if case .now(let delivery) = answer { continuation.resume(returning: delivery) }
  }

  private func cancel(_ ticket: Int, for id: Int) {
    let waiting = state.withLock { state -> Continuation? in
      guard let index = state.index(of: id),
        let position = state.readers[index].waiting.firstIndex(where: { $0.ticket == ticket })
      else { return nil }
      return state.readers[index].waiting.remove(at: position).continuation
    }
    waiting?.resume(returning: nil)
  }
}
