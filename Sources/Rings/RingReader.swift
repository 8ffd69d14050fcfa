public import Synchronization

/// The reading end of a ring. Its functions never wait, allocate or lock, and are checked where they are inlined.
public struct RingReader<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let memory: RingMemory<Element>

  init(memory: RingMemory<Element>) { self.memory = memory }

  @inlinable public var capacity: Int { memory.mask &+ 1 }

  /// How many elements can be read now; the writer can only make it grow.
  @inlinable public var count: Int {
    memory.written.load(ordering: .acquiring) &- memory.taken.load(ordering: .relaxed)
  }

  /// Whether the writer has written its last element. Ask before `count`: then what `count` says is all there will be.
  @inlinable public var isClosed: Bool { memory.closed.load(ordering: .acquiring) }

  @inlinable public mutating func pop() -> Element? {
    if count < 1 { return nil }
    let position = memory.taken.load(ordering: .relaxed)
    let element = memory.base[position & memory.mask]
    memory.taken.store(position &+ 1, ordering: .releasing)
    return element
  }

  /// The unread element `offset` places on; `offset` is less than `count`.
  @inlinable public func peek(_ offset: Int) -> Element {
    memory.base[(memory.taken.load(ordering: .relaxed) &+ offset) & memory.mask]
  }

  /// The longest stretch of at most `limit` unread elements that lies in one piece. It stays valid until `skip`.
  @inlinable public func stretch(limit: Int) -> UnsafeBufferPointer<Element> {
    let unread = count
    let wanted = unread < limit ? unread : limit
    let first = memory.taken.load(ordering: .relaxed) & memory.mask
    let toEdge = memory.mask &+ 1 &- first
    return UnsafeBufferPointer(start: memory.base + first, count: wanted < toEdge ? wanted : toEdge)
  }

  /// Gives `count` elements back to the writer; `count` is at most what `self.count` said.
  @inlinable public mutating func skip(_ count: Int) {
    memory.taken.store(memory.taken.load(ordering: .relaxed) &+ count, ordering: .releasing)
  }
}
