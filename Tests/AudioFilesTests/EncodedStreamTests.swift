import Engine
import Glibc
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

/// Encoders that write to a stream, in which nothing can be replaced.
@Suite struct EncodedStreamTests {
  private final class Stream: ByteSink {
    let path = "stream"
    let canReplace = false
    let failure: Int32? = nil
    private(set) var position: Int64 = 0
    private(set) var bytes: [UInt8] = []
    private(set) var isPublished = false
    var length: Int64 { Int64(bytes.count) }

    func write(_ new: UnsafeRawBufferPointer) {
      if position == length { bytes.append(contentsOf: new) }
      position += Int64(new.count)
    }

    func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
      position = offset + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : length)
      return position
    }

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int { 0 }
    func publish() throws(SinkError) { isPublished = true }
    func discard() { bytes = [] }
  }

  private func encode(_ frames: [Frame], as name: String, _ encoding: SampleEncoding?) throws -> Stream {
    let stream = Stream()
    let format = try OutputFormat(path: name, encoding: encoding)
    let details = FileDetails(tags: FileTags(title: "Morning"))
    let encoder = try Encoder(
      into: { () throws(SinkError) in stream }, path: name, format: format, rate: .studio, details: details,
      expectedFrames: nil)
    var batch = EncoderBatch(encoding: format.directEncoding, capacity: frames.count)
    _ = frames.withUnsafeBufferPointer { batch.take($0) }
    try encoder.write(batch)
    try encoder.complete()
    try encoder.publish()
    #expect(stream.isPublished)
    return stream
  }

  @Test(arguments: [
    ("a.wav", SampleEncoding.s16), ("a.wav", .s24), ("a.wav", .f32), ("a.flac", .s16), ("a.flac", .s24),
  ])
  func `lossless sound in a stream is read back bit for bit`(name: String, encoding: SampleEncoding) throws {
    let folder = try TemporaryFolder()
    let frames = TestSound.noise(150_001)
    let stream = try encode(frames, as: name, encoding)
    let path = try folder.write(stream.bytes, to: name)
    let isSame = try read(path, at: .studio).frames == frames
    #expect(isSame)
  }

  @Test(arguments: ["a.ogg", "a.opus"])
  func `an Ogg stream has the bytes of the file`(name: String) throws {
    let folder = try TemporaryFolder()
    let frames = TestSound.noise(60_000)
    let sink = try FileSink(path: folder.path(name), tags: FileTags(title: "Morning"))
    try sink.start(at: .studio)
    try frames.withUnsafeBufferPointer { try sink.write($0) }
    try sink.finish()
    #expect(try encode(frames, as: name, nil).bytes == folder.bytes(of: name))
  }

  @Test func `an MP3 stream contains the sound once`() throws {
    let folder = try TemporaryFolder()
    let stream = try encode(TestSound.noise(60_000), as: "a.mp3", nil)
    let path = try folder.write(stream.bytes, to: "a.mp3")
    let count = try read(path, at: .studio).frames.count
    #expect(60_000 <= count && count < 60_000 + 4 * 1_152)
  }

  @Test(arguments: ["a.aiff", "a.caf"]) func `a format that has to state its length is refused`(name: String) {
    let error = #expect(throws: SinkError.self) { try encode([.silence], as: name, nil) }
    #expect(error?.description == "stream: a stream can't have this format; choose .wav, .flac, .ogg or .mp3")
  }
}
