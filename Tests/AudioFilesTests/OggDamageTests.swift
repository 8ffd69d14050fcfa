import CSndFile
import Engine
import Signal
import TestSupport
import Testing

@testable import AudioFiles

/// What libsndfile takes for a shorter stream is told as what it is: sound that is lost.
@Suite struct OggDamageTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  static let kinds = ["a.ogg": vorbis, "a.opus": opus]

  /// Four seconds of noise, and where its pages begin.
  private func made(_ name: String) throws -> (bytes: [UInt8], pages: [Int]) {
    let format = try #require(Self.kinds[name])
    _ = try write(TestSound.noise(192_000), to: folder.path(name), format: format, rate: 48_000)
    let bytes = try folder.bytes(of: name)
    let mark = Array("OggS".utf8)
    return (bytes, bytes.indices.filter { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) })
  }

  private func damage(_ bytes: [UInt8], at second: Range<Double>) throws -> Bool {
    let reading = try read(folder.write(bytes, to: "damaged"), at: .studio)
    guard case .damaged(_, let found, _) = reading.error else { return false }
    return second ~= found && abs(found - Double(reading.frames.count) / 48_000) < 0.001
  }

  @Test(arguments: kinds.keys.sorted())
  func `fifty bytes that were overwritten on any page are damage`(name: String) throws {
    let (bytes, pages) = try made(name)
    #expect(6 <= pages.count)
    // The first two hold the headers, without which there is no sound at all.
    for page in pages.dropFirst(2) {
      var bytes = bytes
      let middle = page + ((pages.first { page < $0 } ?? bytes.count) - page) / 2
      for index in middle..<middle + 50 { bytes[index] ^= 0x55 }
      #expect(try damage(bytes, at: 1..<4), "\(page)")
    }
  }

  @Test(arguments: kinds.keys.sorted())
  func `pages that are missing are damage, wherever they were`(name: String) throws {
    let (bytes, pages) = try made(name)
    for index in 2..<pages.count - 1 {
      let hole = Array(repeating: UInt8(0), count: pages[index + 1] - pages[index])
      #expect(try damage(bytes[..<pages[index]] + hole + bytes[pages[index + 1]...], at: 1..<4), "\(index)")
    }
  }

  @Test(arguments: kinds.keys.sorted())
  func `an intact file stays one with something behind it`(name: String) throws {
    let (bytes, _) = try made(name)
    let whole = try read(folder.path(name), at: .studio)
    let longer = try read(folder.write(bytes + noiseBytes(3_000), to: "longer"), at: .studio)
    #expect(whole.error == nil && whole.frames.count == 192_000)
    let isSame = longer.frames == whole.frames
    #expect(longer.error == nil && isSame)
  }

  @Test(arguments: kinds.keys.sorted())
  func `a file that is cut in its first page of sound can't be played at all`(name: String) throws {
    let (bytes, pages) = try made(name)
    let path = try folder.write(Array(bytes[..<(pages[2] + 1_000)]), to: "cut")
    let error = #expect(throws: SourceError.self) {
      try AudioFileLibrary().probe(SoundSource(path: path), at: .studio)
    }
    guard case .damaged(path, 0, _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test func `neither can one whose header promises what was all cut off`() throws {
    let bytes = TestWave.stereo(TestSound.noise(44_100), rate: 44_100)
    let path = try folder.write(Array(bytes[..<46]), to: "cut.wav")
    #expect(throws: SourceError.damaged(path: path, atSecond: 0, cause: "the data end there or make no sense")) {
      try AudioFileLibrary().probe(SoundSource(path: path), at: .cd)
    }
  }
}
