public import Synchronization

/// The writing end of a ring. Its functions never wait, allocate or lock; the compiler checks this where they are
/// inlined into `@_noLocks` code.
public struct RingWriter<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let memory: RingMemory<Element>

  init(memory: RingMemory<Element>) { self.memory = memory }

  /// The size of the ring's own memory in elements.
  public var capacity: Int { memory.capacity }

  /// How many elements can be written now. Meanwhile the reader may only increase it.
  @inlinable public var free: Int {
    let unread = memory.written.load(ordering: .relaxed) &- memory.taken.load(ordering: .acquiring)
    return memory.size &- unread
  }

  /// Writes one element. Returns false, and writes nothing, if the ring is full.
  @inlinable public mutating func push(_ element: Element) -> Bool {
    if free < 1 { return false }
    let position = memory.written.load(ordering: .relaxed)
    memory[position].pointee = element
    memory.written.store(position &+ 1, ordering: .releasing)
    return true
  }

  /// Writes as many of `count` elements as there is room for, and returns their number.
  @inlinable public mutating func write(_ source: UnsafePointer<Element>, count: Int) -> Int {
    let room = free
    let accepted = room < count ? room : count
    let position = memory.written.load(ordering: .relaxed)
    var index = 0
    while index < accepted {
      memory[position &+ index].pointee = source[index]
      index &+= 1
    }
    memory.written.store(position &+ accepted, ordering: .releasing)
    return accepted
  }

  /// The free memory after the last written element that is contiguous, at most `limit` elements. Fill its beginning,
  /// then call `advance`.
  public func room(limit: Int) -> UnsafeMutableBufferPointer<Element> {
    let first = memory.index(of: memory.written.load(ordering: .relaxed))
    let size = min(limit, free, memory.size - first)
    return UnsafeMutableBufferPointer(start: memory.base + first, count: size)
  }

  /// The free memory that begins `offset` elements after the last written one: at most `limit` elements, and not beyond
  /// the end of the buffer. Other threads may fill it. It becomes readable with `advance`.
  ///
  /// - Precondition: `offset` is less than `free`.
  public func room(after offset: Int, limit: Int) -> UnsafeMutableBufferPointer<Element> {
    let first = memory.index(of: memory.written.load(ordering: .relaxed) &+ offset)
    let size = min(limit, free - offset, memory.size - first)
    return UnsafeMutableBufferPointer(start: memory.base + first, count: size)
  }

  /// The element that was written `count` elements ago; 1 is the last one.
  ///
  /// - Precondition: the memory has not been filled again since.
  public func past(_ count: Int) -> Element {
    memory[memory.written.load(ordering: .relaxed) &- count].pointee
  }

  /// Makes the first `count` elements of `room` readable.
  public mutating func advance(_ count: Int) {
    memory.written.store(memory.written.load(ordering: .relaxed) &+ count, ordering: .releasing)
  }

  /// Marks the ring as complete: no more elements follow.
  @inlinable public mutating func close() { memory.closed.store(true, ordering: .releasing) }

  /// Discards all unread elements, reopens the ring, and continues at the beginning of its memory, so that a short
  /// sound occupies no more memory pages than it needs. Call it only while the reader is idle.
  public mutating func rewind() {
    if memory.lender != nil || memory.size != memory.capacity { memory.replace(size: memory.capacity) }
    moveToBeginning(skipping: 0, count: 0)
    memory.closed.store(false, ordering: .releasing)
  }

  /// Delivers the elements from `first` on, and closes the ring. Their memory takes the place of the ring's own, which
  /// is freed. Call it only while the reader is idle.
  public mutating func lend(_ elements: SharedElements<Element>, from first: Int) {
    memory.replace(size: max(1, elements.count), lender: elements)
    moveToBeginning(skipping: min(first, elements.count), count: elements.count)
    close()
  }

  /// Frees the memory of the ring, until `rewind` or `lend` is called. Call it only while the reader is idle.
  public mutating func release() { if memory.size != 1 { memory.replace(size: 1) } }

  /// Continues at the next element that is the first one of the buffer. The counters never decrease: a reader that has
  /// not called `begin` yet may still compare its own with them.
  private mutating func moveToBeginning(skipping skipped: Int, count: Int) {
    let taken = memory.taken.load(ordering: .acquiring)
    let beginning = (taken &+ memory.size &- 1) / memory.size &* memory.size
    memory.taken.store(beginning &+ skipped, ordering: .relaxed)
    memory.written.store(beginning &+ count, ordering: .releasing)
  }
}
