public import Synchronization

/// The memory that a writer and a reader share: a circular buffer whose size is a power of two, with one counter for
/// each end. The counters only grow, except that `RingWriter.rewind` sets both while the reader is idle.
///
/// `@unchecked Sendable` holds because each counter has one owner. Only the `RingWriter` stores `written` and accesses
/// the elements from `written` on; only the `RingReader` stores `taken` and accesses the elements before `written`.
/// Both ends are noncopyable, so there is exactly one of each.
///
/// An end stores its own counter with release ordering, and loads the other end's counter with acquire ordering.
/// Everything that one thread wrote before it stored its counter is therefore visible to the other thread after it has
/// loaded that counter.
@usableFromInline final class RingMemory<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// The capacity minus one: `index & mask` is an index into the buffer.
  @usableFromInline let mask: Int
  /// Elements written since the ring was created.
  @usableFromInline let written = Atomic<Int>(0)
  /// Keeps the two counters on separate cache lines. Otherwise each store by one end would slow down the other end.
  let padding: InlineArray<14, UInt64> = .init(repeating: 0)
  /// Elements that the reader no longer needs. Their memory belongs to the writer again.
  @usableFromInline let taken = Atomic<Int>(0)
  /// Whether the writer has written its last element.
  @usableFromInline let closed = Atomic<Bool>(false)

  /// The buffer is not initialised, so a ring that is never used occupies no memory pages. An element is read only
  /// after it has been written.
  init(capacity: Int) {
    base = .allocate(capacity: capacity)
    mask = capacity - 1
  }

  deinit { base.deallocate() }
}

/// A lock-free queue with one writer and one reader, created as its two ends. Each end may be used by one thread at a
/// time. The package uses it wherever samples, commands or reports cross to or from the render thread.
@frozen public struct Ring<Element: BitwiseCopyable>: ~Copyable {
  public let writer: RingWriter<Element>
  public let reader: RingReader<Element>

  /// - Parameters:
  ///   - capacity: the minimum number of elements; rounded up to a power of two.
  ///   - held: how many elements the reader can read again after it has read them; less than the capacity.
  public init(capacity: Int, holding held: Int = 0) {
    var size = 1
    while size < capacity { size *= 2 }
    let memory = RingMemory<Element>(capacity: size)
    writer = RingWriter(memory: memory)
    reader = RingReader(memory: memory, held: held)
  }
}
