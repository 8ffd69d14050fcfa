import CSndFile
import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// The kinds of files that libsndfile can write, each with a file name.
let kinds: [(name: String, format: Int)] = [
  ("u8.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_U8), ("s16.wav", wav), ("s24.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24),
  ("s32.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_32), ("f32.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT),
  ("f64.wav", SF_FORMAT_WAV | SF_FORMAT_DOUBLE), ("alaw.wav", SF_FORMAT_WAV | SF_FORMAT_ALAW),
  ("ulaw.wav", SF_FORMAT_WAV | SF_FORMAT_ULAW), ("ima.wav", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM),
  ("ms.wav", SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM), ("ex.wav", SF_FORMAT_WAVEX | SF_FORMAT_PCM_24),
  ("long.wav", SF_FORMAT_RF64 | SF_FORMAT_PCM_16), ("x.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_16),
  ("x.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16), ("x.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_24),
  ("x.flac", flac), ("x.ogg", vorbis), ("x.opus", opus), ("x.mp3", mp3),
]

@Suite struct LengthTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: kinds.map(\.name), [SampleRate.cd, .studio])
  func `a decoder delivers exactly the frames that were probed`(name: String, rate: SampleRate) throws {
    let format = try #require(kinds.first { $0.name == name }).format
    let path = try write(TestSound.noise(60_007), to: folder.path(name), format: format, rate: 48_000)
    let facts = try AudioFileLibrary().probe(SoundSource(path: path), at: rate)
    let reading = try read(path, at: rate)
    #expect(reading.error == nil)
    #expect(FrameCount(reading.frames.count) == facts.length)
    if !name.hasSuffix(".mp3"), format & 0xFF < 0x12 || 0x60 <= format & 0xFF {
      #expect(facts.length == resampledLength(60_007, from: 48_000, to: rate.hertz))
    }
  }

  @Test(arguments: kinds.map(\.name))
  func `frames that are read from an offset are the same as in a continuous reading`(name: String) throws {
    let format = try #require(kinds.first { $0.name == name }).format
    let path = try write(TestSound.noise(90_000), to: folder.path(name), format: format, rate: 48_000)
    for rate in [SampleRate.studio, .cd] {
      let whole = try read(path, at: rate).frames
      for offset in [1, 1_000, 30_001, whole.count - 1_000, whole.count - 1] {
        let part = try read(path, at: rate, from: FrameCount(offset)).frames
        #expect(part.count == whole.count - offset)
        #expect(difference(part, whole[offset...]) < -110, "offset \(offset) at \(rate.hertz)")
      }
    }
  }

  @Test func `reading a long Ogg file can start at any frame, even on the last pages`() throws {
    let path = try write(TestSound.noise(700_000), to: folder.path("a.ogg"), format: vorbis, rate: 44_100)
    let whole = try read(path).frames
    let onSomePages = Array(stride(from: 200_000, to: 230_000, by: 997))
    for offset in [1_000, 100_000, 300_001, 690_000, 699_000, 699_990] + onSomePages {
      #expect(try read(path, from: FrameCount(offset)).frames == Array(whole[offset...]))
    }
  }

  @Test func `the length of a FLAC file that does not state it is measured`() throws {
    let frames = TestSound.noise(50_000)
    let path = try write(frames, to: folder.path("a.flac"), format: flac, rate: 44_100)
    var bytes = try folder.bytes(of: "a.flac")
    bytes[21] &= 0xF0
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    _ = try folder.write(bytes, to: "a.flac")
    #expect(try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length == 50_000)
    let reading = try read(path, from: 20_000)
    #expect(reading.error == nil)
    #expect(reading.frames == Array(frames[20_000...]))
    #expect(try read(path, from: 90_000).frames == [])
  }

  /// Only the beginning and the end of the file take up space on the disk.
  @Test func `reading a file of ten hours can start anywhere without a delay`() throws {
    let (hours, end) = (1_152_000_000, TestSound.noise(8_000))
    var head = TestWave.stereo([], rate: 8_000)
    for (place, size) in [(4, 36 + hours), (40, hours)] {
      head.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: UInt32(size).littleEndian, Array.init))
    }
    let path = try folder.write(head, to: "long.wav")
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(44 + hours - 32_000))
    try file.seekToEnd()
    try file.write(contentsOf: TestWave.stereo(end, rate: 8_000).dropFirst(44))
    try file.close()
    let rate = try #require(SampleRate(hertz: 8_000))
    #expect(try AudioFileLibrary().probe(SoundSource(path: path), at: rate).length == 36_000 * 8_000)
    let reading = try read(path, at: rate, from: 35_998 * 8_000)
    let isSame = reading.frames == Array(repeating: .silence, count: 8_000) + end
    #expect(isSame && reading.error == nil)
  }

  @Test func `built-in sounds are not opened by the library of files`() throws {
    let recipe = SoundSource(.generated(Recipe(generator: "rain")))
    #expect(throws: SourceError.noSuchGenerator(name: "rain")) { try AudioFileLibrary().probe(recipe, at: .cd) }
  }

  @Test func `the size of the reads changes no sample`() throws {
    for (name, format) in [("a.flac", flac), ("a.mp3", mp3), ("a.wav", wav)] {
      let path = try write(TestSound.noise(30_000), to: folder.path(name), format: format, rate: 48_000)
      for rate in [SampleRate.studio, .cd] {
        let whole = try read(path, at: rate, piece: 100_000).frames
        #expect(try read(path, at: rate, piece: 333).frames == whole)
        #expect(try read(path, at: rate, piece: 1).frames.count == whole.count)
      }
    }
  }

  @Test(arguments: ["one.wav", "one.flac", "one.ogg", "one.aiff"])
  func `a file of one frame has one frame`(name: String) throws {
    let format = ["wav": wav, "flac": flac, "ogg": vorbis, "aiff": SF_FORMAT_AIFF | SF_FORMAT_PCM_16]
    let kind = try #require(format[String(name.dropFirst(4))])
    let path = try write([Frame(left: 0.5, right: -0.5)], to: folder.path(name), format: kind, rate: 44_100)
    #expect(try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length == 1)
    #expect(try read(path).frames.count == 1)
    #expect(try read(path, at: .studio).frames.count == 1)
  }

  @Test func `a part is cut at whole frames of the source`() throws {
    let frames = TestSound.noise(44_100)
    let path = try folder.write(TestWave.stereo(frames, rate: 44_100), to: "a.wav")
    let source = SoundSource(path: path, start: 0.25, end: 0.75)
    #expect(try AudioFileLibrary().probe(source, at: .cd).length == 22_050)
    #expect(try read(path, start: 0.25, end: 0.75).frames == Array(frames[11_025..<33_075]))
    #expect(try read(path, from: 100, start: 0.25, end: 0.75).frames == Array(frames[11_125..<33_075]))
    #expect(try read(path, start: 0.5, end: 9).frames == Array(frames[22_050...]))
    #expect(try AudioFileLibrary().probe(source, at: .studio).length == 24_000)
  }

  @Test func `a part after the end of the file is empty`() throws {
    let path = try folder.write(TestWave.stereo(TestSound.noise(44_100), rate: 44_100), to: "a.wav")
    #expect(throws: SourceError.emptyPart(path: path, start: 1, length: 1)) {
      try AudioFileLibrary().probe(SoundSource(path: path, start: 1), at: .cd)
    }
  }

  @Test func `16-bit stereo at the session's rate is unchanged`() throws {
    let frames = TestSound.noise(50_000)
    let path = try folder.write(TestWave.stereo(frames, rate: 44_100), to: "a.wav")
    #expect(try read(path).frames == frames)
    #expect(try read(write(frames, to: folder.path("a.flac"), format: flac, rate: 44_100)).frames == frames)
  }
}
