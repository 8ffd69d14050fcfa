import Engine
import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

@Suite struct FileSinkTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let names = ["a.wav", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.aiff", "a.caf"]

  private func render(
    _ frames: [Frame], to name: String, encoding: SampleEncoding? = nil, rate: SampleRate = .cd, block: Int = 1_000
  ) throws {
    let sink = try FileSink(path: folder.path(name), encoding: encoding, tags: FileTags(title: "Morning"))
    try sink.start(at: rate)
    try feed(frames, to: sink, block: block)
    try sink.finish()
    #expect(sink.heard == FrameCount(frames.count))
  }

  private func feed(_ frames: [Frame], to sink: FileSink, block: Int = 1_000) throws {
    try frames.withUnsafeBufferPointer { frames in
      for start in stride(from: 0, to: frames.count, by: block) {
        try sink.write(UnsafeBufferPointer(rebasing: frames[start..<min(start + block, frames.count)]))
      }
    }
  }

  /// All lossless formats with their encodings. FLAC has no floating-point samples.
  private static let exact = ["a.wav", "a.flac", "a.aiff", "a.caf"].flatMap { name in
    [SampleEncoding.s16, .s24, .f32].map { (name, $0) }.filter { name != "a.flac" || $0.1 != .f32 }
  }

  @Test(arguments: exact) func `16-bit sound is read back bit for bit`(name: String, encoding: SampleEncoding) throws {
    let frames = TestSound.noise(50_001)
    try render(frames, to: name, encoding: encoding)
    #expect(try read(folder.path(name)).frames == frames)
  }

  @Test(arguments: names)
  func `two renders have the same bytes, whatever the block size`(name: String) throws {
    let frames = TestSound.noise(60_000)
    try render(frames, to: name)
    let first = try folder.bytes(of: name)
    try render(frames, to: name, block: 77)
    #expect(try folder.bytes(of: name) == first)
    #expect(folder.names == [name])
  }

  @Test(arguments: names, [SampleRate.cd, .studio])
  func `every format keeps the length that was written`(name: String, rate: SampleRate) throws {
    try render(TestSound.sine(440, rate: rate.hertz, count: 60_001), to: name, rate: rate)
    let facts = try AudioFileLibrary().probe(SoundSource(path: folder.path(name)), at: rate)
    #expect(facts.length == 60_001)
    #expect(facts.channels == 2)
    let reading = try read(folder.path(name), at: rate)
    #expect(reading.error == nil)
    #expect(abs(Level(rms: reading.frames[1_000..<59_000]).decibels + 9.03) < 0.2)
  }

  @Test func `samples are rounded to the nearest step and saturate`() throws {
    let samples: [Float] = [0.4 / 32_768, 0.6 / 32_768, -0.6 / 32_768, 1, 2, -1, -2, .nan]
    try render(samples.map { Frame(mono: $0) }, to: "a.wav", encoding: .s16)
    let steps = try read(folder.path("a.wav")).frames.map { Int($0.left * 32_768) }
    #expect(steps == [0, 1, -1, 32_767, 32_767, -32_768, -32_768, 0])
  }

  @Test func `an encoding that the format can't hold is rejected before anything is written`() throws {
    for (name, encoding) in [("a.flac", SampleEncoding.f32), ("a.ogg", .s16), ("a.mp3", .s24), ("a.opus", .f32)] {
      #expect(throws: SinkError.self) { try FileSink(path: folder.path(name), encoding: encoding) }
    }
    #expect(throws: SinkError.self) { try FileSink(path: folder.path("a.txt")) }
    #expect(folder.names == [])
  }

  @Test func `an existing file stays complete until the new file is complete`() throws {
    let old = Array("old".utf8)
    let path = try folder.write(old, to: "a.wav")
    let sink = try FileSink(path: path)
    try sink.start(at: .cd)
    try feed(TestSound.noise(100_000), to: sink)
    #expect(try folder.bytes(of: "a.wav") == old)
    sink.abandon()
    #expect(try folder.bytes(of: "a.wav") == old)
    #expect(folder.names == ["a.wav"])
    try render(TestSound.noise(10), to: "a.wav")
    #expect(try folder.bytes(of: "a.wav") != old)
  }

  @Test func `a file can't be created in a missing folder or in place of a folder`() throws {
    try FileManager.default.createDirectory(atPath: folder.path("taken.wav"), withIntermediateDirectories: false)
    for path in [folder.path("none/a.wav"), folder.path("taken.wav")] {
      let sink = try FileSink(path: path)
      let error = #expect(throws: SinkError.self) { try sink.start(at: .cd) }
      guard case .cannotCreate = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
  }
}
