import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Tags before and after the sound, in files of any format.
@Suite struct TagTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// libavformat recognises a file by its first mebibyte.
  private static let long = tag(1_500_000)
  private static let trailers: [[UInt8]] = [
    apeTag + trailer, apeTag, lyrics + trailer, trailer + footer, oldLyrics + trailer,
  ]

  private static let kinds: [String] =
    AvReaderTests.kinds.map(\.name) + ["mp3.mp4", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.sox", "a.au"]

  @Test(arguments: kinds)
  func `tags around any format cost no frame and add none`(name: String) throws {
    let options = AvReaderTests.kinds.first { $0.name == name }?.options ?? (name == "mp3.mp4" ? ["-c:a", "mp3"] : [])
    let whole = try read(encode(TestSound.noise(30_011), options, to: name, in: folder))
    let bytes = try folder.bytes(of: name)
    #expect(whole.damage == nil)
    let leaders = [Self.long, Self.apeTag, Self.tag(40) + Self.apeTag]
    for file in leaders.map({ $0 + bytes + Self.apeTag }) + Self.trailers.map({ bytes + $0 }) {
      let path = try folder.write(file, to: "tagged")
      let reading = try read(path)
      #expect(reading.damage == nil && reading.frames == whole.frames)
      #expect(try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length == whole.frames.count)
    }
  }

  @Test(arguments: ["a.tta", "a.aac", "a.mp3", "a.wav"])
  func `title and artist come from the tags around the sound`(name: String) throws {
    let path = try encode(TestSound.noise(30_011), ["-map_metadata", "-1"], to: name, in: folder)
    let bytes = try folder.bytes(of: name)
    #expect(try names(bytes) == [nil, nil])
    #expect(try names(Self.tag(100) + bytes) == ["Front", nil])
    #expect(try names(Self.apeTag + bytes) == ["Ape", "Anna"])
    #expect(try names(bytes + Self.apeTag) == ["Ape", "Anna"])
    #expect(try names(bytes + Self.trailer) == ["Old", "Otto"])
    #expect(try names(bytes + Self.apeTag + Self.trailer) == ["Ape", "Anna"])
    _ = path
  }

  private func names(_ bytes: [UInt8]) throws -> [String?] {
    let facts = try AudioFileLibrary().probe(SoundSource(path: folder.write(bytes, to: "t")), at: .cd)
    return [facts.title, facts.artist]
  }

  @Test func `a tag without sound is no sound`() throws {
    for bytes in [Self.tag(100), Self.trailer, Self.apeTag + Self.trailer] {
      let path = try folder.write(bytes, to: "none")
      #expect(throws: SourceError.self) { try AudioFileLibrary().probe(SoundSource(path: path), at: .cd) }
    }
  }

  private static func tag(_ count: Int) -> [UInt8] {
    let title: [UInt8] = Array("TIT2".utf8) + [0, 0, 0, 6, 0, 0, 3] + Array("Front".utf8)
    return Array("ID3".utf8) + [4, 0, 0] + [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) }
      + title + [UInt8](repeating: 0, count: count - title.count)
  }

  private static let trailer: [UInt8] = {
    let texts = ["Old", "Otto"].flatMap { (text: String) -> [UInt8] in
      Array(text.utf8) + [UInt8](repeating: 0, count: 30 - text.utf8.count)
    }
    return Array("TAG".utf8) + texts + [UInt8](repeating: 0, count: 65)
  }()

  private static let apeTag: [UInt8] = {
    let little = { (number: Int) -> [UInt8] in ByteOrder.little.bytes(Int64(number), count: 4) }
    let items = [("Title", "Ape"), ("ARTIST", "Anna")].flatMap { (name: String, text: String) -> [UInt8] in
      little(text.utf8.count) + little(0) + Array(name.utf8) + [0] + Array(text.utf8)
    }
    let mark = { (flags: Int) -> [UInt8] in
      Array("APETAGEX".utf8) + [2_000, items.count + 32, 2, flags, 0, 0].flatMap(little)
    }
    return mark(0xA000_0000) + items + mark(0x8000_0000)
  }()

  private static let lyrics = Array("LYRICSBEGININD0000210000021LYRICS200".utf8)

  private static let oldLyrics = Array("LYRICSBEGIN[00:01]A line of a song\r\nLYRICSEND".utf8)

  /// A version 2 tag that a program has appended.
  private static let footer: [UInt8] = {
    let head: [UInt8] = [4, 0, 0x10, 0, 0, 0, 20]
    return Array("ID3".utf8) + head + [UInt8](repeating: 0, count: 20) + Array("3DI".utf8) + head
  }()
}
