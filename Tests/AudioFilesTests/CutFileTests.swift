import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Formats whose decoding libraries don't compare the file with the length that its header states, or read the sound
/// wrongly.
@Suite struct CutFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let formats: [(name: String, format: Int, channels: Int)] = [
    ("a.voc", SF_FORMAT_VOC | SF_FORMAT_PCM_16, 2), ("a.sph", SF_FORMAT_NIST | SF_FORMAT_PCM_16, 2),
    ("law.sph", SF_FORMAT_NIST | SF_FORMAT_ULAW, 2), ("a.avr", SF_FORMAT_AVR | SF_FORMAT_PCM_16, 2),
    ("mono.avr", SF_FORMAT_AVR | SF_FORMAT_PCM_S8, 1), ("a.svx", SF_FORMAT_SVX | SF_FORMAT_PCM_S8, 1),
    ("b.svx", SF_FORMAT_SVX | SF_FORMAT_PCM_16, 1),
  ]

  @Test(arguments: formats.map(\.name))
  func `a file that is cut plays up to there, and is reported`(name: String) throws {
    let (_, format, channels) = try #require(Self.formats.first { $0.name == name })
    let samples = interleaved(TestSound.noise(10_000))
    try expectCut(write(samples, to: folder.path(name), format: format, rate: 44_100, channels: channels), name)
  }

  @Test func `an AVI file that is cut plays up to there, and is reported`() throws {
    try expectCut(encode(TestSound.noise(40_000), ["-c:a", "mp3"], to: "a.avi", in: folder), "a.avi")
  }

  private func expectCut(_ path: String, _ name: String) throws {
    let whole = try read(path)
    #expect(whole.damage == nil)
    let bytes = try folder.bytes(of: name)
    let cut = try read(folder.write(Array(bytes[..<(bytes.count * 6 / 10)]), to: "cut"))
    let end = Int(try #require(cut.damage).frame)
    let count = whole.frames.count
    #expect((count / 4...count * 3 / 4).contains(end) && cut.frames.count == end + 220)
    // The last packet may be cut.
    let sure = name == "a.avi" ? end - 2_304 : end
    let isSame = cut.frames[..<sure] == whole.frames[..<sure]
    #expect(isSame)
  }

  @Test func `the blocks of a VOC file are one sound`() throws {
    let frames = TestSound.noise(3_000)
    let samples = Array(TestWave.stereo(frames, rate: 44_100)[44...])
    let little = { (number: Int, count: Int) in ByteOrder.little.bytes(Int64(number), count: count) }
    let head = Array("Creative Voice File".utf8) + [0x1A] + little(26, 2) + little(0x0114, 2) + little(0x111F, 2)
    for sizes in [[12_000], [4_000, 4_000, 4_000], [8_000, 4_000]] {
      var (rest, blocks) = (samples[...], [UInt8]())
      for (index, size) in sizes.enumerated() {
        let format = little(44_100, 4) + [16, 2] + little(4, 2) + little(0, 4)
        blocks += index == 0 ? [9] + little(size + 12, 3) + format : [2] + little(size, 3)
        blocks += rest.prefix(size)
        rest = rest.dropFirst(size)
      }
      let reading = try read(folder.write(head + blocks + [0], to: "a.voc"))
      #expect(reading.damage == nil && reading.frames == frames, "\(sizes)")
    }
  }

  @Test func `the channels of an 8SVX file follow one another`() throws {
    let big = { (number: Int, count: Int) in ByteOrder.big.bytes(Int64(number), count: count) }
    let chunk = { (name: String, content: [UInt8]) in Array(name.utf8) + big(content.count, 4) + content }
    let left = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    let right = left.map { 255 - $0 }
    let header = chunk("VHDR", big(500, 4) + big(0, 8) + big(22_050, 2) + [1, 0] + big(65_536, 4))
    let content = Array("8SVX".utf8) + header + chunk("CHAN", big(6, 4)) + chunk("BODY", left + right)
    let path = try folder.write(chunk("FORM", content), to: "a.8svx")
    let reading = try read(path, at: #require(SampleRate(hertz: 22_050)))
    let expected = zip(left, right).map { left, right in
      Frame(left: Float(Int8(bitPattern: left)) / 128, right: Float(Int8(bitPattern: right)) / 128)
    }
    #expect(reading.damage == nil && reading.frames == expected)
  }
}
