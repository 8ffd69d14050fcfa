import CSndFile
import Engine
import Signal
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

/// Tags and bit rates of files.
@Suite struct FileTagsTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let tags = FileTags(title: "Übung – 静", description: "Two lines.\nOdd?", date: "2026-03-01")
  private static let names = ["a.wav", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.caf", "a.aiff"]

  private func render(
    _ frames: [Frame], to name: String, _ compression: Compression? = nil, tags: FileTags = tags,
    rate: SampleRate = .studio
  ) throws {
    let sink = try FileSink(path: folder.path(name), compression: compression, tags: tags)
    try sink.start(at: rate)
    try frames.withUnsafeBufferPointer { try sink.write($0) }
    try sink.finish()
  }

  /// The texts that libsndfile finds in a file.
  private func texts(of name: String) throws -> [String?] {
    var info = SF_INFO()
    let file = try #require(sf_open(folder.path(name), Int32(SFM_READ), &info))
    defer { sf_close(file) }
    return [SF_STR_TITLE, SF_STR_COMMENT, SF_STR_DATE].map { code in
      sf_get_string(file, Int32(code)).map { String(cString: $0) }
    }
  }

  @Test(arguments: names) func `title, description and date are in the file`(name: String) throws {
    try render(TestSound.noise(20_000), to: name)
    // ID3 keeps the year alone, and AIFF has no date.
    let date = name == "a.mp3" ? "2026" : name == "a.aiff" ? nil : "2026-03-01"
    #expect(try texts(of: name) == ["Übung – 静", "Two lines.\nOdd?", date])
  }

  @Test(arguments: ["a.wav", "a.flac", "a.aiff", "a.caf"])
  func `tags change no sample and no length`(name: String) throws {
    let frames = TestSound.noise(20_001)
    try render(frames, to: name)
    #expect(try read(folder.path(name), at: .studio).frames == frames)
  }

  @Test func `the tags of a WAV file follow its samples, and its size counts them`() throws {
    try render(TestSound.noise(100), to: "a.wav", tags: FileTags(title: "odd"))
    let bytes = try folder.bytes(of: "a.wav")
    let size = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(size == bytes.count - 8)
    let list = Array("LIST".utf8) + [16, 0, 0, 0] + Array("INFOINAM".utf8) + [4, 0, 0, 0] + Array("odd\0".utf8)
    #expect(Array(bytes.suffix(24)) == list)
    try render(TestSound.noise(100), to: "b.wav", tags: FileTags())
    #expect(Array(try folder.bytes(of: "b.wav").suffix(600)) == Array(bytes.dropLast(24).suffix(600)))
  }

  @Test(arguments: [
    ("a.mp3", Compression.bitrate(64_000), 64_000.0, 0.02), ("a.mp3", .bitrate(320_000), 320_000, 0.02),
    ("a.opus", .bitrate(32_000), 32_000, 0.2), ("a.opus", .bitrate(192_000), 192_000, 0.2),
  ])
  func `a file has the bit rate that was requested`(
    name: String, compression: Compression, bits: Double, tolerance: Double
  ) throws {
    try render(TestSound.noise(480_000), to: name, compression, tags: FileTags())
    let rate = Double(8 * (try folder.bytes(of: name).count)) / 10
    #expect(abs(rate / bits - 1) < tolerance, "\(rate)")
  }

  @Test(arguments: ["a.ogg", "a.mp3"]) func `a higher quality makes a larger file`(name: String) throws {
    let sizes = try [0.0, 3, 6, 9, 10].map { quality in
      try render(TestSound.noise(96_000), to: name, .quality(quality))
      return try folder.bytes(of: name).count
    }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[4] / 2, "\(sizes)")
  }

  @Test func `the default of an MP3 file is quality 8, and of a Vorbis file 4`() throws {
    for (name, quality) in [("a.mp3", 8.0), ("a.ogg", 4)] {
      try render(TestSound.noise(96_000), to: name)
      let standard = try folder.bytes(of: name)
      try render(TestSound.noise(96_000), to: name, .quality(quality))
      #expect(try folder.bytes(of: name) == standard)
    }
  }

  @Test(arguments: [
    ("a.wav", Compression.bitrate(128_000)), ("a.flac", .quality(5)), ("a.ogg", .bitrate(128_000)),
    ("a.opus", .quality(5)), ("a.mp3", .quality(11)), ("a.mp3", .bitrate(400_000)), ("a.opus", .bitrate(6_000)),
  ])
  func `a format refuses a compression that it does not have`(name: String, compression: Compression) {
    #expect(throws: SinkError.self) { try FileSink(path: folder.path(name), compression: compression) }
    #expect(folder.names == [])
  }

  @Test func `an MP3 file refuses a bit rate that its sample rate does not have`() throws {
    for (hertz, bits) in [(48_000, 100_000), (48_000, 8_000), (22_050, 320_000), (8_000, 96_000)] {
      let sink = try FileSink(path: folder.path("a.mp3"), compression: .bitrate(bits))
      #expect(throws: SinkError.self) { try sink.start(at: try #require(SampleRate(hertz: hertz))) }
      #expect(folder.names == [])
    }
  }
}
