import Engine
import Glibc
import Signal
import Synchronization
import TestSupport
import Testing

@Suite struct OutputPacedTests {
  let tenth = Array(repeating: Frame(mono: 0.5), count: 800)
  let rate = SampleRate(hertz: 8_000) ?? .studio

  @Test func `in real time, a null output takes as long as the sound lasts`() async throws {
    typealias Measure = (took: Duration, heardBeforeTheEnd: FrameCount)
    try await best(where: { (measure: Measure) in measure.took < .seconds(1) && measure.heardBeforeTheEnd < 6_400 }) {
      try await onOwnThread { () -> Measure in
        let sink = NullSink(pace: .listener)
        var heard: FrameCount = 0
        try sink.start(at: rate)
        let took = try SuspendingClock().measure {
          for _ in 0..<8 { try write(tenth, to: sink) }
          heard = sink.heard
          try sink.finish()
        }
        #expect(sink.heard == 6_400)
        #expect(took >= .milliseconds(800))
        return (took, heard)
      }
    }
  }

  @Test func `in a render, a null output never waits`() async throws {
    try await best(where: { $0 < .seconds(1) }) {
      try await onOwnThread {
        let sink = NullSink(pace: .players)
        try sink.start(at: rate)
        let took = try SuspendingClock().measure {
          for _ in 0..<600 { try write(tenth, to: sink) }
          try sink.finish()
        }
        #expect(sink.heard == 480_000)
        #expect(!sink.retract(over: 160))
        return took
      }
    }
  }

  @Test func `a retraction ends the waiting write and the wait at the end`() async throws {
    typealias Measure = (took: Duration, heard: FrameCount)
    // Ten seconds are written. Without the retraction, the test would take as long.
    try await best(where: { (measure: Measure) in measure.took < .milliseconds(500) && measure.heard < 3_200 }) {
      try await onOwnThread { () -> Measure in
        let sink = NullSink(pace: .listener)
        try sink.start(at: rate)
        let player = Background { for _ in 0..<100 { try write(tenth, to: sink) } }
        #expect(eventually { sink.heard > 80 })
        let took = try SuspendingClock().measure {
          #expect(sink.retract(over: 160))
          try player.value()
          try sink.finish()
        }
        return (took, sink.heard)
      }
    }
  }

  @Test func `the end of a session does not wait for an output that plays nothing`() async throws {
    // The written sound lasts 100 ms.
    try await best(where: { $0 < .seconds(2) }) {
      try await onOwnThread {
        let ended = WakeUp()
        let voices = Engine.Voices(music: 1, overlays: 0, effects: 0)
        let mixerControl = Engine.start(
          into: SilentSink(), at: rate, from: 0, voices: voices, RenderOptions(blockLength: 800)
        ) { _ in
          ended.call()
        }
        mixerControl.renderSync.end(at: 800)
        return SuspendingClock().measure {
          mixerControl.renderSync.advance(to: .endless)
          #expect(ended.wait(seconds: 60))
        }
      }
    }
  }

  @Test func `a second retraction ends the fade of the first one`() async throws {
    // The first retraction leaves 400 ms.
    try await best(where: { $0 < .milliseconds(200) }) {
      try await onOwnThread {
        let sink = NullSink(pace: .listener)
        try sink.start(at: rate)
        for _ in 0..<5 { try write(tenth, to: sink) }
        return try SuspendingClock().measure {
          #expect(sink.retract(over: 3_200))
          let end = Background { try sink.finish() }
          letPass(seconds: 0.02)
          #expect(sink.retract(over: 160))
          try end.value()
        }
      }
    }
  }

  @Test func `a FIFO is created for its owner alone and receives the sound in real time`() async throws {
    typealias Measure = (took: Duration, dropped: FrameCount)
    // A reader that stops for a fifth of a second loses sound.
    try await best(where: { (measure: Measure) in measure.took < .milliseconds(700) && measure.dropped == 0 }) {
      try await onOwnThread { () -> Measure in
        let folder = try Folder()
        let path = folder.path + "/fifo"
        let sink = PipeSink(path: path, encoding: .s16)
        try sink.start(at: rate)
        #expect(try mode(of: path) == S_IFIFO | 0o600)
        let reader = try Reader(path)
        let listener = Background { reader.readToTheEnd() }
        let took = try SuspendingClock().measure {
          for _ in 0..<5 { try write(tenth, to: sink) }
          try sink.finish()
        }
        #expect(took >= .milliseconds(500))
        #expect(access(path, F_OK) != 0)
        let isWhole = try listener.value() == Array(repeating: 0x4000, count: 2 * (4_000 - Int(sink.dropped)))
        #expect(isWhole)
        return (took, sink.dropped)
      }
    }
  }

