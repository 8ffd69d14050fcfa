import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

/// FLAC files whose pieces are encoded apart, compared with those that libFLAC writes in one go.
@Suite struct FLACWriterTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let tags = FileTags(title: "Übung – 静", description: "Two lines.\nOdd?", date: "2026-03-01")
  private static let lengths =
    [1, 15, 16, 4_095, 4_096, 4_097]
    + [FLACPiece.capacity - 1, FLACPiece.capacity, FLACPiece.capacity + 1, 9 * FLACPiece.capacity + 4_097]

  /// Renders with FileSink.
  private func render(
    _ frames: [Frame], to name: String, _ encoding: SampleEncoding, jobs: Int, tags: FileTags = tags,
    chapters: ChapterList? = nil, rate: SampleRate = .cd
  ) throws {
    let sink = try FileSink(path: folder.path(name), encoding: encoding, tags: tags, chapters: chapters, jobs: jobs)
    try sink.start(at: rate)
    try frames.withUnsafeBufferPointer { frames in
      for start in stride(from: 0, to: frames.count, by: 10_007) {
        try sink.write(UnsafeBufferPointer(rebasing: frames[start..<min(start + 10_007, frames.count)]))
      }
    }
    try sink.finish()
  }

  /// Writes the same file with libsndfile, which uses one encoder of libFLAC for the whole stream.
  private func writeAtOnce(
    _ frames: [Frame], to name: String, _ encoding: SampleEncoding, tags: FileTags = tags, chapters: ChapterList? = nil
  ) throws {
    let file = try OutputFile(path: folder.path(name))
    let writer = try SndFileWriter(file, rate: 44_100, .flac(encoding), FileDetails(tags: tags, chapters: chapters))
    try interleaved(frames).withUnsafeBufferPointer { try writer.write($0) }
    try writer.close(chapters?.chapters(until: FrameCount(frames.count), at: 44_100) ?? [])
    try file.publish()
  }

  /// Sound of different density: noise, a sine, and silence between them.
  private func sound(_ count: Int) -> [Frame] {
    let sine = TestSound.sine(440, rate: 44_100, count: count)
    return zip(TestSound.noise(count), sine).enumerated().map { index, pair in
      index % 50_000 < 20_000 ? pair.0 : index % 50_000 < 45_000 ? pair.1 : .silence
    }
  }

  @Test(arguments: lengths, [SampleEncoding.s16, .s24])
  func `with any number of jobs, the file is the one of a single encoder`(
    length: Int, encoding: SampleEncoding
  ) throws {
    let frames = sound(length)
    try writeAtOnce(frames, to: "whole.flac", encoding)
    let whole = try folder.bytes(of: "whole.flac")
    for jobs in [1, 2, 3, 7] {
      try render(frames, to: "a.flac", encoding, jobs: jobs)
      #expect(try folder.bytes(of: "a.flac") == whole, "\(jobs) jobs")
    }
    let decoded = try FLACDecoding(folder.path("a.flac"))
    #expect(decoded.samples == steps(frames, encoding))
    #expect(decoded.isSumRight)
    #expect(folder.names == ["a.flac", "whole.flac"])
  }

  @Test func `the numbers of FLAC frames have one, two and three bytes`() throws {
    let frames = sound(2_050 * FLACSettings.blockFrames + 1)
    try writeAtOnce(frames, to: "whole.flac", .s24)
    try render(frames, to: "a.flac", .s24, jobs: 2)
    #expect(try folder.bytes(of: "a.flac") == folder.bytes(of: "whole.flac"))
    #expect(try read(folder.path("a.flac")).frames.count == frames.count)
  }

  @Test func `a file without tags is the one of a single encoder`() throws {
    try writeAtOnce(sound(5_000), to: "whole.flac", .s24, tags: FileTags())
    try render(sound(5_000), to: "a.flac", .s24, jobs: 2, tags: FileTags())
    #expect(try folder.bytes(of: "a.flac") == folder.bytes(of: "whole.flac"))
  }

  @Test(arguments: [1, 2, 5]) func `all tags, the cover and the chapters are those of a single encoder`(count: Int)
    throws
  {
    var tags = Self.tags
    (tags.artist, tags.language, tags.comment) = ("Anna", "de", "x")
    tags.cover = CoverPicture([0x89, 0x50, 0x4E, 0x47, 1, 2], kind: 3)
    // Fewer than planned, as many, and more.
    let chapters = ChapterList(planned: ["A", "B"])
    chapters.replace(by: (0..<count).map { ChapterList.Entry(name: "Stage \($0)", at: FrameCount(441 * $0)) })
    try writeAtOnce(sound(50_000), to: "whole.flac", .s24, tags: tags, chapters: chapters)
    try render(sound(50_000), to: "a.flac", .s24, jobs: 2, tags: tags, chapters: chapters)
    #expect(try folder.bytes(of: "a.flac") == folder.bytes(of: "whole.flac"))
    #expect(try FLACDecoding(folder.path("a.flac")).isSumRight)
  }

  @Test(arguments: [1, 2]) func `a file without sound is valid and has its tags`(jobs: Int) throws {
    try render([], to: "a.flac", .s16, jobs: jobs)
    let decoded = try FLACDecoding(folder.path("a.flac"))
    #expect(decoded.samples == [] && decoded.isSumRight && decoded.isComplete)
    #expect(try folder.bytes(of: "a.flac")[26..<42] == MD5().sum[...])
    #expect(try read(folder.path("a.flac")).frames == [])
  }

  @Test func `a rate that the headers of FLAC frames can't express is in the file`() throws {
    let rate = try #require(SampleRate(hertz: 88_201))
    try render(TestSound.noise(10_000), to: "a.flac", .s16, jobs: 2, rate: rate)
    let decoded = try FLACDecoding(folder.path("a.flac"))
    #expect(decoded.rate == 88_201)
    #expect(decoded.samples == steps(TestSound.noise(10_000), .s16))
    #expect(try read(folder.path("a.flac"), at: rate).frames == TestSound.noise(10_000))
  }

  @Test func `a wrong sum is noticed`() throws {
    try render(TestSound.noise(10_000), to: "a.flac", .s16, jobs: 2)
    var bytes = try folder.bytes(of: "a.flac")
    bytes[30] ^= 1
    #expect(try FLACDecoding(folder.write(bytes, to: "b.flac")).isSumRight == false)
  }

  @Test(arguments: [1, 3]) func `an abandoned file is removed while its pieces are encoded`(jobs: Int) throws {
    let sink = try FileSink(path: folder.path("a.flac"), jobs: jobs)
    try sink.start(at: .cd)
    try sound(7 * FLACPiece.capacity + 5).withUnsafeBufferPointer { try sink.write($0) }
    sink.abandon()
    #expect(folder.names == [])
  }

  private func steps(_ frames: [Frame], _ encoding: SampleEncoding) -> [Int32] {
    let scale: Float = encoding == .s16 ? 32_768 : 8_388_608
    return interleaved(frames).map { Int32(($0 * scale).rounded(.toNearestOrEven)) }
  }
}
