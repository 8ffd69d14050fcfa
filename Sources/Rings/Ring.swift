public import Synchronization

/// The memory that a writer and a reader share: a power-of-two circle with two counters that only grow.
///
/// `@unchecked Sendable` holds because each counter has one owner: the `RingWriter` alone stores `written` and touches the
/// elements from `written` on, the `RingReader` alone stores `taken` and touches those before `written`. Both are
/// noncopyable, so there is one of each. `rewind` stores both counters, while the reader is idle. Storing a counter releases, loading the other side's acquires: what
/// one thread wrote before it moved its counter, the other sees after it has read it.
@usableFromInline final class RingMemory<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  @usableFromInline let written = Atomic<Int>(0)
  /// Keeps the two counters on cache lines of their own.
  let padding: InlineArray<14, UInt64> = .init(repeating: 0)
  @usableFromInline let taken = Atomic<Int>(0)
  /// Set by the writer after its last element.
  @usableFromInline let closed = Atomic<Bool>(false)

  /// Memory is left as it comes, so that a ring that is never used costs no page; nothing is read before it is written.
  init(capacity: Int) {
    base = .allocate(capacity: capacity)
    mask = capacity - 1
  }

  deinit { base.deallocate() }
}

/// A lock-free queue of one writer and one reader, taken apart into its two ends.
@frozen public struct Ring<Element: BitwiseCopyable>: ~Copyable {
  public let writer: RingWriter<Element>
  public let reader: RingReader<Element>

  /// - Parameters:
  ///   - capacity: at least this many elements; rounded up to a power of two.
  ///   - held: how many elements that were read can be read again; less than the capacity.
  public init(capacity: Int, holding held: Int = 0) {
    var size = 1
    while size < capacity { size *= 2 }
    let memory = RingMemory<Element>(capacity: size)
    writer = RingWriter(memory: memory)
    reader = RingReader(memory: memory, held: held)
  }
}
