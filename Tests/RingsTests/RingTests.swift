import Glibc
import Rings
import Synchronization
import TestSupport
import Testing

@Suite struct RingTests {
  @Test func `elements come out in the order in which they went in, over the edge too`() {
    let ring = Ring<Int>(capacity: 4)
    var writer = ring.writer
    var reader = ring.reader
    for round in 0..<10 {
      let values = [3 * round, 3 * round + 1, 3 * round + 2]
      let accepted = writer.write(values, count: 3)
      #expect(accepted == 3)
      let read = [reader.pop(), reader.pop(), reader.pop(), reader.pop()]
      #expect(read == [3 * round, 3 * round + 1, 3 * round + 2, nil])
    }
  }

  @Test func `a full ring takes no more and loses nothing`() {
    let ring = Ring<Int>(capacity: 3)
    var writer = ring.writer
    var reader = ring.reader
    let accepted = writer.write([1, 2, 3, 4, 5], count: 5)
    #expect(accepted == 4)
    let taken = writer.push(6)
    let (free, unread) = (writer.free, reader.count)
    #expect(!taken && free == 0 && unread == 4)
    let first = reader.pop()
    let again = writer.push(7)
    #expect(first == 1 && again)
  }

  @Test func `a stretch ends at the edge and stays until it is skipped`() {
    let ring = Ring<Int>(capacity: 4)
    var writer = ring.writer
    var reader = ring.reader
    _ = writer.write([1, 2, 3], count: 3)
    reader.skip(3)
    _ = writer.write([4, 5, 6], count: 3)
    #expect(Array(reader.stretch(limit: 9)) == [4] && reader.peek(2) == 6)
    reader.skip(1)
    #expect(Array(reader.stretch(limit: 1)) == [5] && Array(reader.stretch(limit: 9)) == [5, 6])
  }

  @Test func `rewinding takes back what is unread and opens the ring again`() {
    let ring = Ring<Int>(capacity: 4)
    var writer = ring.writer
    var reader = ring.reader
    _ = writer.write([1, 2, 3], count: 3)
    writer.close()
    let closed = reader.isClosed
    #expect(closed)
    writer.rewind()
    let open = !reader.isClosed
    let (unread, free) = (reader.count, writer.free)
    #expect(open && unread == 0 && free == 4)
    _ = writer.push(9)
    let next = reader.pop()
    #expect(next == 9)
  }

  /// The edge comes round every few elements; ThreadSanitizer sees here whether what is read was published.
  @Test func `what one thread writes another reads, whole and in order`() async throws {
    let ring = Ring<Int>(capacity: 16)
    let writer = Owned(ring.writer)
    let reader = Owned(ring.reader)
    let count = 200_000
    let writing = Background {
      writer.end.withLock { end in
        for value in 0..<count {
          while !end.push(value) { sched_yield() }
        }
        end.close()
      }
    }
    let misplaced = try await onOwnThread { reader.end.withLock { countMisplaced(in: &$0, of: count) } }
    #expect(misplaced == 0)
    try writing.value(within: 5)
  }
}

/// Reads `count` elements that should count up from 0, and tells how many do not.
private func countMisplaced(in end: inout RingReader<Int>, of count: Int) -> Int {
  var misplaced = 0
  for expected in 0..<count {
    var value = end.pop()
    while value == nil {
      // The writer closes after its last element: what is not there then never comes.
      if end.isClosed, end.count == 0 { return count }
      sched_yield()
      value = end.pop()
    }
    if value != expected { misplaced += 1 }
  }
  return misplaced
}

/// One end on its way to the one thread that uses it.
private final class Owned<End: ~Copyable>: Sendable {
  let end: Mutex<End>
  init(_ end: consuming sending End) { self.end = Mutex(end) }
}
