import Glibc
import Rings
import Synchronization
import TestSupport
import Testing

@Suite struct RingTests {
  @Test func `elements are read in the order in which they were written, also across the end of the memory`() {
    let ring = Ring<Int>(capacity: 5)
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

  @Test func `a full ring accepts no more and loses nothing`() {
    let ring = Ring<Int>(capacity: 3)
    var writer = ring.writer
    var reader = ring.reader
    let accepted = writer.write([1, 2, 3, 4, 5], count: 5)
    #expect(accepted == 3)
    let taken = writer.push(6)
    let (free, unread) = (writer.free, reader.count)
    #expect(!taken && free == 0 && unread == 3)
    let first = reader.pop()
    let again = writer.push(7)
    #expect(first == 1 && again)
  }

  @Test func `readable elements end at the end of the memory, and stay until they are skipped`() {
    let ring = Ring<Int>(capacity: 4)
    var writer = ring.writer
    var reader = ring.reader
    _ = writer.write([1, 2, 3], count: 3)
    reader.skip(3)
    _ = writer.write([4, 5, 6], count: 3)
    #expect(Array(reader.readable(limit: 9)) == [4])
    reader.skip(1)
    #expect(Array(reader.readable(limit: 1)) == [5] && Array(reader.readable(limit: 9)) == [5, 6])
  }

  @Test func `a rewind drops unread elements and opens the ring again`() {
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

  @Test(arguments: [4, 5, 7]) func `after a rewind, writing begins at the start of the memory`(size: Int) {
    let ring = Ring<Int>(capacity: size)
    var writer = ring.writer
    var reader = ring.reader
    _ = writer.write([1, 2, 3], count: 3)
    reader.skip(3)
    let rest = writer.room(limit: 9).count
    writer.rewind()
    let whole = writer.room(limit: 9)
    #expect((rest, whole.count) == (size - 3, size))
    whole[0] = 9
    writer.advance(1)
    reader.begin()
    let next = reader.pop()
    #expect(next == 9)
  }

  @Test func `two rings deliver the same lent elements, and their own ones afterwards`() {
    let elements = SharedElements<Int>(capacity: 5) { memory in
      for index in 0..<5 { memory[index] = 10 + index }
      return 5
    }
    for first in [0, 3] {
      let ring = Ring<Int>(capacity: 4)
      var writer = ring.writer
      var reader = ring.reader
      _ = writer.write([1, 2, 3], count: 3)
      reader.skip(2)
      writer.lend(elements, from: first)
      reader.begin()
      let lent = Array(reader.readable(limit: 9))
      let isClosed = reader.isClosed
      #expect(lent == Array([10, 11, 12, 13, 14][first...]) && isClosed)
      reader.skip(lent.count)
      writer.release()
      writer.rewind()
      _ = writer.write([7, 8, 9, 6], count: 4)
      reader.begin()
      let own = Array(reader.readable(limit: 9))
      #expect(own == [7, 8, 9, 6])
    }
  }

  /// The ring is small, so both threads reach the end of its memory often. The test accesses the elements itself, not
  /// through generic code of the ring, so that ThreadSanitizer can check whether they were published.
  @Test func `elements that one thread writes are read by another, complete and in order`() async throws {
    let ring = Ring<Int>(capacity: 16)
    let writer = Owned(ring.writer)
    let reader = Owned(ring.reader)
    let count = 200_000
    let writing = Background { writer.end.withLock { countUp(to: count, into: &$0) } }
    let read = try await onOwnThread { reader.end.withLock { countInOrder(from: &$0) } }
    #expect(read == count)
    try writing.value()
  }
}

private func countUp(to count: Int, into end: inout RingWriter<Int>) {
  var next = 0
  while next < count {
    let room = end.room(limit: count - next)
    for index in room.indices { room[index] = next + index }
    end.advance(room.count)
    next += room.count
    if room.isEmpty { sched_yield() }
  }
  end.close()
}

/// Reads up to the end, or to the first element that is not the next integer, and returns how many were in order.
private func countInOrder(from end: inout RingReader<Int>) -> Int {
  var next = 0
  while true {
    // The writer closes the ring after its last element, so no element can arrive after `isClosed` was true.
    let isLast = end.isClosed
    let elements = end.readable(limit: 7)
    for index in elements.indices where elements[index] != next + index { return next + index }
    next += elements.count
    end.skip(elements.count)
    if elements.isEmpty { if isLast { return next } else { sched_yield() } }
  }
}

/// Passes one end of a ring to the only thread that uses it.
private final class Owned<End: ~Copyable>: Sendable {
  let end: Mutex<End>
  init(_ end: consuming sending End) { self.end = Mutex(end) }
}
