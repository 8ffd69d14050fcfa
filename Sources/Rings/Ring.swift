public import Synchronization

/// The memory that a writer and a reader share: a circular buffer, with one counter for each end. The counters only
/// grow; while the reader is idle, `RingWriter.rewind` may move both ahead to the next beginning of the buffer.
///
/// `@unchecked Sendable` holds because each counter has one owner. Only the `RingWriter` stores `written` and accesses
/// the elements from `written` on; only the `RingReader` stores `taken` and accesses the elements before `written`.
/// Both ends are noncopyable, so there is exactly one of each.
///
/// An end stores its own counter with release ordering, and loads the other end's counter with acquire ordering.
/// Everything that one thread wrote before it stored its counter is therefore visible to the other thread after it has
/// loaded that counter.
///
/// The writer replaces the buffer only while the reader is idle: by one of its own, or by `SharedElements`.
@usableFromInline final class RingMemory<Element: BitwiseCopyable>: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var base: UnsafeMutablePointer<Element>
  /// The number of elements in the buffer, at least 1.
  @exclusivity(unchecked) @usableFromInline var size: Int
  /// The owner of the buffer; nil if the ring has allocated it, or has none.
  @exclusivity(unchecked) var lender: SharedElements<Element>?
  /// The size of the ring's own buffer when it is allocated.
  let capacity: Int
  /// Elements written since the ring was created.
  @usableFromInline let written = Atomic<Int>(0)
  /// Keeps the two counters on separate cache lines. Otherwise each store by one end would slow down the other end.
  let padding: InlineArray<14, UInt64> = .init(repeating: 0)
  /// Elements that the reader no longer needs. Their memory belongs to the writer again.
  @usableFromInline let taken = Atomic<Int>(0)
  /// Whether the writer has written its last element.
  @usableFromInline let closed = Atomic<Bool>(false)

  /// The buffer is not initialised, so a part that is never used occupies no memory pages. An element is read only
  /// after it has been written.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    size = self.capacity
    base = .allocate(capacity: size)
  }

  deinit { if lender == nil { base.deallocate() } }

  /// The address of the element that has the number `counter`.
  @inlinable subscript(counter: Int) -> UnsafeMutablePointer<Element> { base + index(of: counter) }

  /// Its index in the buffer.
  @inlinable func index(of counter: Int) -> Int { counter % size }

  /// Replaces the buffer by one of `size` elements, at least 1. Called while the reader is idle.
  ///
  /// - Parameter lender: the elements that become the buffer; nil to allocate one.
  func replace(size: Int, lender: SharedElements<Element>? = nil) {
    if self.lender == nil { base.deallocate() }
    (base, self.size) = (lender?.base ?? .allocate(capacity: size), size)
    self.lender = lender
  }
}

/// Elements that don't change, which several rings deliver at the same time without a copy of their own: see
/// `RingWriter.lend`.
///
/// `@unchecked Sendable` holds because the memory is written only by the initialiser, before the object is shared.
public final class SharedElements<Element: BitwiseCopyable>: @unchecked Sendable {
  let base: UnsafeMutablePointer<Element>
  public let count: Int

  /// - Parameters:
  ///   - capacity: the maximum number of elements.
  ///   - fill: fills the beginning of the memory, and returns how many elements it has filled.
  public init(capacity: Int, fill: (UnsafeMutableBufferPointer<Element>) -> Int) {
    base = .allocate(capacity: max(1, capacity))
    count = fill(UnsafeMutableBufferPointer(start: base, count: capacity))
  }

  deinit { base.deallocate() }
}

/// A lock-free queue with one writer and one reader, created as its two ends. Each end may be used by one thread at a
/// time. The package uses it wherever samples, commands or reports cross to or from the render thread.
@frozen public struct Ring<Element: BitwiseCopyable>: ~Copyable {
  public let writer: RingWriter<Element>
  public let reader: RingReader<Element>

  /// - Parameters:
  ///   - capacity: the number of elements, at least 1.
  ///   - held: how many elements the reader can read again after it has read them; less than the capacity.
  public init(capacity: Int, holding held: Int = 0) {
    let memory = RingMemory<Element>(capacity: capacity)
    writer = RingWriter(memory: memory)
    reader = RingReader(memory: memory, held: held)
  }
}
