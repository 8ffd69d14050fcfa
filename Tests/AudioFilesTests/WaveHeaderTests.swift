import Engine
import Signal
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

@Suite struct WaveHeaderTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func rendered(_ frames: [Frame], _ encoding: SampleEncoding, expecting: FrameCount?) throws -> [UInt8] {
    let sink = try FileSink(path: folder.path("a.wav"), encoding: encoding, expectedFrames: expecting)
    try sink.start(at: .cd)
    try frames.withUnsafeBufferPointer { try sink.write($0) }
    try sink.finish()
    return try folder.bytes(of: "a.wav")
  }

  /// Uses the writer directly, with a limit that a test can reach.
  private func write(_ frames: [Frame], expecting: FrameCount?, limit: Int64) throws {
    let file = try OutputFile(path: folder.path("a.wav"))
    let header = WaveHeader(rate: 44_100, encoding: .s16, expectedFrames: expecting, limit: limit)
    let writer = WaveWriter(file, header)
    var bytes = [UInt8](repeating: 0, count: frames.count * SampleEncoding.s16.bytesPerFrame)
    frames.withUnsafeBufferPointer { frames in
      bytes.withUnsafeMutableBytes { SampleEncoding.s16.encode(frames, into: $0) }
    }
    try writer.write(bytes[...])
    try writer.close()
    try file.publish()
  }

  @Test func `the samples of a file of known small length begin at byte 44`() throws {
    let bytes = try rendered([Frame(left: 0.25, right: -0.5)], .s16, expecting: 1)
    let format: [UInt8] = [16, 0, 0, 0, 1, 0, 2, 0, 0x44, 0xAC, 0, 0, 0x10, 0xB1, 2, 0, 4, 0, 16, 0]
    #expect([text(bytes, 0), text(bytes, 8), text(bytes, 12), text(bytes, 36)] == ["RIFF", "WAVE", "fmt ", "data"])
    #expect(Array(bytes[4..<8]) == [40, 0, 0, 0])
    #expect(Array(bytes[16..<36]) == format)
    #expect(Array(bytes[40...]) == [4, 0, 0, 0, 0, 0x20, 0, 0xC0])
  }

  @Test(arguments: [(SampleEncoding.s16, 44), (.s24, 44), (.f32, 58)])
  func `the header contains the size of the file and the size of the data`(encoding: SampleEncoding, size: Int) throws {
    let frames = TestSound.noise(1_000)
    let bytes = try rendered(frames, encoding, expecting: 1_000)
    let dataBytes = 1_000 * encoding.bytesPerFrame
    #expect(bytes.count == size + dataBytes)
    #expect(text(bytes, size - 8) == "data")
    #expect(word(bytes, 4) == bytes.count - 8)
    #expect(word(bytes, size - 4) == dataBytes)
    if encoding == .f32 { #expect(text(bytes, 38) == "fact" && word(bytes, 42) == 4 && word(bytes, 46) == 1_000) }
    #expect(try read(folder.path("a.wav")).frames == frames)
  }

  @Test func `the header states the true length of sound that is shorter than expected, as after an interruption`()
    throws
  {
    let bytes = try rendered(TestSound.noise(10), .s16, expecting: 1_000_000)
    #expect([bytes.count, word(bytes, 4), word(bytes, 40)] == [84, 76, 40])
  }

  @Test(arguments: [nil, FrameCount.endless, 1_073_741_815])
  func `sound of an unknown or great length reserves room for the sizes of RF64`(expecting: FrameCount?) throws {
    let bytes = try rendered(TestSound.noise(10), .s16, expecting: expecting)
    #expect(text(bytes, 12) == "JUNK")
    #expect(bytes.count == 80 + 40)
    #expect(try read(folder.path("a.wav")).frames == TestSound.noise(10))
  }

  /// 4 · 1 073 741 814 + 36 is the largest size below 2³² that whole frames make.
  @Test func `the greatest length that a plain file can state needs no reserved room`() {
    let frames: FrameCount = 1_073_741_814
    let header = WaveHeader(rate: 44_100, encoding: .s16, expectedFrames: frames)
    #expect(!header.hasRoom)
    #expect(!header.isExceeded(by: 4 * frames))
    #expect(header.isExceeded(by: 4 * (frames + 1)))
    #expect(word(header.bytes(dataBytes: 4 * frames), 4) == 4_294_967_292)
  }

  @Test func `a file with reserved room becomes RF64 above the limit, and is read back complete`() throws {
    let frames = TestSound.noise(5_000)
    try write(frames, expecting: nil, limit: 10_000)
    let bytes = try folder.bytes(of: "a.wav")
    #expect([text(bytes, 0), text(bytes, 8), text(bytes, 12)] == ["RF64", "WAVE", "ds64"])
    #expect([word(bytes, 4), word(bytes, 76)] == [0xFFFF_FFFF, 0xFFFF_FFFF])
    #expect([word(bytes, 20), word(bytes, 28), word(bytes, 36)] == [bytes.count - 8, 20_000, 5_000])
    #expect(try read(folder.path("a.wav")).frames == frames)
  }

  /// Chunks of different lengths before the data.
  @Test(arguments: [[], [("LIST", 101)], [("LIST", 5_000), ("id3 ", 7)]] as [[(String, Int)]])
  func `the data of an RF64 file are found after any other chunks`(chunks: [(name: String, size: Int)]) throws {
    let little = { (value: Int, count: Int) in (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    var bytes = Array("RF64".utf8) + little(-1, 4) + Array("WAVEds64".utf8) + little(28, 4) + little(1_000_000, 8)
    bytes += little(400, 8) + little(100, 8) + little(0, 4) + Array("fmt ".utf8) + little(16, 4) + little(0, 16)
    for (name, size) in chunks {
      bytes += Array(name.utf8) + little(size, 4) + [UInt8](repeating: 1, count: size + size % 2)
    }
    bytes += Array("data".utf8) + little(-1, 4) + [UInt8](repeating: 2, count: 40)
    let container = SoundContainer(try RegularFile(path: try folder.write(bytes, to: "long.wav")))
    #expect(container?.size.stated == 400 && container?.size.present == 40)
  }

  @Test func `a file without reserved room ends in an error at the limit`() throws {
    let error = #expect(throws: SinkError.self) {
      try write(TestSound.noise(5_000), expecting: 100, limit: 10_000)
    }
    let sentence = "the sound is longer than expected, and its WAV file can't exceed 4 GiB; choose .flac or .caf"
    #expect(error == .cannotWrite(path: folder.path("a.wav"), cause: sentence))
    #expect(folder.names == [])
  }

  private func text(_ bytes: [UInt8], _ offset: Int) -> String {
    String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
  }

  private func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
