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
  private let bytes = Mutex<[UInt8]>([])

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

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try bytes.withLock { (bytes) throws(SinkError) in
      let size = block.count * encoding.bytesPerFrame
      if bytes.count < size { bytes = Array(repeating: 0, count: size) }
      bytes.withUnsafeMutableBytes { encoding.encode(block, into: $0) }
      try writeAll(bytes[..<size])
    }
    written.add(FrameCount(block.count), ordering: .relaxed)
  }

  package func finish() throws(SinkError) {}

  package func abandon() {}

  package var heard: FrameCount { written.load(ordering: .relaxed) }

  private func writeAll(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { rest = rest.dropFirst(count) } else { try waitOrFail(errno) }
    }
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
