public import Synchronization

/// The reading end of a ring. Its functions never wait, allocate or lock; the compiler checks this where they are
/// inlined into `@_noLocks` code.
///
/// It can hold the last `held` elements back from the writer, so that it can step back and read them again.
public struct RingReader<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let memory: RingMemory<Element>
  /// How many elements that have been read are held back from the writer.
  public let held: Int
  /// The counter of the next element to read; at most `held` ahead of `memory.taken`.
  @usableFromInline var position = 0
  /// The counter at which reading began last.
  @usableFromInline var origin = 0

  init(memory: RingMemory<Element>, held: Int) {
    self.memory = memory
    self.held = held
  }

  /// The size of the ring in elements.
  @inlinable public var capacity: Int { memory.mask &+ 1 }

  /// How many elements can be read now; the writer can only increase it.
  @inlinable public var count: Int { memory.written.load(ordering: .acquiring) &- position }

  /// How many elements could be read now if `begin` were called first.
  @inlinable public var countFromBeginning: Int {
    memory.written.load(ordering: .acquiring) &- memory.taken.load(ordering: .relaxed)
  }

  /// Elements read since the last `begin`.
  @inlinable public var consumed: Int { position &- origin }

  /// Whether the writer has written its last element. Read this before `count`: if it is true, `count` is final.
  @inlinable public var isClosed: Bool { memory.closed.load(ordering: .acquiring) }

  /// Reads the next element; nil if there is none.
  @inlinable public mutating func pop() -> Element? {
    if count < 1 { return nil }
    let element = memory.base[position & memory.mask]
    skip(1)
    return element
  }

  /// The next unread elements, at most `limit`, up to the end of the buffer. The pointer is valid until the next
  /// `skip`.
  @inlinable public func stretch(limit: Int) -> UnsafeBufferPointer<Element> {
    let unread = count
    let wanted = unread < limit ? unread : limit
    let first = position & memory.mask
    let toEdge = memory.mask &+ 1 &- first
    return UnsafeBufferPointer(start: memory.base + first, count: wanted < toEdge ? wanted : toEdge)
  }

  /// Marks `count` elements as read, at most `self.count`. The writer may overwrite all but the last `held` of them.
  @inlinable public mutating func skip(_ count: Int) {
    position &+= count
    let released = position &- held
    if memory.taken.load(ordering: .relaxed) < released { memory.taken.store(released, ordering: .releasing) }
  }

  /// An element that has been read, by its number since the last `begin`; nil if it is no longer held.
  ///
  /// - Precondition: `number` is less than `consumed`.
  @inlinable public func recent(_ number: Int) -> Element? {
    let index = origin &+ number
    if number < 0 || index < memory.taken.load(ordering: .relaxed) { return nil }
    return memory.base[index & memory.mask]
  }

  /// Starts over at the first element that the writer has written since its last `rewind`.
  @inlinable public mutating func begin() {
    position = memory.taken.load(ordering: .relaxed)
    origin = position
  }

  /// Steps back until `consumed` has the given value.
  ///
  /// - Returns: false, without any change, if those elements are no longer held.
  @inlinable public mutating func stepBack(to consumed: Int) -> Bool {
    let target = origin &+ consumed
    if position < target || target < memory.taken.load(ordering: .relaxed) { return false }
    position = target
    return true
  }
}
