import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

/// Damaged Ogg files. libsndfile would silently shorten the sound; the library reports the gap instead, and the sound
/// after it keeps its position.
@Suite struct OggDamageTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  static let kinds = ["a.ogg": vorbis, "a.opus": opus]

  /// Four seconds of noise, its pages, and the frames that are read from it.
  private struct Made {
    var bytes: [UInt8]
    var pages: [OggPage]
    var whole: [Frame]
    /// The frames that are lost after the end of a lost page: half a block of Vorbis, 80 ms of Opus.
    var settling: Int
    /// How far a decoder may differ from the intact sound after that. Vorbis does not differ.
    var tolerance: Float
    /// How far the position of the stream is ahead of the frames.
    var skip: Int

    /// The frame at which a page ends.
    func end(_ page: Int) -> Int { page < 2 ? 0 : Int(pages[page].position ?? 0) - skip }

    /// Whether a reading lacks the sound of these pages, and nothing else.
    func lacks(_ lost: ClosedRange<Int>, _ reading: Reading) -> Bool {
      let gap = max(0, end(lost.lowerBound - 1))..<end(lost.upperBound) + settling
      let fade = gap.upperBound + 240
      return reading.frames.count == whole.count && reading.damage?.frame == FrameCount(gap.lowerBound)
        && reading.frames[..<gap.lowerBound] == whole[..<gap.lowerBound]
        && isSilent(reading.frames, gap.lowerBound..<end(lost.upperBound) + 240, rate: 48_000)
        && gaps(Array(reading.frames[fade...]), Array(whole[fade...]), tolerance: tolerance).isEmpty
        && hasNoClick(reading.frames, whole, rate: 48_000)
    }
  }

  private func made(
    _ name: String, kind: String? = nil, _ frames: [Frame] = TestSound.noise(192_000)
  ) throws -> Made {
    let format = try #require(Self.kinds[kind ?? name])
    _ = try write(frames, to: folder.path(name), format: format, rate: 48_000)
    let file = try RegularFile(path: folder.path(name))
    var pages: [OggPage] = []
    while let page = OggPage(in: file, at: pages.last?.end ?? 0) { pages.append(page) }
    let isOpus = format == opus
    return Made(
      bytes: try folder.bytes(of: name), pages: pages, whole: try read(folder.path(name), at: .studio).frames,
      settling: isOpus ? 3_840 : 2_048, tolerance: isOpus ? 0.15 : 0, skip: Int(try #require(OggStream(file)).skip))
  }

  private func reading(_ bytes: [UInt8], from offset: FrameCount = 0, start: Double = 0) throws -> Reading {
    try read(folder.write(bytes, to: "damaged"), at: .studio, from: offset, start: start)
  }

  /// Then a page often holds only the rest of a packet, and can't be entered.
  @Test func `reading can start at any frame even if each page holds a single segment`() throws {
    let made = try made("a.opus")
    var bytes = made.pages[..<2].flatMap { made.bytes[Int($0.offset)..<Int($0.end)] }
    var (sequence, isContinued, end) = (UInt32(2), false, Int64(0))
    for page in made.pages[2...] {
      var (body, left) = (page.body, page.packets)
      for size in page.lacing {
        let ends = size < 255
        if ends { left -= 1 }
        // Each packet has 20 ms, at 48 kHz; the last one is trimmed.
        if ends { end = min(end + 960, page.position ?? 0) }
        let position = ends ? end : -1
        let flags: UInt8 = (isContinued ? 1 : 0) | (page.isLast && left == 0 && ends ? 4 : 0)
        var one = OggPage.mark + [0, flags] + little(position) + little(page.serial) + little(sequence)
        one += [0, 0, 0, 0, 1, size] + body.prefix(Int(size))
        one.replaceSubrange(22..<26, with: little(oggChecksum(one)))
        bytes += one
        body = body.dropFirst(Int(size))
        (sequence, isContinued) = (sequence + 1, !ends)
      }
    }
    for offset in [0, 1_000, 50_000, 100_001, 150_000] {
      let part = try reading(bytes, from: FrameCount(offset))
      #expect(part.damage == nil && part.frames.count == made.whole.count - offset, "\(offset)")
      let isSame = part.frames == Array(made.whole[offset...])
      #expect(isSame, "\(offset)")
    }
  }

  private func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  @Test(arguments: kinds.keys.sorted())
  func `if fifty bytes are overwritten, only their page is lost`(name: String) throws {
    let made = try made(name)
    #expect(6 <= made.pages.count)
    // The first two pages hold the headers, without which there is no sound at all.
    for index in 2..<made.pages.count - 2 {
      let middle = made.pages[index].offset + made.pages[index].size / 2
      #expect(made.lacks(index...index, try reading(made.bytes.damaged(at: Int(middle)))), "\(index)")
    }
  }

  @Test(arguments: kinds.keys.sorted())
  func `only the pages that are zeroed or missing are lost`(name: String) throws {
    let made = try made(name)
    for index in 3..<made.pages.count - 2 {
      let (start, end) = (Int(made.pages[index].offset), Int(made.pages[index].end))
      let zeros = made.bytes[..<start] + Array(repeating: 0, count: end - start) + made.bytes[end...]
      #expect(made.lacks(index...index, try reading(Array(zeros))), "\(index)")
      #expect(made.lacks(index...index, try reading(Array(made.bytes[..<start] + made.bytes[end...]))), "\(index)")
    }
  }

  @Test(arguments: kinds.keys.sorted())
  func `a page that occurs twice is played once`(name: String) throws {
    let made = try made(name)
    for index in [3, made.pages.count / 2] {
      let (start, end) = (Int(made.pages[index].offset), Int(made.pages[index].end))
      let reading = try reading(Array(made.bytes[..<end] + made.bytes[start...]))
      #expect(reading.damage == nil && reading.frames.count == made.whole.count, "\(index)")
      #expect(gaps(reading.frames, made.whole, tolerance: made.tolerance).isEmpty, "\(index)")
    }
  }

  @Test(arguments: kinds.keys.sorted())
  func `if two pages are swapped, the sound continues after them`(name: String) throws {
    let made = try made(name)
    let bytes = { (index: Int) in made.bytes[Int(made.pages[index].offset)..<Int(made.pages[index].end)] }
    let (first, last) = (3, made.pages.count - 3)
    let order = Array(0..<first) + [first + 1, first] + Array(first + 2..<made.pages.count)
    let reading = try reading(order.flatMap(bytes) + made.bytes[Int(made.pages[last + 2].end)...])
    #expect(reading.damage?.frame == FrameCount(made.end(first - 1)) && reading.frames.count == made.whole.count)
    let after = made.end(first + 2) + made.settling + 240
    #expect(gaps(Array(reading.frames[after...]), Array(made.whole[after...]), tolerance: made.tolerance).isEmpty)
  }

  @Test(arguments: kinds.keys.sorted())
  func `a file that is damaged at its end fades out there`(name: String) throws {
    let made = try made(name)
    let last = made.pages.count - 1
    // The beginning of the last page can't be known without the page before it.
    for index in [last - 1, last] {
      let middle = Int(made.pages[index].offset + made.pages[index].size / 2)
      for bytes in [made.bytes.damaged(at: middle), Array(made.bytes[..<middle])] {
        let reading = try reading(bytes)
        let end = made.end(index - 1)
        #expect(reading.frames.count == end + 240 && reading.damage?.frame == FrameCount(end), "\(index)")
        #expect(reading.frames[..<end] == made.whole[..<end])
        #expect(hasNoClick(reading.frames + [.silence], made.whole, rate: 48_000))
      }
    }
  }

  @Test func `after two gaps, or after one of several seconds, the sound keeps its position`() throws {
    let made = try made("a.ogg", TestSound.noise(400_000))
    let place = { (index: Int) in Int(made.pages[index].offset + 2_000) }
    let two = try reading(made.bytes.damaged(at: place(5), place(12)))
    let expected = [5, 12].map { made.end($0 - 1)..<made.end($0) + 1_264 }
    #expect(zip(gaps(two.frames, made.whole), expected).allSatisfy { abs($0.upperBound - $1.upperBound) < 1_000 })
    #expect(gaps(two.frames, made.whole).map(\.lowerBound) == expected.map(\.lowerBound))
    let count = place(20) - place(4)
    #expect(made.lacks(4...20, try reading(made.bytes.damaged(at: place(4), count: count))))
    #expect(48_000 * 4 < made.end(20) - made.end(3))
  }

  @Test(arguments: kinds.keys.sorted())
  func `a reader that starts in or after a gap gets the frames of a continuous reader`(name: String) throws {
    let made = try made(name)
    let bytes = made.bytes.damaged(at: Int(made.pages[3].offset + made.pages[3].size / 2))
    let whole = try reading(bytes).frames
    let after = made.end(3) + made.settling
    for offset in [made.end(2) - 100, made.end(2), made.end(2) + 100, made.end(3), after + 2_000, after + 20_000] {
      let part = try reading(bytes, from: FrameCount(offset))
      // The fade-out is computed from the frames that this reader has delivered before.
      #expect(gaps(part.frames, Array(whole[offset...])).allSatisfy { $0.upperBound <= 340 })
      #expect(part.frames.count == whole.count - offset)
      let isHeard = offset < after
      #expect((part.damage != nil) == isHeard, "\(offset)")
    }
  }

  @Test(arguments: kinds.keys.sorted())
  func `if the first page is lost, the others keep their positions`(name: String) throws {
    let made = try made(name)
    let bytes = made.bytes.damaged(at: Int(made.pages[2].offset + 1_000))
    let path = try folder.write(bytes, to: "damaged")
    #expect(throws: SourceError.self) { try AudioFileLibrary().probe(SoundSource(path: path), at: .studio) }
    #expect(try AudioFileLibrary().probe(SoundSource(path: path, start: 2), at: .studio).length == 96_000)
    let reading = try reading(bytes, start: 2)
    #expect(reading.damage == nil)
    #expect(gaps(reading.frames, Array(made.whole[96_000...]), tolerance: made.tolerance) == [])
    #expect(made.lacks(2...2, try self.reading(bytes)))
  }

  @Test func `the time to search through headers without pages grows no more than linearly`() throws {
    let made = try made("a.ogg")
    var head = Array(made.bytes[Int(made.pages[4].offset)...].prefix(27))
    head[26] = 255
    let cut = Int(made.pages[4].offset)
    let took = try [50_000, 100_000].map { count in
      let trap = Array(repeating: head, count: count).flatMap { $0 }
      let begin = processorTime()
      let reading = try reading(made.bytes[..<cut] + trap + made.bytes[Int(made.pages[5].offset)...])
      #expect(reading.damage != nil)
      return processorTime() - begin
    }
    #expect(took[1] < took[0] * 3)
  }

  @Test(arguments: kinds.keys.sorted())
  func `garbage after an intact file is ignored`(name: String) throws {
    let made = try made(name)
    let longer = try reading(made.bytes + noiseBytes(3_000))
    #expect(made.whole.count == 192_000)
    #expect(longer.error == nil && longer.frames == made.whole)
  }

  @Test(arguments: kinds.keys.sorted())
  func `of concatenated streams the first one is played, and the rest is reported`(name: String) throws {
    let first = try made(name)
    let second = try made("b" + name.dropFirst(1), kind: name, TestSound.noise(48_000, seed: 2))
    #expect(first.pages[0].serial != second.pages[0].serial)
    let reading = try read(folder.write(first.bytes + second.bytes, to: "chain" + name), at: .studio)
    #expect(reading.damage?.frame == FrameCount(first.whole.count))
    let isSame = reading.frames[..<first.whole.count] == first.whole[...]
    #expect(isSame)
  }

  @Test(arguments: kinds.keys.sorted())
  func `of a stream that is there twice, the second time is reported`(name: String) throws {
    let made = try made(name)
    for count in [2, 3, 8] {
      let path = try folder.write(Array([[UInt8]](repeating: made.bytes, count: count).joined()), to: "twice")
      let reading = try read(path, at: .studio)
      #expect(reading.damage?.frame == FrameCount(made.whole.count))
      let isSame = reading.frames[..<made.whole.count] == made.whole[...]
      #expect(isSame)
    }
  }

  @Test(arguments: ["libvorbis", "libopus"])
  func `of two streams side by side the first one plays, and is not damaged`(codec: String) throws {
    let sounds = [1, 2].map { TestSound.noise(150_000, seed: $0) }
    let sources = try sounds.map { try folder.write(TestWave.stereo($0, rate: 48_000), to: "\($0[0].left).wav") }
    let options = ["-c:a", codec, "-ar", "48000"]
    let whole = try read(encode(sources[0], options, to: "one.ogg", in: folder), at: .studio)
    let both = ["-i", sources[1], "-map", "0", "-map", "1"] + options
    let reading = try read(encode(sources[0], both, to: "two.ogg", in: folder), at: .studio)
    #expect(whole.damage == nil && reading.damage == nil && reading.frames == whole.frames)
    let bytes = try folder.bytes(of: "two.ogg")
    let cut = try read(folder.write(Array(bytes[..<(bytes.count * 6 / 10)]), to: "cut.ogg"), at: .studio)
    #expect(cut.damage != nil && cut.frames.count < 120_000)
  }

  @Test(arguments: kinds.keys.sorted())
  func `a file that is truncated in its first page of sound can't be played`(name: String) throws {
    let made = try made(name)
    let path = try folder.write(Array(made.bytes[..<(Int(made.pages[2].offset) + 1_000)]), to: "cut")
    let error = #expect(throws: SourceError.self) {
      try AudioFileLibrary().probe(SoundSource(path: path), at: .studio)
    }
    guard case .damaged(path, 0, _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test func `a WAV file that ends after its header can't be played`() throws {
    let bytes = TestWave.stereo(TestSound.noise(44_100), rate: 44_100)
    let path = try folder.write(Array(bytes[..<46]), to: "cut.wav")
    #expect(throws: SourceError.damaged(path: path, atSecond: 0, cause: "the data end there or can't be decoded")) {
      try AudioFileLibrary().probe(SoundSource(path: path), at: .cd)
    }
  }
}
