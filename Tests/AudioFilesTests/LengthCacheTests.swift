import CSndFile
import Foundation
import Glibc
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Lengths of sound files that are known without opening the files.
@Suite struct LengthCacheTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// A library with a cache that is read anew, and for which each file is older than `age` seconds.
  private func library(age: Int = 10) -> AudioFileLibrary {
    AudioFileLibrary(
      lengths: SoundCache("lengths", edition: 4, folder: folder.path("cache")) {
        Int(Date().timeIntervalSince1970) + age
      })
  }

  private func probe(_ source: SoundSource, age: Int = 10) throws -> SoundFacts {
    try library(age: age).probe(source, at: .studio)
  }

  private func sound(_ count: Int, rate: Int = 48_000) throws -> SoundSource {
    SoundSource(path: try write(TestSound.noise(count), to: folder.path("a.wav"), format: wav, rate: rate))
  }

  /// Replaces a text in the cache, so that a probe shows whether it used the cache.
  private func edit(_ text: String, to other: String) throws {
    let cached = String(decoding: try folder.bytes(of: "cache/lengths"), as: UTF8.self)
    #expect(cached.contains(text))
    _ = try folder.write(Array(cached.replacing(text, with: other).utf8), to: "cache/lengths")
  }

  @Test func `a file that has not changed is not opened again`() throws {
    let source = try sound(60_007)
    #expect(try probe(source).length == 60_007)
    try edit("\t60007\t", to: "\t60008\t")
    #expect(try probe(source).length == 60_008)
    #expect(try library().probe(source, at: .cd).length == resampledLength(60_008, from: 48_000, to: 44_100))
  }

  /// Without the library, a session would begin, and be silent.
  @Test func `a length is used only if the libraries that play the sound are there`() throws {
    let source = try sound(60_007)
    _ = try probe(source)
    try edit("\t60007\t48000\t2\tlibsndfile\t", to: "\t60008\t48000\t2\tlibmissing\t")
    #expect(try probe(source).length == 60_007)
  }

  @Test func `a file that was replaced by one of the same size and date is opened again`() throws {
    let source = try sound(60_007)
    var facts = stat()
    #expect(stat(folder.path("a.wav"), &facts) == 0)
    #expect(try probe(source).rate == 48_000)
    _ = try sound(60_007, rate: 44_100)
    var times = [facts.st_atim, facts.st_mtim]
    #expect(utimensat(AT_FDCWD, folder.path("a.wav"), &times, 0) == 0)
    #expect(try probe(source).rate == 44_100)
  }

  @Test func `a file that was just written is not cached`() throws {
    let source = try sound(1_000)
    #expect(try probe(source, age: 0).length == 1_000)
    #expect(folder.names == ["a.wav"])
  }

  @Test func `each part of a file has a length of its own`() throws {
    let whole = try sound(48_000)
    let part = SoundSource(path: folder.path("a.wav"), start: 0.25, end: 0.75)
    for _ in 0..<2 {
      #expect(try probe(whole).length == 48_000)
      #expect(try probe(part).length == 24_000)
    }
  }

  @Test(arguments: [(wav, false), (flac, false), (wav, true), (flac, true)])
  func `the facts of many parts of a file are those of each part alone`(_ format: Int, isCut: Bool) throws {
    let path = try write(TestSound.noise(120_000), to: folder.path("b"), format: format, rate: 44_100)
    let bytes = try folder.bytes(of: "b")
    let kept = Array(isCut ? bytes[..<(bytes.count * 3 / 4)] : bytes[...])
    _ = try folder.write(format == flac ? kept.damaged(at: bytes.count / 2) : kept, to: "b")
    var parts = (0..<60).map { SoundSource(path: path, start: Double($0) * 0.05, end: Double($0) * 0.05 + 0.1) }
    parts += [SoundSource(path: path), SoundSource(path: path, start: 1), SoundSource(path: path, start: 1e6)]
    let alone = parts.map { part in
      Result { () throws(SourceError) in try AudioFileLibrary().probe(part, at: .studio) }
    }
    #expect(AudioFileLibrary().facts(of: parts, at: .studio) == alone)
    #expect(library().facts(of: parts, at: .studio) == alone)
    #expect(library().facts(of: parts, at: .studio) == alone, "from the cache")
    let failures = alone.count { if case .failure = $0 { true } else { false } }
    #expect(format == flac ? 3 <= failures : 2 < failures)
  }

  @Test func `a file that can't be played is not cached`() throws {
    let path = try folder.write(Array("no sound".utf8), to: "a.wav")
    #expect(throws: SourceError.self) { try probe(SoundSource(path: path)) }
    #expect(folder.names == ["a.wav"])
  }

  @Test func `a file that this process may not read any more is reported`() throws {
    let source = try sound(1_000)
    #expect(try probe(source).length == 1_000)
    #expect(unlink(folder.path("a.wav")) == 0)
    #expect(throws: SourceError.missing(path: folder.path("a.wav"))) { try probe(source) }
  }

  @Test(arguments: ["", "\u{0}\u{FF}\n\n\t\t\n", "0123456789abcdef\t600", "\t60007\t48000\t2\tlibsndfile\t\t\t.\n"])
  func `lines that are not complete are ignored`(text: String) throws {
    let source = try sound(60_007)
    _ = try probe(source)
    let line = try folder.bytes(of: "cache/lengths")
    _ = try folder.write(Array(text.utf8) + line.dropLast(2), to: "cache/lengths")
    #expect(try probe(source).length == 60_007)
    _ = try folder.write(Array(text.utf8) + [10] + line, to: "cache/lengths")
    try edit("\t60007\t48000\t2\tlibsndfile\t\t\t.\n", to: "\t60008\t48000\t2\tlibsndfile\t\t\t.\n")
    #expect(try probe(source).length == 60_008)
  }

  @Test func `a cache that has become too large starts anew`() throws {
    let source = try sound(1_000)
    _ = try probe(source)
    let line = try folder.bytes(of: "cache/lengths")
    _ = try folder.write(Array(repeating: line, count: 262_144 / line.count + 1).flatMap(\.self), to: "cache/lengths")
    #expect(try probe(source).length == 1_000)
    #expect(folder.names == ["a.wav", "cache"])
    #expect(throws: (any Error).self) { try folder.bytes(of: "cache/lengths") }
  }

  @Test func `a cache that can't be written changes nothing`() throws {
    let source = try sound(1_000)
    _ = try folder.write([], to: "cache")
    #expect(try probe(source).length == 1_000)
    #expect(
      try AudioFileLibrary(lengths: SoundCache("lengths", edition: 4, folder: nil)).probe(source, at: .studio).length
        == 1_000)
  }

  @Test(arguments: ["", "A\tB", "100 %", "%09", "%250A", "a\nb", "a\r\nb", "=é🔔", nil])
  func `tags keep all their characters`(tag: String?) {
    let sound = MeasuredSound(frames: 7, rate: 48_000, channels: 1, title: tag, artist: tag.map { $0 + "." })
    #expect(MeasuredSound(line: Substring(sound.line)) == sound)
    #expect(!sound.line.utf8.contains(10))
  }
}