  /// At the lowest rate, a block lasts half a second: five times as long as the sound that should be buffered.
  @Test func `long blocks leave no gaps in a FIFO`() async throws {
    try await best(where: { $0 == [] }) {
      try await onOwnThread { () -> [OutputEvent] in
        let reported = Mutex<[OutputEvent]>([])
        let folder = try Folder()
        let sink = PipeSink(path: folder.path + "/fifo", encoding: .s16) { event in
          reported.withLock { $0.append(event) }
        }
        try sink.start(at: rate)
        for _ in 0..<2 { try write(Array(repeating: .silence, count: 4_096), to: sink) }
        try sink.finish()
        return reported.withLock { $0 }
      }
    }
  }

  @Test(arguments: SampleEncoding.allCases)
  func `without a reader, the FIFO keeps the oldest frames, and whole frames are dropped`(
    encoding: SampleEncoding
  ) async throws {
    try await onOwnThread {
      let folder = try Folder()
      let path = folder.path + "/fifo"
      let sink = PipeSink(path: path, encoding: encoding)
      try sink.start(at: rate)
      let counted = (1...8_000).map { Frame(left: Float($0) / 32_768, right: -Float($0) / 32_768) }
      for start in stride(from: 0, to: 8_000, by: 100) { try write(Array(counted[start..<start + 100]), to: sink) }
      let held = 8_000 - Int(sink.dropped)
      #expect(held > 0 && held <= 1_600)
      let reader = try Reader(path)
      try sink.finish()
      let bytes = reader.bytesToTheEnd()
      #expect(bytes.count == held * encoding.bytesPerFrame)
      // Nothing was read before, so the FIFO still holds the first frames, without a gap.
      var expected = [UInt8](repeating: 0, count: bytes.count)
      counted[..<held].withUnsafeBufferPointer { frames in
        expected.withUnsafeMutableBytes { encoding.encode(frames, into: $0) }
      }
      let isSame = bytes == expected
      #expect(isSame)
    }
  }

  @Test func `a reader may leave and return during playback`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      let path = folder.path + "/fifo"
      let sink = PipeSink(path: path, encoding: .s16)
      try sink.start(at: rate)
      let first = try Reader(path)
      for _ in 0..<2 { try write(tenth, to: sink) }
      #expect(first.readSome() > 0)
      first.close()
      for _ in 0..<6 { try write(tenth, to: sink) }
      #expect(sink.dropped > 0)
      let second = try Reader(path)
      #expect(second.readSome() > 0)
      try write(tenth, to: sink)
      try sink.finish()
      let isRecent = second.readToTheEnd().suffix(1_600) == Array(repeating: 0x4000, count: 1_600)[...]
      #expect(isRecent)
    }
  }

  @Test func `a FIFO that existed before is kept`() throws {
    let folder = try Folder()
    let path = folder.path + "/fifo"
    #expect(mkfifo(path, 0o600) == 0)
    let sink = PipeSink(path: path, encoding: .s16)
    try sink.start(at: rate)
    try sink.finish()
    #expect(try mode(of: path) == S_IFIFO | 0o600)
  }

  @Test func `an existing file or folder that is not a FIFO is left alone`() throws {
    let folder = try Folder()
    let sink = PipeSink(path: folder.path, encoding: .s16)
    #expect(throws: SinkError.self) { try sink.start(at: rate) }
    let path = folder.path + "/file"
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    let other = PipeSink(path: path, encoding: .s16)
    #expect(
      throws: SinkError.cannotCreate(
        path: path, cause: "it is there already and is no FIFO; name another, or remove it")
    ) { try other.start(at: rate) }
    unlink(path)
  }
}

func write(_ frames: [Frame], to sink: some Sink) throws {
  try frames.withUnsafeBufferPointer { try sink.write($0) }
}

private func mode(of path: String) throws -> mode_t {
  var facts = stat()
  #expect(stat(path, &facts) == 0)
  return facts.st_mode
}

/// Accepts all sound that is written and plays none of it.
private final class SilentSink: Sink {
  let pace = Pace.listener
  let heard: FrameCount = 0

  func start(at rate: SampleRate) throws(SinkError) {}
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {}
  func finish() throws(SinkError) {}
  func abandon() {}
}

/// A temporary folder that contains at most a FIFO.
private final class Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/fifo-test-XXXXXX".utf8CString)
    #expect(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    remove(path + "/fifo")
    remove(path)
  }
}

/// The reading end of a FIFO.
private final class Reader: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_RDONLY | O_NONBLOCK)
    #expect(descriptor >= 0)
  }

  func close() { _ = Glibc.close(descriptor) }

  /// Reads what is there, and returns the number of bytes.
  func readSome() -> Int {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    return read(descriptor, &bytes, bytes.count)
  }

  /// All bytes until the writer closes the FIFO.
  func bytesToTheEnd() -> [UInt8] {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      var ask = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&ask, 1, 5_000)
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return all }
      all += bytes[..<count]
    }
  }

  func readToTheEnd() -> [Int16] {
    let bytes = bytesToTheEnd()
    return stride(from: 0, to: bytes.count - 1, by: 2).map { Int16(bytes[$0]) | Int16(bytes[$0 + 1]) << 8 }
  }
}
