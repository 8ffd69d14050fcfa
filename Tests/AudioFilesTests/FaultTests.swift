import CSndFile
import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct FaultTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func error(_ path: String) -> SourceError? {
    #expect(throws: SourceError.self) { try AudioFileLibrary().probe(SoundSource(path: path), at: .cd) }
  }

  @Test func `a missing file, or one that is not a regular file, is reported without waiting`() throws {
    #expect(error(folder.path("none.wav")) == .missing(path: folder.path("none.wav")))
    #expect(error(folder.path) == .notARegularFile(path: folder.path, kind: "folder"))
    #expect(error("/dev/zero") == .notARegularFile(path: "/dev/zero", kind: "device"))
    mkfifo(folder.path("fifo.wav"), 0o600)
    #expect(error(folder.path("fifo.wav")) == .notARegularFile(path: folder.path("fifo.wav"), kind: "FIFO"))
  }

  @Test func `files without a frame are reported as empty`() throws {
    let none = try folder.write([], to: "none.flac")
    #expect(error(none) == .empty(path: none))
    let silent = try folder.write(TestWave.stereo([], rate: 44_100), to: "silent.wav")
    #expect(error(silent) == .empty(path: silent))
  }

  @Test(arguments: [999, 1_000, 768_000, 768_001, 1_000_000_000])
  func `an unsupported sample rate is rejected`(rate: Int) throws {
    let path = try folder.write(TestWave.stereo(TestSound.noise(2_000), rate: rate), to: "a.wav")
    guard (1_000...768_000).contains(rate) else {
      let what = "its header says \(rate) Hz, which is not supported; replace it with an intact copy"
      return #expect(error(path) == .unsupported(path: path, what: what))
    }
    #expect(try read(path).frames.count == (2_000 * 44_100 + rate / 2) / rate)
  }

  /// Computations with such lengths would overflow.
  @Test(arguments: [1 << 41, 1 << 61, .max - 1] as [Int64])
  func `a header that states an impossible length states none`(bytes: Int64) throws {
    _ = try write(
      TestSound.noise(2_000), to: folder.path("a.caf"), format: SF_FORMAT_CAF | SF_FORMAT_PCM_16, rate: 8_000)
    var file = try folder.bytes(of: "a.caf")
    let mark = try #require(file.indices.first { file[$0...].starts(with: Array("data".utf8)) })
    file.replaceSubrange(mark + 4..<mark + 12, with: withUnsafeBytes(of: bytes.bigEndian) { Array($0) })
    let path = try folder.write(file, to: "b.caf")
    for (start, count) in [(0, 11_025), (0.1, 6_615)] {
      let reading = try read(path, at: .cd, from: 100, start: start)
      #expect(reading.frames.count == count - 100 && reading.damage == nil)
    }
    #expect(throws: SourceError.self) { try AudioFileLibrary().probe(SoundSource(path: path, start: 1), at: .studio) }
  }

  @Test func `files without sound data are reported as an unknown format`() throws {
    let contents = [
      ("text.mp3", Array("no sound at all".utf8)), ("noise.wav", noiseBytes(100_000)), ("x.flac", [0]),
    ]
    for (name, bytes) in contents {
      let path = try folder.write(bytes, to: name)
      #expect(error(path) == .unknownFormat(path: path))
    }
  }

  @Test(arguments: ["a.wav", "a.flac", "a.aiff", "a.caf", "a.ogg", "a.mp3"])
  func `a truncated file delivers the frames that it contains, and reports the damage`(name: String) throws {
    let kind = try #require(formats[String(name.dropFirst(2))])
    let frames = TestSound.noise(200_000)
    _ = try write(frames, to: folder.path(name), format: kind, rate: 44_100)
    let whole = try read(folder.path(name)).frames
    let bytes = try folder.bytes(of: name)
    let path = try folder.write(Array(bytes[..<(bytes.count / 2 + 1)]), to: "cut-" + name)
    let reading = try read(path)
    guard case .damaged(path, let second, _) = reading.error else {
      return #expect(Bool(false), "\(String(describing: reading.error)) \(reading.frames.count) \(whole.count)")
    }
    // The fade-out after the last frame is not part of the sound.
    let there = reading.frames.count - 220
    #expect(abs(second - Double(there) / 44_100) < 0.001)
    #expect(there > 50_000 && there < 150_000)
    #expect(reading.frames[..<(there - 5_000)] == whole[..<(there - 5_000)])
  }

  /// The file is rejected, or its beginning is delivered with damage. An MP3 file that ends with a frame is a shorter
  /// file.
  @Test(arguments: ["a.wav", "a.flac", "a.aiff", "a.caf", "a.ogg", "a.opus", "a.mp3"])
  func `a file that is truncated at any byte is reported`(name: String) throws {
    let kind = try #require(formats[String(name.dropFirst(2))])
    // Opus is recognised by its first second.
    let count = kind == opus ? 120_000 : 9_000
    _ = try write(TestSound.noise(count), to: folder.path(name), format: kind, rate: 48_000)
    let bytes = try folder.bytes(of: name)
    let whole = try read(folder.path(name), at: .studio)
    #expect(whole.error == nil)
    var readable = 0
    for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 199)) {
      let path = try folder.write(Array(bytes[..<count]), to: "cut-" + name)
      guard let reading = try? read(path, at: .studio) else { continue }
      readable += 1
      let isShorter = kind == mp3 && bytes[count] == 0xFF && bytes[count...].dropFirst().first.map { $0 & 0xE0 } == 0xE0
      #expect(reading.damage != nil || reading.frames.isEmpty || isShorter, "\(count) of \(bytes.count)")
      #expect(reading.frames.count <= whole.frames.count + 240)
    }
    #expect(0 < readable)
  }

  @Test func `overwritten FLAC frames are reported as damage and cause no crash`() throws {
    let path = try write(TestSound.noise(400_000), to: folder.path("a.flac"), format: flac, rate: 44_100)
    var bytes = try folder.bytes(of: "a.flac")
    for index in bytes.count / 2..<bytes.count / 2 + 20_000 { bytes[index] = 0x55 }
    _ = try folder.write(bytes, to: "a.flac")
    let reading = try read(path)
    guard case .damaged(path, _, _) = reading.error else {
      return #expect(Bool(false), "\(String(describing: reading.error)) after \(reading.frames.count)")
    }
  }

  /// Random bytes are changed. The result is finite sound or an error.
  @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.mp3", "a.aiff", "a.caf", "a.opus"])
  func `damaged bytes never crash or hang a reader`(name: String) throws {
    let kind = try #require(formats[String(name.dropFirst(2))])
    _ = try write(TestSound.noise(100_000), to: folder.path(name), format: kind, rate: 48_000)
    let intact = try folder.bytes(of: name)
    var readable = 0
    for seed in 0..<40 {
      var bytes = intact
      let random = noiseBytes(64, seed: UInt64(seed + 1))
      for index in 0..<1 + seed % 8 {
        let place = Int(random[4 * index]) << 16 | Int(random[4 * index + 1]) << 8 | Int(random[4 * index + 2])
        bytes[place % (seed < 20 ? min(400, bytes.count) : bytes.count)] = random[4 * index + 3]
      }
      let path = try folder.write(bytes, to: "\(seed)" + name)
      guard let reading = try? read(path) else { continue }
      readable += 1
      #expect(reading.frames.allSatisfy { $0.peak.isFinite })
    }
    #expect(0 < readable)
  }

  /// Random parts are removed, doubled or overwritten. The sound is no longer than the file can be, and is read
  /// quickly.
  @Test(arguments: ["a.flac", "a.ogg", "a.mp3", "a.opus"])
  func `parts that are missing, doubled or overwritten never crash or hang a reader`(name: String) throws {
    let kind = try #require(formats[String(name.dropFirst(2))])
    _ = try write(TestSound.noise(100_000), to: folder.path(name), format: kind, rate: 48_000)
    let intact = try folder.bytes(of: name)
    var readable = 0
    for seed in 1...60 {
      var bytes = intact
      let random = noiseBytes(9_000, seed: UInt64(seed))
      for index in 0..<1 + seed % 4 {
        let start = ((Int(random[2 * index]) << 8 | Int(random[2 * index + 1])) * bytes.count) >> 16
        let segment = start..<min(bytes.count, start + Int(random[2 * index + 8]) * 32)
        switch (seed + index) % 4 {
        case 0: bytes.removeSubrange(segment)
        case 1: bytes.insert(contentsOf: Array(bytes[segment]), at: start / 2)
        case 2: bytes.replaceSubrange(segment, with: random[..<segment.count])
        default: bytes.replaceSubrange(segment, with: Array(repeating: 0, count: segment.count))
        }
      }
      let path = try folder.write(bytes, to: "\(seed)" + name)
      guard let reading = try? read(path, at: .cd, from: FrameCount(seed % 3 * 20_000)) else { continue }
      readable += 1
      #expect(reading.frames.count < 200_000 && reading.frames.allSatisfy { $0.peak.isFinite })
    }
    #expect(0 < readable)
  }
}

func noiseBytes(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
  TestSound.noise((count + 1) / 2, seed: seed).flatMap { frame in
    [frame.left, frame.right].map { UInt8(truncatingIfNeeded: Int($0 * 32_768)) }
  }.prefix(count).map { $0 }
}
