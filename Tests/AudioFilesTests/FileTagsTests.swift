import CSndFile
import Engine
import Foundation
import Signal
import Sounds
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

  /// The tags that ffmpeg finds, with small letters.
  private func found(in name: String) throws -> [String: String] {
    struct Entry: Decodable { var tags: [String: String]? }
    struct Answer: Decodable {
      var format: Entry
      var streams: [Entry]
    }
    let words = ["-v", "error", "-show_format", "-show_streams", "-of", "json", folder.path(name)]
    let text = try output(of: "/usr/bin/ffprobe", words, environment: [:], mustSucceed: true)
    let answer = try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    let tags = [answer.format.tags, answer.streams.first?.tags].flatMap { $0 ?? [:] }
    return Dictionary(tags.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
  }

  @Test(arguments: names) func `all tags that a format has are in the file`(name: String) throws {
    var tags = Self.tags
    (tags.artist, tags.album, tags.genre) = ("Ärtist 😀", "Morgen", "Meditation")
    (tags.comment, tags.language) = ("No. 1, 静", "pt-BR")
    try render(TestSound.noise(20_000), to: name, tags: tags)
    let found = try found(in: name)
    #expect(found["title"] == "Übung – 静" && found["comment"] == "No. 1, 静")
    #expect(found["artist"] ?? found["author"] == "Ärtist 😀")
    let isAIFF = name == "a.aiff"
    #expect(found["date"] == (isAIFF ? nil : "2026-03-01"))
    #expect(found["album"] == (isAIFF ? nil : "Morgen") && found["genre"] == (isAIFF ? nil : "Meditation"))
    let language = ["a.mp3": "por", "a.aiff": nil, "a.caf": nil][name] ?? "pt-BR"
    #expect(found["language"] == language)
  }

  @Test(arguments: [("2026", "2026"), ("2026-03", "2026"), ("2026-03-01", "2026-03-01")])
  func `an MP3 file has the year in both of its tags`(date: String, expected: String) throws {
    try render(TestSound.noise(4_000), to: "a.mp3", tags: FileTags(date: date))
    #expect(try found(in: "a.mp3")["date"] == expected)
    let bytes = try folder.bytes(of: "a.mp3")
    #expect(bytes.starts(with: Array("ID3".utf8)))
    #expect(bytes.firstRange(of: Array("TYER".utf8) + [0, 0, 0, 5, 0, 0, 0] + Array("2026".utf8)) != nil)
    #expect(Array(bytes.suffix(35).prefix(4)) == Array("2026".utf8))
  }

  @Test(arguments: ["a.mp3", "a.flac", "a.ogg", "a.opus"], [100, 300_000])
  func `the cover is in the file, byte for byte, and changes no sound`(name: String, size: Int) throws {
    let image = [0x89, 0x50, 0x4E, 0x47] + (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var tags = Self.tags
    tags.cover = try CoverPicture(ofFile: try folder.write(image, to: "cover"))
    try render(TestSound.noise(20_000), to: name, tags: tags)
    let found = AudioFileLibrary().picture(of: SoundSource(path: folder.path(name)))
    #expect(found?.bytes == image && found?.isFrontCover == true)
    try render(TestSound.noise(20_000), to: "plain." + name)
    let (all, plain) = (try read(folder.path(name), at: .studio), try read(folder.path("plain." + name), at: .studio))
    #expect(all.damage == nil && all.frames == plain.frames)
  }

  @Test func `the size of a picture is in its block`() throws {
    let png: [UInt8] =
      [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 2, 0, 0, 0, 1, 0]
      + [8, 6, 0, 0, 0, 1, 2, 3, 4]
    let palette = png[..<25] + [3] + png[26...] + [0, 0, 0, 6] + Array("PLTE".utf8) + [UInt8](repeating: 0, count: 10)
    let jpeg: [UInt8] =
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xC2, 0, 11, 8, 0, 100, 1, 44, 3]
      + [0, 0, 0, 0]
    let facts = try [png, Array(palette), jpeg, Array(jpeg.prefix(20))].map { bytes in
      let facts = ImageFacts(of: try #require(CoverPicture(bytes[...], kind: 3)))
      return [facts.width, facts.height, facts.depth, facts.colours]
    }
    #expect(facts == [[512, 256, 32, 0], [512, 256, 24, 2], [300, 100, 24, 0], [0, 0, 0, 0]])
  }

  @Test(arguments: [
    (Array("GIF89a".utf8), "is not a picture; give the path of a JPEG or PNG file"),
    ([], "is not a picture; give the path of a JPEG or PNG file"),
    (Array(repeating: 0xFF, count: 10_000_001), "a picture has at most 10 MB; make it smaller"),
  ])
  func `a file that is no picture is refused with its path`(bytes: [UInt8], message: String) throws {
    let path = try folder.write(bytes, to: "cover")
    #expect(throws: SourceError.unsupported(path: path, what: message)) { try CoverPicture(ofFile: path) }
    #expect(throws: SourceError.missing(path: path + "x")) { try CoverPicture(ofFile: path + "x") }
    let kind = "it is a folder; give the path of a JPEG or PNG file"
    #expect(throws: SourceError.unreadable(path: folder.path(""), cause: kind)) {
      try CoverPicture(ofFile: folder.path(""))
    }
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
