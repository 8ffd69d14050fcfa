import CSndFile
import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Files that are changed while they are being read.
@Suite struct ChangedFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  static let formats = ["a.wav": wav, "a.flac": flac, "a.ogg": vorbis, "a.opus": opus, "a.mp3": mp3]
  private let rate = SampleRate.studio

  /// The sounds are long, because the libraries read much shorter files completely at the beginning.
  private static func length(_ name: String) -> Int { name == "a.mp3" ? 1_920_000 : 480_000 }

  /// Reads a third of a sound, makes `change` to the file, and reads the rest.
  private func read(_ name: String, change: (FileHandle, Int) throws -> Void) throws -> (whole: [Frame], read: Reading)
  {
    let format = try #require(Self.formats[name])
    let (length, third) = (Self.length(name), Self.length(name) / 3)
    let path = try write(sweep(length, rate: 48_000), to: folder.path(name), format: format, rate: 48_000)
    let whole = try AudioFilesTests.read(path, at: rate).frames
    // A live player reads at most 64 KiB at a time, so it notices a change soon.
    let decoder = try AudioFileLibrary(playsWhileDownloading: true).open(SoundSource(path: path), at: rate, from: 0)
    var first = [Frame](repeating: .silence, count: third)
    let count = first.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
    #expect(count == third)
    try change(try #require(FileHandle(forUpdatingAtPath: path)), folder.bytes(of: name).count)
    var reading = Reading(decoder)
    reading.frames = first + reading.frames
    return (whole, reading)
  }

  @Test(arguments: formats.keys.sorted())
  func `a file that is truncated plays as far as it goes, fades out, and is reported`(name: String) throws {
    let (whole, reading) = try read(name) { try $0.truncate(atOffset: UInt64($1 / 2)) }
    let (there, length) = (Int(try #require(reading.damage).frame), Self.length(name))
    #expect(length / 3..<length - 10_000 ~= there && reading.frames.count < length - 9_000)
    let isSame = reading.frames[..<(length / 3)] == whole[..<(length / 3)]
    #expect(isSame && hasNoClick(reading.frames, whole, rate: 48_000))
    #expect(try #require(reading.frames.last).peak < 0.01)
  }

  /// Files of plain samples are excluded, because they have no checksums that reveal the change.
  @Test(arguments: ["a.flac", "a.mp3", "a.ogg", "a.opus"])
  func `a file that changes to another format in its middle is silent there, and is reported`(name: String) throws {
    let (whole, reading) = try read(name) { file, count in
      try file.seek(toOffset: UInt64(count / 2))
      try file.write(contentsOf: TestWave.stereo(TestSound.noise(count / 4), rate: 48_000).prefix(count / 3))
    }
    let (count, length) = (reading.frames.count, Self.length(name))
    let there = Int(try #require(reading.damage?.frame, "\(count) frames, no damage reported"))
    #expect(length / 3...length * 2 / 3 ~= there && count <= length + 480, "\(there) \(count)")
    let isSame = reading.frames[..<(length / 3)] == whole[..<(length / 3)]
    let isSmooth = hasNoClick(reading.frames, whole, rate: 48_000)
    #expect(isSame && isSmooth)
  }

  /// The complete bytes of other files.
  private static let others: [String: [UInt8]] = [
    "floats": TestWave.float(interleaved(TestSound.noise(480_000)), channels: 2, rate: 48_000),
    "sound": TestWave.stereo(TestSound.noise(480_000), rate: 48_000),
    "mono": TestWave.float(TestSound.noise(960_000).map(\.left), channels: 1, rate: 8_000),
    "text": Array(String(repeating: "No sound at all. ", count: 200_000).utf8),
  ]

  @Test(arguments: others.keys.sorted())
  func `a file of plain samples that is overwritten fades out and is reported`(other: String) throws {
    let (whole, reading) = try read("a.wav") { file, _ in
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: try #require(Self.others[other]))
    }
    let third = Self.length("a.wav") / 3
    let there = Int(try #require(reading.damage?.frame, "\(reading.frames.count) frames, no damage reported"))
    // What had been read already is heard.
    #expect(third..<third + 16_384 + 4_096 ~= there && reading.frames.count <= there + 240)
    let isSame = reading.frames[..<there] == whole[..<there]
    #expect(isSame && hasNoClick(reading.frames, whole, rate: 48_000))
  }

  /// The blocks of the other file are intact, and each contains its number.
  @Test func `if a FLAC file is overwritten by another one, it fades out, and nothing of the other one is heard`()
    throws
  {
    let length = Self.length("a.flac")
    _ = try write(TestSound.noise(length), to: folder.path("b.flac"), format: flac, rate: 48_000)
    let (whole, reading) = try read("a.flac") { file, _ in
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: folder.bytes(of: "b.flac"))
    }
    let there = Int(try #require(reading.damage?.frame, "\(reading.frames.count) frames, no damage reported"))
    #expect(length / 3..<length ~= there)
    let isSame = reading.frames[..<there] == whole[..<there]
    #expect(isSame && hasNoClick(reading.frames, whole, rate: 48_000))
    #expect(reading.frames.dropFirst(there + 240).allSatisfy { $0 == .silence })
  }

  /// Both files contain zeros there, so only the format shows the change.
  @Test(arguments: ["floats", "mono"]) func `a file of silence that is overwritten is reported, too`(other: String)
    throws
  {
    let silence = [Frame](repeating: .silence, count: 480_000)
    let path = try write(silence, to: folder.path("s.wav"), format: wav, rate: 48_000)
    let decoder = try AudioFileLibrary(playsWhileDownloading: true).open(SoundSource(path: path), at: rate, from: 0)
    var first = silence[..<160_000]
    _ = first.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
    var bytes = try #require(Self.others[other])
    for index in 600_000..<800_000 { bytes[index] = 0 }
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: bytes)
    let reading = Reading(decoder)
    #expect(reading.frames.allSatisfy { $0 == .silence } && reading.damage != nil)
  }

  @Test func `a file whose tags are changed, or that grows, plays to its end`() throws {
    let (whole, reading) = try read("a.wav") { file, count in
      let tag = Array("LIST".utf8) + [12, 0, 0, 0] + Array("INFOIART".utf8) + [0, 0, 0, 0]
      try file.seek(toOffset: 4)
      try file.write(contentsOf: withUnsafeBytes(of: UInt32(count - 8 + tag.count).littleEndian, Array.init))
      try file.seekToEnd()
      try file.write(contentsOf: tag)
    }
    let isSame = reading.frames == whole
    #expect(isSame && reading.damage == nil)
  }
}
