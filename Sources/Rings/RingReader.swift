public import Synchronization

/// The reading end of a ring. Its functions never wait, allocate or lock; the compiler checks this where they are
/// inlined into `@_noLocks` code.
///
/// It keeps the last `held` elements that it has read from being overwritten, so that it can step back to them.
public struct RingReader<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let memory: RingMemory<Element>
  /// How many of the elements that have been read are kept from being overwritten.
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
  @inlinable public var capacity: Int { memory.size }

  /// How many elements can be read now. Meanwhile the writer may add more, but removes none.
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
    let element = memory[position].pointee
    skip(1)
    return element
  }

  /// The next unread elements that are contiguous in memory, at most `limit`. At the end of the buffer they may be
  /// fewer than `count`. The pointer is valid until the next `skip`.
  @inlinable public func readable(limit: Int) -> UnsafeBufferPointer<Element> {
    let unread = count
    let wanted = unread < limit ? unread : limit
    let first = memory.index(of: position)
    let contiguous = memory.size &- first
    return UnsafeBufferPointer(start: memory.base + first, count: wanted < contiguous ? wanted : contiguous)
  }

  /// Marks `count` elements as read, at most `self.count`. The writer may overwrite all but the last `held` of them.
  @inlinable public mutating func skip(_ count: Int) {
    position &+= count
    let released = position &- held
    if memory.taken.load(ordering: .relaxed) < released { memory.taken.store(released, ordering: .releasing) }
  }

  /// An element that has been read; nil if it is no longer kept. Elements are counted from the last `begin`.
  ///
  /// - Precondition: `number` is less than `consumed`.
  @inlinable public func recent(_ number: Int) -> Element? {
    let index = origin &+ number
    if number < 0 || index < memory.taken.load(ordering: .relaxed) { return nil }
    return memory[index].pointee
  }

  /// Moves to the first element that the writer has written since its last `rewind`, and sets `consumed` to 0.
  @inlinable public mutating func begin() {
    position = memory.taken.load(ordering: .relaxed)
    origin = position
  }

  /// Moves back until `consumed` has the given value.
  ///
  /// - Returns: false, without any change, if those elements are no longer kept.
  @inlinable public mutating func stepBack(to consumed: Int) -> Bool {
    let target = origin &+ consumed
    if position < target || target < memory.taken.load(ordering: .relaxed) { return false }
    position = target
    return true
  }
}
