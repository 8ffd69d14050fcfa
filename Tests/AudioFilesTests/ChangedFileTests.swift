import CSndFile
import Engine
import Foundation
import Signal
import TestSupport
import Testing

@testable import AudioFiles

/// Files that are changed under those who read them.
@Suite struct ChangedFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  static let formats = ["a.wav": wav, "a.flac": flac, "a.ogg": vorbis, "a.opus": opus, "a.mp3": mp3]
  private let rate = SampleRate.studio

  /// Much smaller files are read at once.
  private static func length(_ name: String) -> Int { name == "a.mp3" ? 1_920_000 : 480_000 }

  /// A sound read to its third; then `change` is made to the file, and the rest is read.
  private func read(_ name: String, change: (FileHandle, Int) throws -> Void) throws -> (whole: [Frame], read: Reading)
  {
    let format = try #require(Self.formats[name])
    let (length, third) = (Self.length(name), Self.length(name) / 3)
    let path = try write(sweep(length, rate: 48_000), to: folder.path(name), format: format, rate: 48_000)
    let whole = try AudioFilesTests.read(path, at: rate).frames
    let decoder = try AudioFileLibrary().open(SoundSource(path: path), at: rate, from: 0)
    var first = [Frame](repeating: .silence, count: third)
    let count = first.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
    #expect(count == third)
    try change(try #require(FileHandle(forUpdatingAtPath: path)), folder.bytes(of: name).count)
    var reading = Reading(decoder)
    reading.frames = first + reading.frames
    return (whole, reading)
  }

  @Test(arguments: formats.keys.sorted())
  func `one that is cut plays as far as it goes, fades, and is told`(name: String) throws {
    let (whole, reading) = try read(name) { try $0.truncate(atOffset: UInt64($1 / 2)) }
    let (there, length) = (Int(try #require(reading.damage).frame), Self.length(name))
    #expect(length / 3..<length - 10_000 ~= there && reading.frames.count < length - 9_000)
    let isSame = reading.frames[..<(length / 3)] == whole[..<(length / 3)]
    #expect(isSame && hasNoClick(reading.frames, whole, rate: 48_000))
    #expect(try #require(reading.frames.last).peak < 0.01)
  }

  /// Samples of numbers have neither checksums nor headers by which it could be known.
  @Test(arguments: ["a.flac", "a.mp3", "a.ogg", "a.opus"])
  func `one that turns to another format in its middle is silent there, and told`(name: String) throws {
    let (whole, reading) = try read(name) { file, count in
      try file.seek(toOffset: UInt64(count / 2))
      try file.write(contentsOf: TestWave.stereo(TestSound.noise(count / 4), rate: 48_000).prefix(count / 3))
    }
    let (count, length) = (reading.frames.count, Self.length(name))
    let there = Int(try #require(reading.damage?.frame, "\(count) frames, untold"))
    #expect(length / 3...length * 2 / 3 ~= there && count <= length + 480, "\(there) \(count)")
    let isSame = reading.frames[..<(length / 3)] == whole[..<(length / 3)]
    let isSmooth = hasNoClick(reading.frames, whole, rate: 48_000)
    #expect(isSame && isSmooth)
  }
}
