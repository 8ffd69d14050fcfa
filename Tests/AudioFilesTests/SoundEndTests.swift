import CSndFile
import Glibc
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Where the sound of a file ends: what is behind it, and what its container states.
@Suite struct SoundEndTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func reader(_ path: String) throws -> any SampleReader {
    try openReader(RegularFile(path: path), scans: ScanCache())
  }

  private func made(_ name: String) throws -> [UInt8] {
    let frames = TestSound.noise(20_011)
    if let format = formats[String(name.drop { $0 != "." }.dropFirst())] {
      _ = try write(frames, to: folder.path(name), format: format, rate: name == "a.opus" ? 48_000 : 44_100)
    } else {
      _ = try encode(frames, name == "a.oga" ? ["-c:a", "flac"] : [], to: name, in: folder)
    }
    return try folder.bytes(of: name)
  }

  static let names = [
    "a.wav", "a.aiff", "a.caf", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.oga", "a.m4a", "a.wma", "a.mka", "a.aac",
    "a.ac3", "a.wv",
  ]

  @Test(arguments: names) func `a hole of terabytes or zeros behind the sound change nothing`(name: String) throws {
    let bytes = try made(name)
    let whole = try read(folder.path(name))
    #expect(whole.error == nil)
    let path = try folder.write(bytes, to: "sparse")
    #expect(truncate(path, 1 << 42) == 0)
    for path in [path, try folder.write(bytes + [UInt8](repeating: 0, count: 300_000), to: "zeros")] {
      let reading = try read(path)
      #expect(reading.error == nil && reading.frames == whole.frames)
      #expect(try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length == FrameCount(whole.frames.count))
    }
  }

  /// The file system writes whole blocks, so up to one block of zeros may follow the sound.
  @Test func `a hole behind a sound of unknown size is not sound`() throws {
    var bytes = TestWave.stereo(TestSound.noise(20_011), rate: 44_100)
    bytes.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    bytes.replaceSubrange(40..<44, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let path = try folder.write(bytes, to: "a.wav")
    #expect(truncate(path, 1 << 42) == 0)
    let reading = try read(path)
    #expect(reading.error == nil && 20_011...21_035 ~= reading.frames.count)
    #expect(reading.frames[..<20_011] == TestSound.noise(20_011)[...])
  }

  static let blocks: [(name: String, format: Int)] = [
    ("gsm.wav", SF_FORMAT_WAV | SF_FORMAT_GSM610), ("ima.wav", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM),
    ("ms.wav", SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM), ("ima.aifc", SF_FORMAT_AIFF | SF_FORMAT_IMA_ADPCM),
    ("gsm.aifc", SF_FORMAT_AIFF | SF_FORMAT_GSM610), ("g721.au", SF_FORMAT_AU | SF_FORMAT_G721_32),
  ]

  @Test(arguments: blocks.map(\.name)) func `compressed sound that is cut short ends at the cut`(name: String) throws {
    let format = try #require(Self.blocks.first { $0.name == name }?.format)
    let sound: [Float] = TestSound.noise(30_000).map(\.left)
    let path = try write(sound, to: folder.path(name), format: format, rate: 8_000, channels: 1)
    let whole = PlainReading(try reader(path))
    #expect(whole.gaps.isEmpty && 30_000 <= whole.samples.count)
    // A seek decodes the same samples.
    let late = try reader(path)
    #expect(late.seek(to: 12_345))
    #expect(PlainReading(late, from: 12_345).samples == Array(whole.samples[12_345...]))
    let bytes = try folder.bytes(of: name)
    let cut = try reader(folder.write(Array(bytes[..<(bytes.count / 2)]), to: "cut"))
    #expect(try read(folder.path("cut"), at: .cd).error != nil)
    let there = PlainReading(cut).samples
    #expect(12_000...15_000 ~= there.count && there == Array(whole.samples[..<there.count]))
  }

  @Test func `the last block of ADPCM is only as long as the file states`() throws {
    let path = try write(
      TestSound.noise(9_000).map(\.left), to: folder.path("a.wav"), format: SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM,
      rate: 8_000, channels: 1)
    var bytes = try folder.bytes(of: "a.wav")
    let fact = try #require(bytes.indices.first { bytes[$0...].starts(with: "fact".utf8) })
    bytes.replaceSubrange(fact + 8..<fact + 12, with: ByteOrder.little.bytes(9_000, count: 4))
    #expect(9_000 < (try reader(path).format.frames ?? 0))
    #expect(try reader(folder.write(bytes, to: "b.wav")).format.frames == 9_000)
  }

  @Test func `the delay and the padding that a CAF file states are not part of AAC`() throws {
    _ = try encode(TestSound.noise(20_011), [], to: "a.aac", in: folder)
    let whole = PlainReading(try reader(folder.path("a.aac")))
    let packets = adts(try folder.bytes(of: "a.aac")).map { $0.dropFirst(7) }
    let path = try folder.write(caf(packets, delay: 1_024, frames: 20_011), to: "a.caf")
    let reading = PlainReading(try reader(path))
    #expect(reading.gaps.isEmpty && reading.samples == Array(whole.samples[2_048..<2_048 + 40_022]))
    let late = try reader(path)
    #expect(late.format.frames == 20_011 && late.seek(to: 11_111))
    #expect(PlainReading(late, from: 11_111).samples == Array(reading.samples[22_222...]))
  }

  /// A CAF file of AAC, stereo at 44.1 kHz.
  private func caf(_ packets: [ArraySlice<UInt8>], delay: Int64, frames: Int64) -> [UInt8] {
    let big = { (number: Int64, count: Int) in ByteOrder.big.bytes(number, count: count) }
    let chunk = { (name: String, bytes: [UInt8]) in Array(name.utf8) + big(Int64(bytes.count), 8) + bytes }
    let part = { (tag: UInt8, bytes: [UInt8]) in [tag, UInt8(bytes.count)] + bytes }
    let rate = withUnsafeBytes(of: Double(44_100).bitPattern.bigEndian, Array.init)
    let description = rate + Array("aac ".utf8) + [2, 0, 1_024, 2, 0].flatMap { big($0, 4) }
    let decoder = part(4, [0x40, 0x15] + [UInt8](repeating: 0, count: 11) + part(5, [0x12, 0x10]))
    let cookie = [0, 0, 0, 0] + part(3, [0, 0, 0] + decoder + part(6, [2]))
    let sizes = packets.flatMap {
      $0.count < 128 ? [UInt8($0.count)] : [UInt8($0.count >> 7 | 128), UInt8($0.count & 127)]
    }
    let rest = Int64(packets.count) * 1_024 - delay - frames
    let table = big(Int64(packets.count), 8) + big(frames, 8) + big(delay, 4) + big(rest, 4) + sizes
    return Array("caff".utf8) + [0, 1, 0, 0] + chunk("desc", description) + chunk("kuki", cookie)
      + chunk("pakt", table) + chunk("data", [0, 0, 0, 0] + packets.flatMap(\.self))
  }

  /// libsndfile has a list of one loudspeaker then, and would be asked for two.
  @Test func `a CAF file that names too few loudspeakers plays in stereo`() throws {
    let path = try write(TestSound.noise(500), to: folder.path("a.caf"), format: formats["caf"] ?? 0, rate: 44_100)
    let bytes = try folder.bytes(of: "a.caf")
    let layout: [UInt8] =
      Array("chan".utf8) + [0, 0, 0, 0, 0, 0, 0, 12, 0, 100, 0, 1] + [UInt8](repeating: 0, count: 8)
    // Behind the header and the description of the format.
    let changed = try folder.write(Array(bytes[..<52]) + layout + Array(bytes[52...]), to: "b.caf")
    #expect(try read(changed).frames == read(path).frames)
  }

  @Test(arguments: 12...28) func `the beginning of a W64 file is not a sound`(count: Int) throws {
    let path = try folder.write(Array(("riff" + String(repeating: "wave", count: 6)).utf8.prefix(count)), to: "a.w64")
    #expect(throws: SourceError.self) { try reader(path) }
  }
}
