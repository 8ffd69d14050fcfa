import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct MPEGTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// 100,000 frames after an information frame, which takes at most 441 bytes.
  private func encoded(rate: Int = 44_100) throws -> (path: String, bytes: [UInt8], scan: MPEGScan) {
    let path = try write(TestSound.noise(100_000), to: folder.path("a.mp3"), format: mp3, rate: rate)
    var scanner = MPEGScanner(try RegularFile(path: path))
    let found = scanner.scan(from: 0)
    let scan = try #require(found)
    return (path, try folder.bytes(of: "a.mp3"), scan)
  }

  private func sound(_ bytes: [UInt8], _ scan: MPEGScan) throws -> [UInt8] {
    let segment = try #require(scan.runs.first?.segments.first)
    return Array(bytes[Int(segment.offset)..<Int(segment.offset + segment.count)])
  }

  @Test(arguments: [44_100, 48_000, 24_000, 16_000, 8_000])
  func `the padding that the encoder added before and after the sound is removed`(rate: Int) throws {
    let (path, _, scan) = try encoded(rate: rate)
    #expect(scan.information?.trim != nil)
    #expect(scan.length == 100_000)
    let session = try #require(SampleRate(hertz: rate))
    #expect(try read(path, at: session).frames.count == 100_000)
  }

  @Test func `without an information frame, all frames are played`() throws {
    let (path, bytes, scan) = try encoded()
    let bare = try folder.write(try sound(bytes, scan), to: "bare.mp3")
    let frames = try read(bare).frames
    #expect(FrameCount(frames.count) == scan.count * 1_152)
    let trimmed = try read(path).frames
    #expect(frames[Int(scan.delay)...].starts(with: trimmed))
  }

  @Test func `tags and garbage around and between the frames are skipped`() throws {
    let (_, bytes, scan) = try encoded()
    let bare = try sound(bytes, scan)
    let plain = try read(folder.write(bare, to: "bare.mp3")).frames
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 7, 0x68] + [UInt8](repeating: 0, count: 1_000)
    let trailer = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
    let tagged = try read(folder.write(tag + bare + trailer, to: "tagged.mp3")).frames
    #expect(tagged == plain)
    let cut = try #require(boundary(in: bare))
    let noisy = Array(bare[..<cut]) + [UInt8](repeating: 0x41, count: 5_000) + Array(bare[cut...])
    #expect(try read(folder.write(noisy, to: "noisy.mp3")).frames == plain)
  }

  @Test func `a header that states a wrong length is ignored`() throws {
    let (path, bytes, scan) = try encoded()
    let names = ["Info", "Xing"]
    let mark = try #require((0..<400).first { names.contains(String(decoding: bytes[$0..<$0 + 4], as: UTF8.self)) })
    for count: UInt8 in [0, 9] {
      var changed = bytes
      changed.replaceSubrange(mark + 8..<mark + 12, with: [0, 0, count, 1])
      let other = try folder.write(changed, to: "changed.mp3")
      let reading = try read(other)
      #expect(reading.error == nil)
      #expect(reading.frames == (try read(path).frames))
      #expect(try AudioFileLibrary().probe(SoundSource(path: other), at: .cd).length == scan.length)
    }
  }

  @Test func `title and artist are read from the tag`() throws {
    let (_, bytes, _) = try encoded()
    func frame(_ name: String, _ text: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0, 0, 0, UInt8(text.count), 0, 0] + text
    }
    let body = frame("TIT2", [3] + Array("Stille".utf8)) + frame("TPE1", [1, 0xFF, 0xFE, 0xE9, 0x00])
    let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(body.count)] + body
    let facts = try AudioFileLibrary().probe(
      SoundSource(path: folder.write(tag + bytes, to: "b.mp3")), at: .cd)
    #expect(facts.title == "Stille")
    #expect(facts.artist == "é")
  }

  /// The offset of a frame near the middle.
  private func boundary(in bytes: [UInt8]) -> Int? {
    var offset = 0
    while offset < bytes.count / 2 {
      let bits = bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let header = MPEGHeader(bits) else { return nil }
      offset += header.size
    }
    return offset
  }
}
