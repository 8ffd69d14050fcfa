internal import Glibc
package import Signal
internal import Synchronization

/// Writes raw interleaved little-endian samples to a file descriptor, as fast as the reader reads them.
///
/// The process must ignore SIGPIPE, so that the exit of the reader is reported as an error.
package final class StreamSink: Sink {
  private let descriptor: Int32
  private let name: String
  private let encoding: SampleEncoding
  private let written = Atomic<FrameCount>(0)
  /// Encoded frames that are not written yet.
  private let gathered = Mutex<[UInt8]>([])
  /// Bytes per write.
  private static let batch = 524_288

  package var pace: Pace { .players }

  /// - Parameters:
  ///   - descriptor: the caller owns it; it is not closed.
  ///   - name: its name in error messages.
  package init(descriptor: Int32 = STDOUT_FILENO, name: String = "stdout", encoding: SampleEncoding) {
    self.descriptor = descriptor
    self.name = name
    self.encoding = encoding
  }

  package func start(at rate: SampleRate) throws(SinkError) {}

  /// Collects the frames, and writes them half a megabyte at a time, to make fewer system calls.
  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try gathered.withLock { (gathered) throws(SinkError) in
      let (start, size) = (gathered.count, block.count * encoding.bytesPerFrame)
      gathered.append(contentsOf: repeatElement(0, count: size))
      gathered.withUnsafeMutableBytes {
        encoding.encode(block, into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
      }
      if Self.batch <= gathered.count { try writeAll(&gathered) }
    }
    written.add(FrameCount(block.count), ordering: .relaxed)
  }

  package func finish() throws(SinkError) {
    try gathered.withLock { (gathered) throws(SinkError) in try writeAll(&gathered) }
  }

  package func abandon() {}

  package var heard: FrameCount { written.load(ordering: .relaxed) }

  private func writeAll(_ bytes: inout [UInt8]) throws(SinkError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { rest = rest.dropFirst(count) } else { try waitOrFail(errno) }
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Waits until a non-blocking descriptor has room.
  private func waitOrFail(_ code: Int32) throws(SinkError) {
    switch code {
    case EINTR: return
    case EAGAIN:
      var ask = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&ask, 1, -1)
    case EPIPE: throw .closed(path: name)
    default: throw .cannotWrite(path: name, cause: String(cString: strerror(code)))
    }
  }
}
