import Glibc
import PulseAudio
import Signal
import Sounds
import TestSupport
import Testing

@Suite(.serialized) struct DrainTests {
  /// The server always answers, and reports that its device accepts sound slowly or not at all.
  @Test(arguments: [0, 6_000])
  func `a drain ends one second after the sound should have ended, however slowly the device plays`(
    framesPerSecond: Int
  ) async throws {
    // The sound lasts half a second.
    try await best(hasServer: true, where: { .seconds(1.4) < $0 && $0 < .seconds(1.8) }) {
      try await onOwnThread {
        let device = try SlowDevice(framesPerSecond: framesPerSecond)
        let server = try PulseServer(modules: [device.module])
        let sink = PulseSink(device: SlowDevice.name, server: server.address)
        try sink.start(at: .studio)
        try sink.play(Array(repeating: Frame(mono: 0.25), count: 24_000))
        return try SuspendingClock().measure { try sink.finish() }
      }
    }
  }

  /// The server writes 4,096 bytes at a time into the FIFO.
  @Test func `a device with a fixed latency is expected to hold that much`() async throws {
    try await onOwnThread {
      let device = try SlowDevice(framesPerSecond: 0, format: "format=s16le rate=8000 channels=1")
      let server = try PulseServer(modules: [device.module])
      let survey = try PulseSurvey.ofServer(at: server.address)
      #expect(survey.outputs.map { survey.asked(of: $0).device } == [0.5, 0.256])
    }
  }

  /// As wireless loudspeakers do. The FIFO holds 64 KiB, which are 2.05 s.
  @Test func `a device that holds two seconds plays without gaps`() async throws {
    try await onOwnThread {
      let device = try SlowDevice(framesPerSecond: 4_000, format: "format=s16le rate=16000 channels=1")
      let server = try PulseServer(modules: [device.module])
      let sink = PulseSink(device: SlowDevice.name, server: server.address)
      try sink.start(at: .studio)
      try sink.play(Array(repeating: Frame(mono: 0.25), count: 8 * 48_000))
      try sink.finish()
      let isSilent = try device.played().map { $0 == 0 }
      let begin = try #require(isSilent.firstIndex(of: false))
      let end = try #require(isSilent.lastIndex(of: false))
      #expect(4 * 32_000 < end - begin)
      #expect(!stride(from: begin, to: end - 1, by: 2).contains { isSilent[$0] && isSilent[$0 + 1] })
    }
  }

  /// PipeWire reads whole cycles, here of 1,024 frames, and leaves what does not fill one.
  @Test(arguments: [100, 900])
  func `the last frames are heard before a drain, though they fill no cycle of PipeWire`(rest: Int) async throws {
    let server = try await onOwnThread { try PipeWireServer() }
    let sound = noise(24 * 1_024 + rest)
    try await best(hasServer: true, where: { $0 == sound.count }) {
      try await onOwnThread {
        let capture = try Capture(of: server)
        let sink = PulseSink(server: server.address)
        try sink.start(at: .studio)
        defer { sink.abandon() }
        try sink.play(sound)
        try sink.playOut()
        #expect(capture.waitForTheEnd())
        return capture.sound.count
      }
    }
  }
}

@Suite struct LateDeviceTests {
  /// The position is extrapolated from the last report, so it reaches the last frame before a late device does. The
  /// server has not run out of sound then, and reports nothing until it has played a second.
  @Test func `the position follows sound that is written when it has reached the end before the device`() async throws {
    let (old, new) = (noise(144_000), noise(144_000, seed: 2))
    // The measure is the time until the position moves.
    try await best(hasServer: true, where: { $0 < .milliseconds(500) }) {
      try await onOwnThread {
        let (stops, continues) = (Flag(), Flag())
        let device = try SlowDevice(framesPerSecond: 48_000, isFast: true) { !stops.isRaised || continues.isRaised }
        let server = try PulseServer(modules: [device.module])
        let sink = PulseSink(device: SlowDevice.name, server: server.address)
        try sink.start(at: .studio)
        defer { sink.abandon() }
        // The interrupted write fills the buffer, and the rest is staged.
        sink.interrupt()
        try old.withUnsafeBufferPointer { try sink.write($0) }
        #expect(eventually { 4_800 < sink.heard })
        stops.raise()
        let position = try #require(sink.rewind())
        try sink.play(Array(new[..<2_400]))
        #expect(eventually { sink.heard == position + 2_400 })
        continues.raise()
        try sink.play(Array(new[2_400...]))
        let took = SuspendingClock().measure { #expect(eventually { position + 2_400 < sink.heard }) }
        #expect(eventually { position + 48_000 < sink.heard })
        #expect(sink.underruns == 0)
        let played = try device.played().withUnsafeBytes { Array($0.bindMemory(to: Frame.self)) }
        let isWhole = (old[..<Int(position)] + new).starts(with: played.drop { $0 == .silence })
        #expect(isWhole && 24_000 < played.count)
        return took
      }
    }
  }
}

/// A device that plays into a FIFO, which the test reads slowly or not at all.
private final class SlowDevice: Sendable {
  static let name = "slow"
  /// `F_SETPIPE_SZ`, which Glibc does not export.
  private static let setPipeSize: Int32 = 1_031

  /// The module that a server loads for the device.
  let module: String
  private let folder: String
  private let path: String
  private let isOver = Flag()
  private let reader: Background<[UInt8]>

  /// - Parameters:
  ///   - isFast: whether the device holds 4 KiB instead of 64.
  ///   - plays: whether the device plays now.
  init(
    framesPerSecond: Int, format: String = "format=float32le rate=48000 channels=2", isFast: Bool = false,
    while plays: @escaping @Sendable () -> Bool = { true }
  ) throws {
    var template = Array("/tmp/slow-device-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw NoFIFO(code: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = folder + "/fifo"
    let descriptor = mkfifo(path, 0o600) == 0 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
    guard 0 <= descriptor else { throw NoFIFO(code: errno) }
    if isFast, fcntl(descriptor, Self.setPipeSize, 4_096) < 0 { throw NoFIFO(code: errno) }
    module = "module-pipe-sink sink_name=\(Self.name) file=\(path) \(format)"
    reader = Background { [isOver] in
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      var all: [UInt8] = []
      var (start, played) = (SuspendingClock.now, 0)
      while !isOver.isRaised {
        letPass(seconds: isFast ? 0.005 : 0.05)
        if !plays() { (start, played) = (.now, 0) }
        let due = Int(start.duration(to: .now) / .seconds(1) * Double(framesPerSecond)) * MemoryLayout<Frame>.size
        let count = max(0, read(descriptor, &bytes, min(due - played, bytes.count)))
        all += bytes[..<count]
        played += count
      }
      return all
    }
  }

  /// Everything that the device has played until now. It plays nothing afterwards.
  func played() throws -> [UInt8] {
    isOver.raise()
    return try reader.value()
  }

  deinit {
    isOver.raise()
    remove(path)
    remove(folder)
  }
}

private struct NoFIFO: Error {
  var code: Int32
}
