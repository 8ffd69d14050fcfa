import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

/// Chapters of files, as other programs read them.
@Suite struct ChapterTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let names = ["a.mp3", "a.flac", "a.ogg", "a.opus"]
  private static let frames = TestSound.noise(60_000)

  /// Renders 1.25 s, and states the entered stages when the sound has been written, as a player does.
  private func render(
    to name: String, planned: [String], entered: [ChapterList.Entry], tags: FileTags = FileTags(title: "T")
  ) throws {
    let chapters = ChapterList(planned: planned)
    let sink = try FileSink(path: folder.path(name), tags: tags, chapters: chapters)
    try sink.start(at: .studio)
    try Self.frames.withUnsafeBufferPointer { try sink.write($0) }
    chapters.replace(by: entered)
    try sink.finish()
  }

  private func entry(_ name: String, _ frame: Int) -> ChapterList.Entry { .init(name: name, at: FrameCount(frame)) }

  private struct Found: Decodable, Equatable {
    struct Chapter: Decodable, Equatable {
      var start_time: String
      var end_time: String
      var tags: [String: String]
    }
    var chapters: [Chapter]
  }

  /// The chapters that ffmpeg finds: seconds of the beginnings, and titles.
  private func found(in name: String) throws -> (times: [Double], ends: [Double], titles: [String]) {
    let words = ["-v", "error", "-show_chapters", "-of", "json", folder.path(name)]
    let text = try output(of: "/usr/bin/ffprobe", words, environment: [:], mustSucceed: true)
    let chapters = try JSONDecoder().decode(Found.self, from: Data(text.utf8)).chapters
    let number = { (text: String) in Double(text) ?? -1 }
    return (
      chapters.map { number($0.start_time) }, chapters.map { number($0.end_time) },
      chapters.map { $0.tags["title"] ?? "" }
    )
  }

  @Test(arguments: names)
  func `each stage is a chapter, to the millisecond, from where it was entered to the next one`(name: String) throws {
    let titles = ["Übung = \"静\" 😀", "Sit", "Rest"]
    try render(to: name, planned: titles, entered: [entry(titles[0], 0), entry("Sit", 24_011), entry("Rest", 48_000)])
    let found = try found(in: name)
    #expect(found.times == [0, 0.5, 1] && found.titles == titles)
    // ffmpeg calculates the end of the last one from the length of the file.
    #expect(found.ends.dropLast() == [0.5, 1] && abs(found.ends[2] - 1.25) < 0.01, "\(found.ends)")
  }

  @Test(arguments: names)
  func `chapters that were not planned move the sound, and change none of it`(name: String) throws {
    let entered = (0..<300).map { entry("Stage \($0)", 192 * $0) }
    try render(to: "plain." + name, planned: [], entered: [], tags: FileTags())
    try render(to: name, planned: ["A"], entered: entered)
    let found = try found(in: name)
    #expect(found.times == (0..<300).map { Double(4 * $0) / 1_000 })
    #expect(found.titles == entered.map(\.name))
    let (all, plain) = (try read(folder.path(name), at: .studio), try read(folder.path("plain." + name), at: .studio))
    #expect(all.damage == nil && all.frames == plain.frames)
  }

  @Test(arguments: names) func `fewer chapters than planned leave room, and change no sound`(name: String) throws {
    let planned = (0..<40).map { "Stage \($0)" }
    try render(to: "plain." + name, planned: [], entered: [])
    try render(to: name, planned: planned, entered: [entry("Stage 0", 480)])
    #expect(try found(in: name).times == [0.01])
    let (all, plain) = (try read(folder.path(name), at: .studio), try read(folder.path("plain." + name), at: .studio))
    #expect(all.damage == nil && all.frames == plain.frames)
  }

  @Test(arguments: names) func `two files are identical`(name: String) throws {
    let entered = [entry("A", 0), entry("B", 20_000), entry("A", 40_000)]
    for name in [name, "b." + name] { try render(to: name, planned: ["A", "B"], entered: entered) }
    #expect(try folder.bytes(of: name) == folder.bytes(of: "b." + name))
  }

  @Test func `a stage that was left at once, and one after the end, are no chapters`() {
    let list = ChapterList(planned: [])
    list.replace(by: [entry("A", 0), entry("B", 24_000), entry("C", 24_010), entry("D", 48_000), entry("E", 60_000)])
    let chapters = list.chapters(until: 48_000, at: 48_000)
    #expect(chapters == [Chapter("A", start: 0, end: 500), Chapter("C", start: 500, end: 1_000)])
  }

  @Test func `the chapters of an MP3 file are frames of its first tag, whose first frame states the length`() throws {
    try render(to: "a.mp3", planned: ["A", "B"], entered: [entry("A", 0), entry("é", 24_000)])
    let bytes = try folder.bytes(of: "a.mp3")
    let frame = { (name: String, body: [UInt8]) -> [UInt8] in
      Array(name.utf8) + [0, 0, 0, UInt8(body.count)] + [0, 0] + body
    }
    let chapter = { (name: String, times: [UInt8], title: [UInt8]) -> [UInt8] in
      frame(
        "CHAP", Array("\(name)\0".utf8) + times + [UInt8](repeating: 0xFF, count: 8) + frame("TIT2", [0] + title))
    }
    let frames =
      frame("TIT2", [0] + Array("T".utf8)) + frame("CTOC", Array("toc\0".utf8) + [3, 2] + Array("ch001\0ch002\0".utf8))
      + chapter("ch001", [0, 0, 0, 0, 0, 0, 1, 0xF4], Array("A".utf8))
      + chapter("ch002", [0, 0, 1, 0xF4, 0, 0, 4, 0xE2], [0xE9])
    let size = [UInt8(frames.count >> 7), UInt8(frames.count & 0x7F)]
    #expect(Array(bytes.prefix(10)) == Array("ID3".utf8) + [3, 0, 0, 0, 0] + size)
    #expect(Array(bytes[10..<(10 + frames.count)]) == frames)
    let sound = bytes[(10 + frames.count)...]
    #expect(sound.first == 0xFF && Array(sound.dropFirst(36).prefix(4)) == Array("Xing".utf8))
    #expect(Array(bytes.suffix(128).prefix(5)) == Array("TAGT\0".utf8))
  }

  @Test func `a table of contents lists at most 255 chapters, and further tables`() {
    let chapters = (0..<600).map { Chapter("C", start: Int64($0), end: Int64($0) + 1) }
    let bytes = ID3Head(tags: FileTags()).bytes(chapters)
    let table = Array("toc\0".utf8) + [3, 3] + Array("toc001\0toc002\0toc003\0".utf8)
    #expect(Array(bytes[20..<(20 + table.count)]) == table)
    let last = Array("toc003\0".utf8) + [1, 90] + Array("ch511\0".utf8)
    #expect(bytes.firstRange(of: last) != nil)
  }

  @Test func `Vorbis comments have room for 999 chapters, ID3 tags for more`() {
    let list = ChapterList(planned: [])
    list.replace(by: (0..<1_200).map { entry("S", 48 * $0) })
    let chapters = list.chapters(until: 48 * 1_200, at: 48_000)
    var comment = VorbisComment(vendor: [])
    comment.add(chapters)
    #expect(comment.entries.count == 2 * 999 && comment.entries.last == Array("CHAPTER999NAME=S".utf8))
    #expect(ID3Head(tags: FileTags()).bytes(chapters).firstRange(of: Array("CHAP".utf8) + [0, 0, 0, 35, 0, 0]) != nil)
    #expect(ID3Head(tags: FileTags()).bytes(chapters).firstRange(of: Array("ch1200\0".utf8)) != nil)
  }
}
