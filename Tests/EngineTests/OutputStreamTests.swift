import Engine
import Glibc
import Signal
import TestSupport
import Testing

@Suite struct OutputStreamTests {
  @Test func `a stream carries every frame in order`() async throws {
    try await onOwnThread {
      let (readEnd, writeEnd) = try pipeEnds()
      let frames = (0..<50_000).map { Frame(left: Float($0 % 999) / 32_768, right: -Float($0 % 777) / 32_768) }
      let reader = Background { () -> [UInt8] in
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(readEnd, &bytes, bytes.count), count > 0 { all += bytes[..<count] }
        return all
      }
      let sink = StreamSink(descriptor: writeEnd, name: "pipe", encoding: .s24)
      try sink.start(at: .studio)
      for start in stride(from: 0, to: 50_000, by: 1_000) { try write(Array(frames[start..<start + 1_000]), to: sink) }
      try sink.finish()
      close(writeEnd)
      var expected = [UInt8](repeating: 0, count: 300_000)
      frames.withUnsafeBufferPointer { all in
        expected.withUnsafeMutableBytes { SampleEncoding.s24.encode(all, into: $0) }
      }
      #expect(try reader.value() == expected)
      #expect(sink.heard == 50_000)
      close(readEnd)
    }
  }

  @Test func `a reader that has closed the stream is reported in one sentence`() throws {
    signal(SIGPIPE, SIG_IGN)
    let (readEnd, writeEnd) = try pipeEnds()
    close(readEnd)
    let sink = StreamSink(descriptor: writeEnd, name: "pipe", encoding: .f32)
    try write([.silence], to: sink)
    #expect(throws: SinkError.closed(path: "pipe")) { try sink.finish() }
    // Half a megabyte is written at once.
    let second = Array(repeating: Frame.silence, count: 65_536)
    #expect(throws: SinkError.closed(path: "pipe")) { try write(second, to: sink) }
    close(writeEnd)
  }
}

private func pipeEnds() throws -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  #expect(pipe(&ends) == 0)
  return (ends[0], ends[1])
}
