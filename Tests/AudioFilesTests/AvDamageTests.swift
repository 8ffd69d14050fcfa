import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// What is missing in files that libavformat reads: it is told at its frame, and the sound after it keeps its place.
@Suite struct AvDamageTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func reader(_ path: String) throws -> any SampleReader {
    try openReader(RegularFile(path: path), scans: ScanCache())
  }

  private func pages(_ name: String) throws -> [OggPage] {
    let file = try RegularFile(path: folder.path(name))
    var pages: [OggPage] = []
    while let page = OggPage(in: file, at: pages.last?.end ?? 0) { pages.append(page) }
    return pages
  }

  @Test(arguments: [("a.oga", ["-c:a", "flac"]), ("a.spx", ["-c:a", "libspeex", "-ar", "16000"])])
  func `a damaged page of an Ogg file is a gap at its place`(name: String, options: [String]) throws {
    let whole = PlainReading(try reader(encode(TestSound.noise(300_000), options, to: name, in: folder)))
    let (pages, bytes) = (try pages(name), try folder.bytes(of: name))
    #expect(whole.gaps.isEmpty && 5 < pages.count)
    let shift: Int64 = name == "a.spx" ? 80 : 0
    for lost in [3, pages.count / 2, pages.count - 2] {
      let damaged = try folder.write(bytes.damaged(at: Int(pages[lost].offset) + 100), to: "damaged")
      let reading = PlainReading(try reader(damaged))
      #expect(reading.samples.count == whole.samples.count, "\(lost)")
      let gap = try #require(reading.gaps.first)
      #expect(reading.gaps.count == 1 && gap.lowerBound == (pages[lost - 1].position ?? 0) - shift)
      let (start, end) = (Int((pages[lost].position ?? 0) - shift), Int(gap.upperBound))
      // One packet may continue on the next page.
      #expect(start <= end && end <= start + 4_608)
      // A decoder of Speex remembers what was before.
      if name == "a.oga" { #expect(reading.samples[(2 * end)...] == whole.samples[(2 * end)...]) }
    }
  }

  /// As in speexdec: 48,000 coded frames begin 143 frames before the sound, and the decoder adds 80.
  @Test func `Speex is as long as the position of its last page says`() throws {
    let options = ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"]
    _ = try encode(TestSound.noise(48_000), rate: 16_000, options, to: "a.spx", in: folder)
    let whole = PlainReading(try reader(folder.path("a.spx")))
    #expect(whole.samples.count == 47_777)
    let pages = try pages("a.spx")
    #expect(pages.last?.position == 47_857)
    let trimmed = PlainReading(try reader(folder.write(try speex(endingAt: 47_700), to: "b.spx")))
    #expect(trimmed.samples == Array(whole.samples[..<47_700]))
    // A position that no sound has is none, so the sound ends with the page before it, and fades out.
    let before = Int(pages[pages.count - 2].position ?? 0) - 80
    for position in [Int64.max, .max - 1, 1 << 62, -1, .min] {
      let reading = PlainReading(try reader(folder.write(try speex(endingAt: position), to: "c.spx")))
      let isSame = reading.samples.prefix(before) == whole.samples.prefix(before)
      #expect(isSame && before + Concealment.ramp(atRate: 16_000) == reading.samples.count, "\(position)")
    }
  }

  /// The file with another position of its last page.
  private func speex(endingAt position: Int64) throws -> [UInt8] {
    var bytes = try folder.bytes(of: "a.spx")
    let start = Int(try #require(try pages("a.spx").last).offset)
    bytes.replaceSubrange(start + 6..<start + 14, with: ByteOrder.little.bytes(position, count: 8))
    bytes.replaceSubrange(start + 22..<start + 26, with: [0, 0, 0, 0])
    let sum = oggChecksum(Array(bytes[start...]))
    bytes.replaceSubrange(start + 22..<start + 26, with: ByteOrder.little.bytes(Int64(sum), count: 4))
    return bytes
  }

  @Test func `a message in a packet of Speex is skipped`() throws {
    var head = Array("Speex   ".utf8) + [UInt8](repeating: 0, count: 72)
    head[64] = 2
    let packets = try #require(head.withUnsafeBufferPointer { SpeexPackets(head: $0) })
    // A message of 8 + 5 bits, a silent frame, and the mark of the end in place of the second frame.
    #expect(packets.completed([0x68, 0x80, 0x00, 0x0F]) == [0x68, 0x80, 0, 0, 0, 0])
    #expect(packets.completed([0x68, 0x80]) == [0x68, 0x80])
  }

  /// As of a program that has joined a broadcast.
  @Test func `Speex whose positions begin late sounds the same`() throws {
    let options = ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"]
    _ = try encode(TestSound.noise(48_000), rate: 16_000, options, to: "a.spx", in: folder)
    var bytes = try folder.bytes(of: "a.spx")
    for page in try pages("a.spx").dropFirst(2) {
      let range = Int(page.offset)..<Int(page.end)
      var changed = Array(bytes[range])
      changed.replaceSubrange(6..<14, with: ByteOrder.little.bytes((page.position ?? 0) + 1_000_000, count: 8))
      changed.replaceSubrange(22..<26, with: [0, 0, 0, 0])
      changed.replaceSubrange(22..<26, with: ByteOrder.little.bytes(Int64(oggChecksum(changed)), count: 4))
      bytes.replaceSubrange(range, with: changed)
    }
    let whole = PlainReading(try reader(folder.path("a.spx")))
    let late = PlainReading(try reader(folder.write(bytes, to: "b.spx")))
    // How much of the first packet is the encoder's delay is not known.
    #expect(late.gaps.isEmpty && late.samples.dropFirst(143).elementsEqual(whole.samples))
  }

  /// The last packet has fewer frames than the others, which libavcodec takes for damage.
  @Test(arguments: [3, 5, 8]) func `Speex sounds the same with several frames in each packet`(count: Int) throws {
    let options = ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"]
    let noise = TestSound.noise(8_000)
    _ = try encode(noise, rate: 16_000, options, to: "a.spx", in: folder)
    _ = try encode(noise, rate: 16_000, options + ["-frames_per_packet", "\(count)"], to: "b.spx", in: folder)
    let (one, several) = (
      PlainReading(try reader(folder.path("a.spx"))), PlainReading(try reader(folder.path("b.spx")))
    )
    // The encoder counts its delay as sound if it does not fill the last packet.
    #expect(several.gaps.isEmpty && 7_777 <= one.samples.count && several.samples.starts(with: one.samples))
  }

  @Test func `Speex on one page has the same delay`() throws {
    let options = ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"]
    _ = try encode(TestSound.noise(8_000), rate: 16_000, options, to: "a.spx", in: folder)
    #expect(try pages("a.spx").count == 3)
    #expect(PlainReading(try reader(folder.path("a.spx"))).samples.count == 7_777)
  }

  @Test(arguments: ["a.spx", "a.oga"]) func `an Ogg file that ends too early is told so`(name: String) throws {
    let options = name == "a.spx" ? ["-c:a", "libspeex", "-ar", "16000"] : ["-c:a", "flac"]
    _ = try encode(TestSound.noise(300_000), options, to: name, in: folder)
    let (pages, bytes) = (try pages(name), try folder.bytes(of: name))
    let last = pages[pages.count - 2]
    let cut = try read(folder.write(Array(bytes[..<(Int(last.end) + 10)]), to: "cut"))
    let end = (last.position ?? 0) - (name == "a.spx" ? 80 : 0)
    let second = Double(end) / (name == "a.spx" ? 16_000 : 44_100)
    #expect(cut.error == .damaged(path: folder.path("cut"), atSecond: second, cause: ending))
  }

  private let ending = "the data end there or can't be decoded"

  /// 2,048 frames are a packet. The bytes are cut out of the middle, so that also the packets around them are lost.
  @Test(arguments: ["wmav1", "wmav2"]) func `sound after lost packets of WMA keeps its place`(codec: String) throws {
    let whole = PlainReading(try reader(encode(TestSound.noise(200_000), ["-c:a", codec], to: "a.wma", in: folder)))
    var bytes = try folder.bytes(of: "a.wma")
    bytes.removeSubrange(bytes.count * 2 / 5..<bytes.count / 2)
    let reading = PlainReading(try reader(folder.write(bytes, to: "b.wma")))
    #expect(reading.samples.count == whole.samples.count)
    let gap = try #require(reading.gaps.first)
    #expect(reading.gaps.count == 1 && gap.lowerBound % 2_048 == 0 && gap.count % 2_048 == 0)
    // The first packet is mixed with what was before it.
    let after = 2 * (Int(gap.upperBound) + 4_096)
    let isSame = reading.samples[after...] == whole.samples[after...]
    #expect(isSame)
  }

  static let streams = ["a.aac", "a.ac3", "a.eac3", "a.dts", "a.thd"]

  private func raw(_ name: String, _ frames: Int = 40_000) throws -> [UInt8] {
    let options = name == "a.dts" ? ["-c:a", "dca", "-ar", "48000"] : name == "a.thd" ? ["-c:a", "truehd"] : []
    _ = try encode(TestSound.noise(frames), options + ["-strict", "-2"], to: name, in: folder)
    return try folder.bytes(of: name)
  }

  @Test(arguments: streams) func `a stream that ends within a packet is truncated, tags and zeros behind it are not`(
    name: String
  ) throws {
    let bytes = try raw(name)
    let whole = try read(folder.path(name))
    #expect(whole.error == nil)
    let cut = try read(folder.write(Array(bytes.dropLast(20)), to: "cut"))
    guard case .damaged(_, _, ending) = cut.error else { return #expect(Bool(false), "not told") }
    let id3 = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
    let foot: [UInt8] =
      Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 42, 0, 0, 0, 1, 0, 0, 0] + Array(repeating: 0, count: 12)
    let ape = [UInt8](repeating: 0x41, count: 10) + foot
    for tail in [id3, ape, ape + id3, [UInt8](repeating: 0, count: 5_000)] {
      let tagged = try read(folder.write(bytes + tail, to: "tagged"))
      #expect(tagged.error == nil && tagged.frames == whole.frames, "\(tail.prefix(3))")
    }
  }

  /// Where packets begin.
  private func packets(_ name: String, _ bytes: [UInt8]) -> [Int] {
    if name == "a.aac" { return adts(bytes).map(\.startIndex) }
    return bytes.indices.dropLast().filter { bytes[$0] == 0x0B && bytes[$0 + 1] == 0x77 }
  }

  static let counted = [("a.ac3", 1_536), ("a.eac3", 1_536), ("a.aac", 1_024)]

  @Test(arguments: counted)
  func `packets whose beginning is damaged are lost at their place`(name: String, packet: Int) throws {
    let bytes = try raw(name)
    let whole = PlainReading(try reader(folder.path(name)))
    let damaged = bytes.damaged(at: packets(name, bytes)[10], count: 4)
    let reading = PlainReading(try reader(folder.write(damaged, to: "b")))
    #expect(reading.gaps == [Int64(10 * packet)..<Int64(11 * packet)])
    #expect(reading.samples.count == whole.samples.count)
    let isSame = reading.samples[..<(20 * packet)] == whole.samples[..<(20 * packet)]
    #expect(isSame)
  }

  @Test(arguments: counted) func `a file of a few packets plays`(name: String, length: Int) throws {
    let bytes = try raw(name)
    let whole = PlainReading(try reader(folder.path(name)))
    for count in 1...5 {
      let short = try folder.write(Array(bytes[..<packets(name, bytes)[count]]), to: "short")
      let isSame = PlainReading(try reader(short)).samples == Array(whole.samples[..<(2 * count * length)])
      #expect(isSame, "\(count)")
    }
    let noise = try folder.write(Array(bytes.prefix(7)) + [UInt8](repeating: 7, count: 9_000), to: "noise")
    #expect(throws: SourceError.self) { try reader(noise) }
  }
}
