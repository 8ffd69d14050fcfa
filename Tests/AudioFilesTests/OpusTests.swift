import CSndFile
import Engine
import Glibc
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

/// Opus files, which are decoded in runs of nine seconds.
@Suite struct OpusTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Twenty seconds of noise whose level and spectrum change, so that the encoder changes its mode and bandwidth.
  private func samples(rate: Int, channels: Int) -> [Float] {
    var seed: UInt64 = 1
    var smooth = [Float](repeating: 0, count: channels)
    return (0..<20 * rate * channels).map { index in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let noise = Float(Int32(truncatingIfNeeded: seed >> 32)) / Float(Int32.max)
      let part = index / channels / (rate / 3)
      let weight: Float = [0.02, 0.3, 1][part % 3]
      smooth[index % channels] += weight * (noise - smooth[index % channels])
      return smooth[index % channels] * [0.9, 0.1, 0.5, 0][part % 4]
    }
  }

  private struct Layout: Sendable, CustomTestStringConvertible {
    var rate: Int
    var channels: Int
    var testDescription: String { "\(rate) Hz, \(channels) channels" }
  }

  private static let layouts = [
    Layout(rate: 48_000, channels: 2), Layout(rate: 48_000, channels: 1), Layout(rate: 48_000, channels: 6),
    Layout(rate: 24_000, channels: 2), Layout(rate: 16_000, channels: 1), Layout(rate: 8_000, channels: 1),
  ]

  private func made(_ layout: Layout) throws -> String {
    let samples = samples(rate: layout.rate, channels: layout.channels)
    return try write(
      samples, to: folder.path("a.opus"), format: opus, rate: layout.rate, channels: layout.channels)
  }

  private func reader(_ path: String) throws -> any SampleReader {
    let reader = try openReader(try RegularFile(path: path), scans: ScanCache())
    #expect(reader is OpusReader)
    return reader
  }

  private func rest(of reader: any SampleReader) -> [Float] {
    var (all, count) = ([Float](), 5_000)
    var block = [Float](repeating: 0, count: 5_000 * reader.format.channels)
    while count == 5_000 {
      count = reader.read(into: &block, frames: 5_000)
      all += block[..<(count * reader.format.channels)]
    }
    return all
  }

  @Test(arguments: layouts)
  private func `the samples equal those of libsndfile, which decodes the file in one run`(layout: Layout) throws {
    try expectSamplesOfLibsndfile(made(layout), layout)
  }

  @Test(arguments: [310, 315, 3_840] as [UInt16])
  func `any pre-skip gives the samples of libsndfile`(skip: UInt16) throws {
    let layout = Layout(rate: 16_000, channels: 1)
    _ = try made(layout)
    var bytes = try folder.bytes(of: "a.opus")
    changeHeader(&bytes, at: 10, to: little(skip))
    try expectSamplesOfLibsndfile(folder.write(bytes, to: "skip.opus"), layout)
  }

  /// The rate in the header is that of the recording before it was encoded.
  @Test(arguments: [0, 8_000, 44_100, .max] as [UInt32])
  func `the rate in the header changes nothing, even if other data follow the sound`(rate: UInt32) throws {
    let path = try made(Self.layouts[0])
    let whole = try read(path, at: .studio).frames
    var bytes = try folder.bytes(of: "a.opus")
    changeHeader(&bytes, at: 12, to: little(rate))
    let other = try folder.write(bytes, to: "rate.opus")
    #expect(try reader(other).format.rate == 48_000)
    #expect(try read(other, at: .studio).frames == whole)
    let chained = try folder.write(bytes + folder.bytes(of: "a.opus"), to: "chain.opus")
    #expect(try read(chained, at: .studio).frames.starts(with: whole))
  }

  private func expectSamplesOfLibsndfile(_ path: String, _ layout: Layout) throws {
    let reader = try reader(path)
    #expect(reader.format.rate == 48_000 && reader.format.channels == layout.channels)
    let isSame = try rest(of: reader) == samplesOfLibsndfile(path)
    #expect(isSame)
  }

  /// libsndfile plays at the rate of the recording, which the copy states to be 48 kHz.
  private func samplesOfLibsndfile(_ path: String) throws -> [Float] {
    var bytes = try folder.bytes(of: String(path.dropFirst(folder.path("").count)))
    changeHeader(&bytes, at: 12, to: little(UInt32(48_000)))
    let path = try folder.write(bytes, to: "full.opus")
    var info = SF_INFO()
    let handle = try #require(sf_open(path, Int32(SFM_READ), &info))
    defer { sf_close(handle) }
    var samples = [Float](repeating: 0, count: Int(info.frames * Int64(info.channels)))
    #expect(sf_readf_float(handle, &samples, info.frames) == info.frames)
    return samples
  }

  /// At a low bit rate, the decoder of a voice keeps a state for longer than a run has been decoded before.
  @Test func `a run of speech fades to the next one, and reading can begin at any frame`() throws {
    let sink = try FileSink(path: folder.path("voice.opus"), compression: .bitrate(12_000))
    try sink.start(at: try #require(SampleRate(hertz: 16_000)))
    try vowel(rate: 16_000).withUnsafeBufferPointer { (frames) throws(SinkError) in try sink.write(frames) }
    try sink.finish()
    let (path, whole) = (folder.path("voice.opus"), try rest(of: reader(folder.path("voice.opus"))))
    let expected = try samplesOfLibsndfile(path)
    let distances = stride(from: 0, to: min(whole.count, expected.count), by: 2).map { abs(whole[$0] - expected[$0]) }
    let (run, fade) = (Int(try reader(path).entryStep), 960)
    // The fade begins with a share of 0.
    #expect(distances.firstIndex { 0 < $0 } == run - fade + 1)
    let most = try #require(distances[run..<run + fade].max())
    #expect(0.0003 < most)
    #expect(try #require(distances[run - fade..<run - fade * 9 / 10].max()) < most / 5)
    for frame in [run - fade, run - 100, run, run + 100, 2 * run - 1] {
      let reader = try reader(path)
      #expect(reader.seek(to: Int64(frame)))
      let isSame = rest(of: reader) == Array(whole[(2 * frame)...])
      #expect(isSame, "\(frame)")
    }
  }

  /// Twenty seconds of a vowel: pulses of 118 to 124 Hz, and resonances at 700 and 1,200 Hz.
  private func vowel(rate: Int) -> [Frame] {
    var (phase, first, second) = (0.0, Resonance(hertz: 700, rate: rate), Resonance(hertz: 1_200, rate: rate))
    return (0..<20 * rate).map { index in
      phase += (121 + 3 * sin(4.4 * Double(index) / Double(rate))) / Double(rate)
      let pulse = 1 <= phase ? 1.0 : 0
      phase -= pulse
      return Frame(mono: Float(0.01 * second.next(first.next(pulse))))
    }
  }

  private struct Resonance {
    private let (factor, decay): (Double, Double)
    private var (last, previous) = (0.0, 0.0)

    init(hertz: Double, rate: Int) {
      let radius = 0.97
      (factor, decay) = (2 * radius * cos(2 * .pi * hertz / Double(rate)), radius * radius)
    }

    mutating func next(_ input: Double) -> Double {
      (last, previous) = (input + factor * last - decay * previous, last)
      return last
    }
  }

  @Test(arguments: layouts)
  private func `the samples from any frame on are those of a read from the beginning`(layout: Layout) throws {
    let path = try made(layout)
    let whole = try rest(of: reader(path))
    let run = Int(try reader(path).entryStep)
    for frame in [1, 2_000, run - layout.rate / 100, run - 1, run, run + 700, 2 * run + 1] {
      let reader = try reader(path)
      #expect(reader.isExact && reader.seek(to: Int64(frame)))
      let isSame = rest(of: reader) == Array(whole[(frame * layout.channels)...])
      #expect(isSame, "\(frame)")
    }
  }

  @Test(arguments: [48_000, 44_100])
  func `a second decoder can begin with each run, and delivers the same frames`(rate: Int) throws {
    let path = try made(Self.layouts[0])
    let sampleRate = try #require(SampleRate(hertz: rate))
    let whole = try read(path, at: sampleRate).frames
    let decoder = try AudioFileLibrary().open(SoundSource(path: path), at: sampleRate, from: 0)
    let first: FrameCount = try #require(decoder.entry(from: 10_000))
    let second: FrameCount = try #require(decoder.entry(from: first + 1))
    // A resampler needs a tenth of a second before the frame.
    let run = FrameCount(449_120 * rate / 48_000)
    #expect(first == run + (rate == 48_000 ? 0 : 4_410) && second - first == run)
    for entry in [first, second] {
      let branch = try #require(decoder.branch(at: entry))
      let isSame = Reading(branch).frames == Array(whole[Int(entry)...])
      #expect(isSame, "\(entry)")
    }
  }

  @Test func `the gain in the header is applied`() throws {
    let layout = Self.layouts[0]
    let path = try made(layout)
    let whole = try rest(of: reader(path))
    var bytes = try folder.bytes(of: "a.opus")
    // -6 dB in 1/256 dB.
    changeHeader(&bytes, at: 16, to: little(Int16(-6 * 256)))
    let quiet = try rest(of: reader(folder.write(bytes, to: "quiet.opus")))
    #expect(quiet.count == whole.count)
    #expect(zip(quiet, whole).allSatisfy { abs($0 - 0.501_187 * $1) < 1e-4 })
  }

  /// As some recorders do while nobody speaks.
  @Test func `packets that the file leaves out are silence`() throws {
    let layout = Self.layouts[0]
    let path = try made(layout)
    let whole = try rest(of: reader(path))
    let pages = try pages(of: path)
    // All pages from the fifth page of sound on are three seconds later.
    let bytes = try bytes(of: path, moving: pages[6...], by: 144_000)
    let gap = Int((pages[5].position ?? 0) - 312)
    let later = try read(folder.write(bytes, to: "later.opus"), at: .studio)
    #expect(later.damage == nil && later.frames.count == whole.count / 2 + 144_000)
    let frames = interleaved(later.frames)
    let (isSame, isSilent) = (
      frames[..<(2 * gap)] == whole[..<(2 * gap)], frames[(2 * gap)..<(2 * gap + 288_000)].allSatisfy { $0 == 0 }
    )
    #expect(isSame && isSilent)
    #expect(zip(frames[(2 * gap + 288_000)...], whole[(2 * gap)...]).allSatisfy { abs($0 - $1) < 0.2 })
  }

  @Test func `a file whose first positions are too small for its packets loses no sound`() throws {
    let path = try made(Self.layouts[0])
    let whole = try read(path, at: .studio)
    let bytes = try bytes(of: path, moving: pages(of: path)[2...], by: -(pages(of: path)[2].position ?? 0) / 2)
    let cut = try read(folder.write(bytes, to: "cut.opus"), at: .studio)
    // libsndfile refuses such a file, and libavcodec decodes speech with small differences.
    #expect(cut.frames.count == whole.frames.count && difference(cut.frames, whole.frames) < -20)
    #expect(try read(folder.path("cut.opus"), at: .studio, from: 30_000).frames == Array(cut.frames[30_000...]))
  }

  @Test(arguments: [0, 2, 15] as [UInt8])
  func `every compatible version of the header is read`(version: UInt8) throws {
    let whole = try read(made(Self.layouts[0]), at: .studio)
    var bytes = try folder.bytes(of: "a.opus")
    changeHeader(&bytes, at: 8, to: [version])
    #expect(try read(folder.write(bytes, to: "version.opus"), at: .studio).frames == whole.frames)
  }

  /// Otherwise a small file could make a render endless.
  @Test func `an impossible position of a page is ignored, and one of the last page is reported`() throws {
    let path = try made(Self.layouts[0])
    let whole = try read(path, at: .studio).frames
    let pages = try pages(of: path)
    let last = try read(
      folder.write(bytes(of: path, moving: pages.suffix(1), by: 48_000 * 86_400), to: "last.opus"), at: .studio)
    let isSame = last.frames.starts(with: whole) && last.frames.count < whole.count + 48_000
    #expect(isSame && last.damage != nil)
    for page in [6, 9, 12] {
      for distance in [-96_000, 96_000, 48_000 * 86_400] as [Int64] {
        let moved = try read(
          folder.write(bytes(of: path, moving: pages[page...page], by: distance), to: "one.opus"), at: .studio)
        #expect(moved.damage == nil && moved.frames.count == whole.count)
        #expect(gaps(moved.frames, whole, tolerance: 0.2).isEmpty, "\(page) \(distance)")
      }
    }
  }

  @Test func `positions near the largest number are not added up`() throws {
    let path = try made(Self.layouts[0])
    let pages = try pages(of: path)
    let last = try #require(pages.last?.position)
    let most = try bytes(of: path, moving: pages[2..<6] + pages[7...], by: .max - last)
    let reading = try read(folder.write(most, to: "most.opus"), at: .studio)
    #expect(reading.frames.count <= 20 * 48_000)
  }

  /// Changes bytes of the first packet, which is the only one of the first page, and the page's checksum.
  private func changeHeader(_ bytes: inout [UInt8], at offset: Int, to new: [UInt8]) {
    let end = 28 + Int(bytes[27])
    bytes.replaceSubrange(28 + offset..<28 + offset + new.count, with: new)
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    bytes.replaceSubrange(22..<26, with: little(oggChecksum(Array(bytes[..<end]))))
  }

  /// The file with later positions of some pages.
  private func bytes(of path: String, moving pages: ArraySlice<OggPage>, by distance: Int64) throws -> [UInt8] {
    var bytes = try folder.bytes(of: "a.opus")
    for page in pages {
      let start = Int(page.offset)
      bytes.replaceSubrange(start + 6..<start + 14, with: little((page.position ?? 0) + distance))
      bytes.replaceSubrange(start + 22..<start + 26, with: [0, 0, 0, 0])
      let sum = oggChecksum(Array(bytes[start..<Int(page.end)]))
      bytes.replaceSubrange(start + 22..<start + 26, with: little(sum))
    }
    return bytes
  }

  private func pages(of path: String) throws -> [OggPage] {
    let file = try RegularFile(path: path)
    var pages: [OggPage] = []
    while let page = OggPage(in: file, at: pages.last?.end ?? 0) { pages.append(page) }
    return pages
  }

  private func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
