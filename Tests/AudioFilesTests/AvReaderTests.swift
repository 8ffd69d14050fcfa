import CFLAC
import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct AvReaderTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func reader(_ path: String) throws -> any SampleReader {
    try openReader(RegularFile(path: path), scans: ScanCache())
  }

  private func length(_ path: String) throws -> FrameCount {
    try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length
  }

  /// 50,011 frames are not a whole number of milliseconds, in which ffmpeg states the length of the edit.
  @Test(arguments: [["-c:a", "aac"], ["-c:a", "aac", "-movflags", "faststart"], ["-c:a", "alac"], ["-c:a", "mp3"]])
  func `the encoder's delay and padding are not part of an m4a file`(options: [String]) throws {
    let frames = TestSound.noise(50_011)
    let name = options.contains("mp3") ? "a.mp4" : "a.m4a"
    let path = try encode(frames, options, to: name, in: folder)
    #expect(try length(path) == 50_011)
    let reading = try read(path)
    #expect(reading.frames.count == 50_011 && reading.error == nil)
    if options.contains("alac") { #expect(reading.frames == frames) }
  }

  @Test(arguments: ["a.m4a", "a.wv", "a.tta", "a.oga", "a.mka", "a.mov"])
  func `lossless sound is unchanged`(name: String) throws {
    let frames = TestSound.noise(30_003)
    let codec = ["m4a": "alac", "oga": "flac", "mka": "flac", "mov": "pcm_s24be"][String(name.dropFirst(2))]
    let path = try encode(frames, codec.map { ["-c:a", $0] } ?? [], to: name, in: folder)
    #expect(try reader(path) is AvReader)
    #expect(try read(path).frames == frames)
    #expect(try length(path) == 30_003)
  }

  static let kinds: [(name: String, options: [String])] = [
    ("aac.m4a", ["-c:a", "aac"]), ("alac.m4a", ["-c:a", "alac"]), ("a.aac", []), ("a.ac3", []), ("a.eac3", []),
    ("a.wma", []), ("a.wv", []), ("a.tta", []), ("a.oga", ["-c:a", "flac"]), ("opus.webm", ["-c:a", "libopus"]),
    ("vorbis.mka", ["-c:a", "libvorbis"]), ("flac.mka", ["-c:a", "flac"]),
    ("a.spx", ["-c:a", "libspeex", "-ar", "16000"]),
    ("a.dts", ["-c:a", "dca", "-strict", "-2", "-ar", "48000"]), ("a.ts", ["-c:a", "aac"]),
    ("a.mp4", film + ["-c:a", "aac"]),
  ]

  /// The bits after a seek are those of a reading from the beginning, for a new reader and one that has read before.
  @Test(arguments: kinds.map(\.name))
  func `seeks lead to the same samples`(name: String) throws {
    let options = try #require(Self.kinds.first { $0.name == name }).options
    let first = try reader(encode(TestSound.noise(40_000), options, to: name, in: folder))
    let whole = PlainReading(first)
    let channels = first.format.channels
    let count = Int64(whole.samples.count / channels)
    #expect(whole.gaps.isEmpty && 14_000 < count)
    for frame in [count - 1, 1, 9_999, count / 2, 0, 12_345] {
      for reader in [first, first.reopen()] {
        let reader = try #require(reader)
        #expect(reader.seek(to: frame))
        let end = min(count, frame + 3_000)
        let piece = PlainReading(reader, from: frame, to: end)
        #expect(piece.samples == Array(whole.samples[Int(frame) * channels..<Int(end) * channels]), "\(frame)")
      }
    }
  }

  @Test func `channels have the loudspeakers that the file states`() throws {
    let samples: [Float] = (0..<6_000).map { index in
      let level = Float(index % 6 + 1) / 4_096
      return level * Float(index % 499)
    }
    let wave = try write(
      samples, to: folder.path("a.wav"), format: SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, rate: 44_100, channels: 6)
    let path = try encode(wave, ["-c:a", "alac", "-channel_layout", "5.1"], to: "a.m4a", in: folder)
    #expect(try reader(path).format.channels == 6)
    #expect(try read(path).frames == read(wave).frames)
  }

  @Test func `title and artist come from the container, a cover is left out`() throws {
    let tags = ["-metadata", "title=Stille", "-metadata", "artist=Anna"]
    let facts = try AudioFileLibrary().probe(
      SoundSource(path: encode(TestSound.noise(2_000), tags, to: "a.m4a", in: folder)), at: .cd)
    #expect(facts.title == "Stille" && facts.artist == "Anna" && facts.channels == 2 && facts.rate == 44_100)
  }

  @Test func `the sound of a film is not taken for an MP3 file`() throws {
    let path = try encode(TestSound.noise(50_011), film + ["-c:a", "mp3"], to: "a.mp4", in: folder)
    #expect(try length(path) == 50_011)
    let silent = try encode(path, ["-an", "-c:v", "copy"], to: "silent.mp4", in: folder)
    #expect(throws: SourceError.unsupported(path: silent, what: "contains no sound; give the path of a sound file")) {
      try length(silent)
    }
  }

  @Test func `a damaged packet is reported at its frame, and the sound after it is right`() throws {
    let frames = TestSound.noise(40_960)
    let path = try encode(frames, ["-c:a", "alac"], to: "a.m4a", in: folder)
    var bytes = try folder.bytes(of: "a.m4a")
    // Packets have 4,096 frames of incompressible noise, about 14,400 bytes; this is in the fifth one.
    for index in 65_000..<65_400 { bytes[index] = 0xFF }
    let reading = PlainReading(try reader(folder.write(bytes, to: "b.m4a")))
    #expect(reading.gaps == [16_384..<20_480])
    #expect(Array(reading.samples[(2 * 20_480)...]) == Array(interleaved(frames)[(2 * 20_480)...]))
    guard case .damaged(_, let second, _) = try read(folder.path("b.m4a")).error else {
      return #expect(Bool(false), "no damage")
    }
    #expect(second == 16_384.0 / 44_100)
    _ = path
  }

  @Test(arguments: ["a.m4a", "a.wv", "a.mka", "a.oga", "a.spx"])
  func `a truncated file plays up to the cut, and is reported`(name: String) throws {
    let all = ["m4a": ["-movflags", "faststart"], "oga": ["-c:a", "flac"], "spx": ["-ar", "16000"]]
    let options = all[String(name.dropFirst(2))] ?? []
    let whole = try read(encode(TestSound.noise(100_000), options, to: name, in: folder))
    #expect(whole.error == nil)
    let bytes = try folder.bytes(of: name)
    let cut = try read(folder.write(Array(bytes[..<(bytes.count * 2 / 3)]), to: "cut-" + name))
    guard case .damaged(_, let second, _) = cut.error else { return #expect(Bool(false), "\(cut.frames.count)") }
    let there = Int((second * 44_100).rounded())
    #expect(20_000 < there && there < 80_000)
    #expect(cut.frames[..<(there - 5_000)] == whole.frames[..<(there - 5_000)])
  }

  @Test func `playlists, pictures, text and noise are not sounds`() throws {
    let list = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n\(folder.path("a.wav"))\n#EXT-X-ENDLIST\n"
    let joined = "ffconcat version 1.0\nfile \(folder.path("a.wav"))\n"
    _ = try folder.write(TestWave.stereo(TestSound.noise(9_000), rate: 44_100), to: "a.wav")
    for text in [list, joined, "v=0\no=- 0 0 IN IP4 127.0.0.1\n", "{\"a\": [1]}"] {
      let path = try folder.write(Array(text.utf8), to: "a.m4a")
      #expect(throws: SourceError.unknownFormat(path: path)) { try length(path) }
    }
    let picture = try encode(
      folder.path("a.wav"), film + ["-an", "-frames:v", "1", "-c:v", "png"], to: "a.png", in: folder)
    #expect(throws: SourceError.unknownFormat(path: picture)) { try length(picture) }
  }

  @Test func `32-bit FLAC is unchanged, and its damage is reported`() throws {
    let samples: [Int32] = (0..<100_000).map { Int32(truncatingIfNeeded: $0 &* 0x9E37_79B9) >> 2 }
    let bytes = try longFLAC(samples)
    let whole = try reader(folder.write(bytes, to: "a.flac"))
    #expect(whole is LongFLACReader && whole.format.frames == 50_000)
    let expected = samples.map { Float($0) / 0x1p31 }
    #expect(PlainReading(whole).samples == expected)
    #expect(whole.seek(to: 30_001))
    #expect(PlainReading(whole, from: 30_001, to: 40_000).samples == Array(expected[60_002..<80_000]))
    var damaged = bytes
    damaged[bytes.count / 2] ^= 0x55
    let reading = PlainReading(try reader(folder.write(damaged, to: "b.flac")))
    let gap = try #require(reading.gaps.first)
    #expect(reading.gaps.count == 1 && gap.lowerBound % 4_096 == 0 && gap.contains(25_000))
    #expect(reading.samples[(2 * Int(gap.upperBound))...] == expected[(2 * Int(gap.upperBound))...])
  }

  /// A block that has other channels than the header states would overwrite memory.
  @Test func `32-bit FLAC whose header states other channels is damaged`() throws {
    var bytes = try longFLAC([Int32](repeating: 1 << 20, count: 20_000))
    // Mono instead of stereo, at the same number of bits.
    bytes[20] &= 0xF1
    let path = try folder.write(bytes, to: "a.flac")
    let reader = try #require(LongFLACReader(RegularFile(path: path)))
    #expect(reader.format.channels == 1)
    #expect(PlainReading(reader).samples.isEmpty)
  }

  /// A stereo file at 44.1 kHz.
  private func longFLAC(_ samples: [Int32]) throws -> [UInt8] {
    try #require(prosper_flac_failure() == nil)
    final class Output { var bytes: [UInt8] = [] }
    let output = Output()
    let encoder = try #require(prosper_flac_open())
    defer { prosper_flac_close(encoder) }
    let take: FLAC__StreamEncoderWriteCallback = { _, bytes, count, _, _, client in
      guard let bytes, let client else { return FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR }
      Unmanaged<Output>.fromOpaque(client).takeUnretainedValue().bytes += UnsafeBufferPointer(
        start: bytes, count: count)
      return FLAC__STREAM_ENCODER_WRITE_STATUS_OK
    }
    let client = Unmanaged.passUnretained(output).toOpaque()
    #expect(prosper_flac_begin(encoder, 0, 4_096, 32, 44_100, take, client))
    #expect(prosper_flac_add(encoder, samples, UInt32(samples.count / 2)))
    #expect(prosper_flac_end(encoder))
    // The header is written before the number of frames is known.
    withUnsafeBytes(of: UInt32(samples.count / 2).bigEndian) { output.bytes.replaceSubrange(22..<26, with: $0) }
    return output.bytes
  }

  /// A file is damaged only if something is missing.
  @Test func `a file whose index is missing is damaged`() throws {
    _ = try encode(TestSound.noise(50_000), [], to: "a.m4a", in: folder)
    let path = try folder.write(Array(try folder.bytes(of: "a.m4a").prefix(9_000)), to: "b.m4a")
    #expect(throws: SourceError.damaged(path: path, atSecond: 0, cause: "its headers are incomplete")) {
      try length(path)
    }
  }
}
