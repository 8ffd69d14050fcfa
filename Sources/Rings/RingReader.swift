public import Synchronization

/// The reading end of a ring. Its functions never wait, allocate or lock, and are checked where they are inlined.
///
/// It may hold back what it has read, so that it can step back and read it again.
public struct RingReader<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let memory: RingMemory<Element>
  /// How many elements that were read are held back from the writer.
  public let held: Int
  /// The next element to read; at most `held` ahead of what the writer may overwrite.
  @usableFromInline var position = 0
  /// Where reading began last.
  @usableFromInline var origin = 0

  init(memory: RingMemory<Element>, held: Int) {
    self.memory = memory
    self.held = held
  }

  @inlinable public var capacity: Int { memory.mask &+ 1 }

  /// How many elements can be read now; the writer can only make it grow.
  @inlinable public var count: Int { memory.written.load(ordering: .acquiring) &- position }

  /// How many elements can be read after `begin`.
  @inlinable public var countFromBeginning: Int {
    memory.written.load(ordering: .acquiring) &- memory.taken.load(ordering: .relaxed)
  }

  /// Elements read since the beginning.
  @inlinable public var consumed: Int { position &- origin }

  /// Whether the writer has written its last element. Ask before `count`: then what `count` says is all there will be.
  @inlinable public var isClosed: Bool { memory.closed.load(ordering: .acquiring) }

  @inlinable public mutating func pop() -> Element? {
    if count < 1 { return nil }
    let element = memory.base[position & memory.mask]
    skip(1)
    return element
  }

  /// The longest stretch of at most `limit` unread elements that lies in one piece. It stays valid until `skip`.
  @inlinable public func stretch(limit: Int) -> UnsafeBufferPointer<Element> {
    let unread = count
    let wanted = unread < limit ? unread : limit
    let first = position & memory.mask
    let toEdge = memory.mask &+ 1 &- first
    return UnsafeBufferPointer(start: memory.base + first, count: wanted < toEdge ? wanted : toEdge)
  }

  /// Goes on by `count` elements, at most what `self.count` said; the writer gets those that are not held back.
  @inlinable public mutating func skip(_ count: Int) {
    position &+= count
    let released = position &- held
    if memory.taken.load(ordering: .relaxed) < released { memory.taken.store(released, ordering: .releasing) }
  }

  /// An element that was read, by its number since the beginning; nil for one that is no longer held.
  @inlinable public func past(_ number: Int) -> Element? {
    let place = origin &+ number
    if number < 0 || place < memory.taken.load(ordering: .relaxed) { return nil }
    return memory.base[place & memory.mask]
  }

  /// Reads on from the first element that the writer has written since it began anew.
  @inlinable public mutating func begin() {
    position = memory.taken.load(ordering: .relaxed)
    origin = position
  }

  /// Goes back to where `consumed` was that number.
  ///
  /// - Returns: false, and nothing has changed, where that is no longer held.
  @inlinable public mutating func stepBack(to consumed: Int) -> Bool {
    let target = origin &+ consumed
    if position < target || target < memory.taken.load(ordering: .relaxed) { return false }
    position = target
    return true
  }
}
