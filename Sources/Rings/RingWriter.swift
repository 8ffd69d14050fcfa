public import Synchronization

/// The writing end of a ring. Its functions never wait, allocate or lock, and are checked where they are inlined.
public struct RingWriter<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let memory: RingMemory<Element>

  init(memory: RingMemory<Element>) { self.memory = memory }

  public var capacity: Int { memory.mask + 1 }

  /// How many elements can be written now; the reader can only make it grow.
  @inlinable public var free: Int {
    let unread = memory.written.load(ordering: .relaxed) &- memory.taken.load(ordering: .acquiring)
    return memory.mask &+ 1 &- unread
  }

  /// False, and nothing written, when the ring is full.
  @inlinable public mutating func push(_ element: Element) -> Bool {
    if free < 1 { return false }
    let position = memory.written.load(ordering: .relaxed)
    memory.base[position & memory.mask] = element
    memory.written.store(position &+ 1, ordering: .releasing)
    return true
  }

  /// Writes as many of `count` elements as there is room for, in order, and returns how many.
  @inlinable public mutating func write(_ source: UnsafePointer<Element>, count: Int) -> Int {
    let room = free
    let accepted = room < count ? room : count
    let position = memory.written.load(ordering: .relaxed)
    var index = 0
    while index < accepted {
      memory.base[(position &+ index) & memory.mask] = source[index]
      index &+= 1
    }
    memory.written.store(position &+ accepted, ordering: .releasing)
    return accepted
  }

  /// The room that lies in one piece behind what is written, at most `limit` elements, to be filled and then advanced over.
  public func room(limit: Int) -> UnsafeMutableBufferPointer<Element> {
    let first = memory.written.load(ordering: .relaxed) & memory.mask
    let size = min(limit, free, memory.mask + 1 - first)
    return UnsafeMutableBufferPointer(start: memory.base + first, count: size)
  }

  /// Hands `count` elements of `room` to the reader.
  public mutating func advance(_ count: Int) {
    memory.written.store(memory.written.load(ordering: .relaxed) &+ count, ordering: .releasing)
  }

  /// Says that nothing follows what has been written.
  @inlinable public mutating func close() { memory.closed.store(true, ordering: .releasing) }

  /// Takes back everything unread, opens the ring again and continues at the beginning of its memory, so that a short sound
  /// touches no more of it than it needs. Only while nobody reads: the caller has been told that the reader is idle.
  @inlinable public mutating func rewind() {
    let beginning = (memory.taken.load(ordering: .acquiring) &+ memory.mask) & ~memory.mask
    memory.taken.store(beginning, ordering: .relaxed)
    memory.written.store(beginning, ordering: .releasing)
    memory.closed.store(false, ordering: .releasing)
  }
}
