import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Intact files that other programs write, whose headers are not as a textbook shows them.
@Suite struct ContainerTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let frames = TestSound.noise(1_000)
  /// 16-bit stereo samples.
  private static let samples = Array(TestWave.stereo(frames, rate: 44_100)[44...])

  /// The frames of a file that is not damaged. Its length is exact.
  private func intact(_ bytes: [UInt8], _ comment: String = "") throws -> [Frame] {
    let path = try folder.write(bytes, to: "a")
    let reading = try read(path)
    #expect(reading.damage == nil, "\(comment)")
    let length = try AudioFileLibrary().probe(SoundSource(path: path), at: .cd).length
    #expect(length == FrameCount(reading.frames.count), "\(comment)")
    return reading.frames
  }

  private func expectWhole(_ bytes: [UInt8], _ comment: String = "") throws {
    let isWhole = try intact(bytes, comment) == Self.frames
    #expect(isWhole, "\(comment)")
  }

  // MARK: Tags before the container

  @Test(arguments: kinds.map(\.name) + ["x.au"])
  func `an ID3 tag before any format costs no frame`(name: String) throws {
    let format = kinds.first { $0.name == name }?.format ?? SF_FORMAT_AU | SF_FORMAT_PCM_16
    let path = try write(TestSound.noise(60_007), to: folder.path(name), format: format, rate: 48_000)
    let (bytes, whole) = (try folder.bytes(of: name), try read(path).frames)
    for tag in [Self.tag(200_000), Self.tag(10) + Self.tag(5_001)] {
      let isWhole = try intact(tag + bytes) == whole
      #expect(isWhole)
    }
  }

  private static func tag(_ count: Int) -> [UInt8] {
    let title: [UInt8] = Array("TIT2".utf8) + [0, 0, 0, 4, 0, 0, 3] + Array("Tag".utf8)
    return Array("ID3".utf8) + [4, 0, 0] + [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) }
      + (title + [UInt8](repeating: 0, count: count)).prefix(count)
  }

  @Test func `the title of an ID3 tag before a WAV file is read, unless the file has one itself`() throws {
    let wave = TestWave.stereo(Self.frames, rate: 44_100)
    #expect(try title(Self.tag(100) + wave) == "Tag")
    #expect(
      try title(Self.tag(100) + riff([format, data, chunk("LIST", Array("INFO".utf8) + chunk("INAM", "Own"))])) == "Own"
    )
    #expect(try title(riff([format, chunk("id3 ", Self.tag(50)), data])) == "Tag")
  }

  private func title(_ bytes: [UInt8]) throws -> String? {
    try AudioFileLibrary().probe(SoundSource(path: folder.write(bytes, to: "t")), at: .cd).title
  }

  // MARK: Sizes

  /// As written to a pipe by ffmpeg, SoX and espeak-ng, arecord, Python and pocket-tts, and others.
  @Test(arguments: [
    (0xFFFF_FFFF, 0xFFFF_FFFF), (0x7FFF_F024, 0x7FFF_F000), (0x8000_0024, 0x8000_0000), (36, 0), (0, 0),
    (2_000_000_036, 2_000_000_000), (0x7FFF_FFFF, 0x7FFF_FFDB), (0xFFFF_FFFF, 0xFFFF_FFDB), (0xFFFF_FFFF, 50_000),
    (0, 50_000), (100, 50_000), (0x4000_0024, 0x4000_0000), (4_036, 0xFFFF_FFFF), (100_000_036, 100_000_000),
  ])
  func `a size that the file does not hold is none, in both byte orders`(outer: Int, size: Int) throws {
    try expectWhole(riff([format, chunk("data", Self.samples, size: size)], size: outer))
    try expectWhole(
      riff([format, chunk("data", Self.samples + [1, 2, 3], size: size, padding: 0)], size: outer), "part of a frame")
    let swapped = stride(from: 0, to: Self.samples.count, by: 2).flatMap { [Self.samples[$0 + 1], Self.samples[$0]] }
    try expectWhole(riff([format(.big), chunk("data", swapped, size: size, .big)], size: outer, .big))
  }

  @Test(arguments: [("RF64", 0), ("RF64", -1), ("BW64", 0), ("RF64", 4_000), ("BW64", 4_000), ("RF64", 4 << 40)])
  func `RF64 and BW64 play whole, with the size of their first chunk or without`(mark: String, size: Int64) throws {
    let outer = size == 4_000 ? size + 72 : size
    let sizes = little(outer, 8) + little(size, 8) + little(size / 4, 8) + little(0, 4)
    let data = chunk("data", Self.samples, size: 0xFFFF_FFFF)
    try expectWhole(riff([chunk("ds64", sizes), format, data], size: 0xFFFF_FFFF, mark: mark))
  }

  @Test(arguments: [
    ("x.w64", SF_FORMAT_W64, 24, [UInt8](repeating: 0, count: 8)),
    ("x.w64", SF_FORMAT_W64, 24, [255, 255, 255, 255, 255, 255, 255, 127]),
    ("x.caf", SF_FORMAT_CAF, 12, [UInt8](repeating: 255, count: 8)),
    ("x.caf", SF_FORMAT_CAF, 12, [0, 0, 0, 0, 119, 53, 148, 4]),
    ("x.aiff", SF_FORMAT_AIFF, 12, [0, 0, 0, 0]), ("x.aiff", SF_FORMAT_AIFF, 12, [127, 0, 0, 8]),
    ("x.aiff", SF_FORMAT_AIFF, 12, [0x7E, 0xFF, 0xFF, 0xFC]), ("x.au", SF_FORMAT_AU, 0, [255, 255, 255, 255]),
    ("x.au", SF_FORMAT_AU, 0, [127, 255, 255, 255]), ("x.au", SF_FORMAT_AU, 0, [0, 0, 0, 0]),
  ])
  func `other containers play whole without a size`(name: String, format: Int, back: Int, size: [UInt8]) throws {
    _ = try write(Self.frames, to: folder.path(name), format: format | SF_FORMAT_PCM_16, rate: 44_100)
    var bytes = try folder.bytes(of: name)
    try expectWhole(bytes)
    let mark = name == "x.aiff" ? "SSND" : name == "x.au" ? ".snd" : "data"
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: mark.utf8) })
    let offset = place + (name == "x.w64" ? 16 : name == "x.au" ? 8 : 4)
    bytes.replaceSubrange(offset..<offset + size.count, with: size)
    try expectWhole(bytes)
  }

  @Test func `a finished file that is cut is truncated`() throws {
    let whole = riff([format, data])
    let path = try folder.write(whole.dropLast(2_000), to: "cut.wav")
    let reading = try read(path)
    #expect(reading.damage?.frame == 500 && reading.frames.starts(with: Self.frames[..<500]))
    let tagged = riff([format, data, chunk("LIST", Array("INFO".utf8) + chunk("INAM", "Own"))])
    #expect(try read(folder.write(tagged.dropLast(100), to: "b.wav")).damage?.frame != nil)
  }

  @Test func `an empty chunk of sound before other chunks is empty`() throws {
    let path = try folder.write(riff([format, chunk("data", []), chunk("LIST", "INFO")]), to: "a.wav")
    #expect(throws: SourceError.empty(path: path)) { try AudioFileLibrary().probe(SoundSource(path: path), at: .cd) }
  }

  // MARK: Chunks

  @Test func `chunks with odd or wrong sizes before the sound cost nothing`() throws {
    let list = Array("INFO".utf8)
    let text = { (count: Int, padding: Int) in
      self.chunk("LIST", list + self.chunk("INAM", Array("Title".utf8), size: count, padding: padding))
    }
    let before: [[UInt8]] = [
      text(5, 3), text(5, 1), text(5, 0), text(6, 3), text(40, 0),
      text(5, 1) + [0], text(5, 1) + [0, 0], text(5, 1) + [0, 0, 0],
      format, chunk("JUNK", [1, 2, 3], padding: 0), chunk("JUNK", [1, 2, 3]), chunk("odd ", [1, 2, 3], padding: 0),
      chunk("fact", little(1_000, 4)), chunk("bext", [UInt8](repeating: 0, count: 602)), chunk("iXML", [], padding: 0),
      chunk("cue ", little(0, 4)), chunk("smpl", []), chunk("LIST", list, size: 70_000), chunk("PAD ", [], size: -1),
    ]
    for (index, chunks) in before.enumerated() {
      try expectWhole(riff([format, chunks, data]), "\(index)")
      try expectWhole(riff([format, chunks, data, chunks]), "\(index) on both sides")
      try expectWhole(riff([format, data, chunks, [0, 0, 1]]), "\(index) after the sound")
    }
    for index in 0..<8 { #expect(try title(riff([format, before[index], data])) == "Title") }
  }

  @Test func `a chunk whose name is no text is passed over by its size`() throws {
    for name in [[0xA9, 0x78, 0x79, 0x7A], [0, 0, 0, 0]] as [[UInt8]] {
      let decoy = chunk("data", [UInt8](repeating: 0, count: 200), size: 100)
      for content in [decoy, [UInt8](repeating: 122, count: 100_000), chunk("LIST", decoy)] {
        let unknown = name + little(Int64(content.count), 4) + content
        try expectWhole(riff([format, unknown, data]))
        try expectWhole(riff([format, unknown, unknown, data, unknown]))
        try expectWhole(riff([unknown, format, data]))
      }
    }
  }

  @Test(arguments: [0, 0xFFFF_FFFF, 2_000_000_000])
  func `chunks after a sound without a size are no sound`(size: Int) throws {
    let list = chunk("LIST", Array("INFO".utf8) + chunk("INAM", "Own"))
    let file = riff([format, chunk("data", Self.samples, size: size), list, chunk("PAD ", [1, 2, 3])], size: size)
    try expectWhole(file)
    #expect(try title(file) == "Own")
  }

  @Test func `of several sounds in a file, the first one plays`() throws {
    let other = TestWave.stereo(TestSound.noise(300, seed: 9), rate: 8_000)
    let wave = riff([format, data])
    try expectWhole(wave + other)
    try expectWhole(wave + Array("TAG".utf8) + [UInt8](repeating: 32, count: 125))
    try expectWhole(wave + noiseBytes(5_000))
    try expectWhole(riff([format, data, chunk("data", noiseBytes(400))]))
    try expectWhole(riff([data, format]))
  }

  // MARK: MPEG sound

  private func mpeg() throws -> (bytes: [UInt8], frames: [Frame]) {
    let path = try write(TestSound.noise(60_000), to: folder.path("a.mp3"), format: mp3, rate: 44_100)
    var scanner = MPEGScanner(try RegularFile(path: path))
    let scan = scanner.scan(from: 0)
    let first = try #require(scan?.runs.first?.segments.first?.offset)
    let bytes = Array(try folder.bytes(of: "a.mp3")[Int(first)...])
    return (bytes, try read(folder.write(bytes, to: "bare.mp3")).frames)
  }

  @Test func `MP3 in WAV is decoded as MP3, to the length that the container states`() throws {
    let (bytes, whole) = try mpeg()
    let codes = [
      chunk(
        "fmt ",
        little(0x55, 2) + Array(format[10..<22]) + little(0, 2) + little(12, 2) + [UInt8](repeating: 0, count: 12)),
      chunk(
        "fmt ",
        little(0xFFFE, 2) + Array(format[10..<22]) + little(0, 2) + little(22, 2) + little(0, 6)
          + little(0x55, 2) + [0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113]),
    ]
    for code in codes {
      for (stated, length) in [
        (whole.count - 600, whole.count - 600), (whole.count, whole.count), (0, whole.count),
        (whole.count / 2, whole.count), (9 * whole.count, whole.count),
      ] {
        let file = riff([
          code, chunk("fact", little(Int64(stated), 4)), chunk("data", bytes),
          chunk("LIST", Array("INFO".utf8) + chunk("INAM", "Own")),
        ])
        let isWhole = try intact(file) == Array(whole[..<length])
        #expect(isWhole, "\(stated)")
        #expect(try title(file) == "Own")
      }
      let streamed = riff([code, chunk("data", bytes, size: 0xFFFF_FFFF)], size: 0xFFFF_FFFF)
      let isWhole = try intact(streamed) == whole
      #expect(isWhole)
      let cut = try read(folder.write(riff([code, chunk("data", bytes)]).dropLast(3_000), to: "cut.wav"))
      #expect(cut.damage != nil && cut.frames.count < whole.count)
    }
  }

  // MARK: Bytes

  private func little(_ number: Int64, _ count: Int) -> [UInt8] { ByteOrder.little.bytes(number, count: count) }

  private var format: [UInt8] { format(.little) }
  private func format(_ order: ByteOrder) -> [UInt8] {
    let numbers: [(Int64, Int)] = [(1, 2), (2, 2), (44_100, 4), (176_400, 4), (4, 2), (16, 2)]
    return chunk("fmt ", numbers.flatMap { order.bytes($0.0, count: $0.1) }, order)
  }
  private var data: [UInt8] { chunk("data", Self.samples) }

  private func chunk(_ name: String, _ text: String) -> [UInt8] { chunk(name, Array(text.utf8) + [0]) }

  private func chunk(
    _ name: String, _ content: [UInt8], size: Int? = nil, padding: Int? = nil, _ order: ByteOrder = .little
  ) -> [UInt8] {
    Array(name.utf8) + order.bytes(Int64(size ?? content.count), count: 4) + content
      + [UInt8](repeating: 0, count: padding ?? content.count % 2)
  }

  private func riff(_ chunks: [[UInt8]], size: Int? = nil, _ order: ByteOrder = .little, mark: String? = nil) -> [UInt8]
  {
    let content = Array("WAVE".utf8) + chunks.flatMap(\.self)
    return Array((mark ?? (order == .big ? "RIFX" : "RIFF")).utf8)
      + order.bytes(Int64(size ?? content.count), count: 4) + content
  }
}
