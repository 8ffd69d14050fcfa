import Foundation
import GeneratedSounds
import Imports
import Markup
import SessionFiles
import Signal
import Sounds
import TestSupport
import Testing

/// Playlists, cue sheets and labels that become sessions, without the command line.
struct ImporterTests {
  /// Every file whose name ends with a known ending exists, and is three minutes long.
  private struct Files: SoundLibrary {
    func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
      let path = source.origin.path ?? ""
      if path.contains("missing") { throw .missing(path: path) }
      return SoundFacts(length: rate.frames(180), rate: 44_100, channels: 2)
    }

    func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
      throw .missing(path: "nothing is played here")
    }
  }

  private func read(
    _ bytes: [UInt8], _ format: ImportFormat, path: String = "list", sound: String? = nil
  ) -> Importer.Result {
    Importer(library: Files(), title: "T", sound: sound).read(bytes, as: format, path: path, folder: "/nowhere/lists")
  }

  private func read(_ text: String, _ format: ImportFormat, sound: String? = nil) -> Importer.Result {
    read(Array(text.utf8), format, sound: sound)
  }

  @Test func `a playlist becomes one stage with its titles, its parts and its comments`() throws {
    let result = read(
      "\u{FEFF}#EXTM3U\r\n#PLAYLIST: Evening \r\n#EXTINF:9 logo=\"a,b\",One, two\r\na b.flac\r\n# mine\r\n"
        + "#EXTVLCOPT:start-time=1.5\r\n#EXTVLCOPT:stop-time=20\r\n../c.mp3\r\n\r\nfile:///m/%C3%A4.wav\r"
        + "https://x.org/d e.ogg\n#last", .playlist)
    let session = try #require(result.session, "\(result.diagnostics)")
    #expect(session.title == "Evening" && session.stages.map(\.name) == ["Evening"] && result.diagnostics.isEmpty)
    let tracks = session.stages[0].tracks
    #expect(
      tracks.map(\.source.origin) == [
        .file(path: "/nowhere/lists/a b.flac"), .file(path: "/nowhere/lists/../c.mp3"), .file(path: "/m/ä.wav"),
        .remote(address: "https://x.org/d%20e.ogg"),
      ])
    #expect(tracks.map(\.title) == ["One, two", "c.mp3", "ä.wav", "https://x.org/d%20e.ogg"])
    #expect(tracks[1].source.start == 1.5 && tracks[1].source.end == 20 && tracks[2].source.start == 0)
    #expect(result.comments == [.track(1, stage: 0): ["mine"], .track(4, stage: 0): ["last"]])
  }

  @Test func `what a playlist can't give to a session is told at its place, and the rest is kept`() throws {
    let result = read("a.wav\n  missing.wav\n#EXTIMG:x.png\nmms://x/y\nother.m3u\nb.wav\n", .playlist)
    #expect(result.session?.stages[0].tracks.count == 2)
    let places = result.diagnostics.map { "\($0.location.line):\($0.location.column) \($0.severity)" }
    #expect(places == ["2:3 warning", "3:1 warning", "4:1 warning", "5:1 warning"])
    #expect(result.comments[.track(1, stage: 0)]?.count == 4)
    let empty = read("missing.wav\n", .playlist)
    #expect(empty.session == nil && empty.diagnostics.last?.code == .fileNotFound)
    let stream = read("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\na.ts\n", .playlist)
    #expect(stream.diagnostics.map(\.location.line) == [2] && stream.session == nil)
  }

  @Test func `a playlist in Windows-1252 is read, and one that must be UTF-8 is refused at the byte`() throws {
    let bytes = Array("#EXTINF:1,Caf".utf8) + [0xE9, 0x20, 0x80] + Array("\na.wav\n".utf8)
    #expect(read(bytes, .playlist, path: "l.m3u").session?.stages[0].tracks[0].title == "Café €")
    let refused = read(Array("a.wav\n".utf8) + bytes, .playlist, path: "l.M3U8")
    #expect(refused.diagnostics.map(\.location) == [SourceLocation(file: "l.M3U8", line: 2, column: 14)])
    let units = "\u{FEFF}#EXTINF:1,Ä\na.wav".utf16
    let wide = units.flatMap { unit -> [UInt8] in [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)] }
    #expect(read(wide, .playlist, path: "l.m3u").session?.stages[0].tracks[0].title == "Ä")
  }

  @Test func `the tracks of a cue sheet become gapless stages to the frame`() throws {
    let sheet = """
      REM GENRE "Spoken"
      REM DATE 2019
      PERFORMER "Ann"
      TITLE "Talks"
      FILE "one.wav" WAVE
        TRACK 01 AUDIO
          TITLE "First"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          PERFORMER "Bo"
          TITLE "Second"
          INDEX 00 01:00:00
          INDEX 01 01:02:37
      FILE two.mp3 MP3
        TRACK 03 AUDIO
          INDEX 01 00:00:00
      """
    let result = read(sheet, .cueSheet)
    let session = try #require(result.session, "\(result.diagnostics)")
    #expect(session.title == "Talks" && session.artist == "Ann" && session.genre == "Spoken" && session.date == "2019")
    #expect(session.stages.map(\.name) == ["First", "Second", "Track 03"] && result.diagnostics.isEmpty)
    let parts = session.stages.map { $0.tracks[0].source }
    let cut = Double((62 * 75) + 37) / 75
    #expect(parts.map(\.start) == [0, cut, 0] && parts.map(\.end) == [cut, nil, nil])
    #expect(parts.map(\.origin.path) == ["one.wav", "one.wav", "two.mp3"].map { "/nowhere/lists/\($0)" })
    #expect(session.stages.map { $0.tracks[0].title } == ["First", "Bo - Second", "Track 03"])
    // At 44,100 Hz, a frame of a cue sheet is 588 samples.
    #expect(SampleRate(hertz: 44_100)?.frames(cut) == FrameCount((62 * 75 + 37) * 588))
  }

  @Test(
    arguments: [
      ("FILE a.wav WAVE\n TRACK 01 AUDIO\n  INDEX 01 00:61:00", 3, 12),
      ("FILE a.wav WAVE\n TRACK 01 AUDIO\n  INDEX 01 1:2", 3, 12), ("TRACK 01 AUDIO", 1, 1),
      ("FILE a.wav WAVE\n INDEX 01 00:00:00", 2, 2), ("FILE", 1, 1), ("SOUND x", 1, 1),
      ("FILE a.wav WAVE\n TRACK 01 AUDIO", 2, 1),
      ("FILE a.wav WAVE\n TRACK 01 AUDIO\n INDEX 01 01:00:00\n TRACK 02 AUDIO\n INDEX 01 00:30:00", 5, 1),
      ("FILE a.wav WAVE\n TRACK 01 AUDIO\n INDEX 01 03:00:00", 3, 1), ("", 1, 1),
    ])
  func `a mistake in a cue sheet is refused at its place`(sheet: String, line: Int, column: Int) throws {
    let result = read(sheet, .cueSheet)
    let error = try #require(result.diagnostics.first { $0.severity == .error })
    #expect(result.session == nil && error.location == SourceLocation(file: "list", line: line, column: column))
  }

  @Test func `what a cue sheet can't give to a session stands where it belongs`() throws {
    let result = read(
      "CATALOG 1\nREM made by hand\nFILE a.wav WAVE\nTRACK 01 AUDIO\nFLAGS DCP\nINDEX 01 00:10:00\nTRACK 02 MODE1/2352\n"
        + "INDEX 01 01:00:00\nTRACK 03 AUDIO\nPREGAP 00:02:00\nINDEX 01 02:00:00\nINDEX 02 02:30:00", .cueSheet)
    #expect(result.session?.stages.map(\.name) == ["Track 01", "Track 03"])
    #expect(result.diagnostics.map(\.location.line) == [1, 5, 6, 7, 10, 12])
    #expect(result.comments[.session]?.count == 2 && result.comments[.stage(0)]?.count == 2)
    #expect(result.comments[.stage(1)]?.count == 3)
  }

  @Test func `regions and points of Audacity become stages`() throws {
    let regions = read(
      "0.000000\t60,5\tArrive\n\\\t100.0\t200.0\n60.5\t120\tSit\n90\t90\tHalf\n130\t200\t\n", .labels, sound: "/s.wav")
    let session = try #require(regions.session, "\(regions.diagnostics)")
    #expect(session.stages.map(\.name) == ["Arrive", "Sit", "Part 3"])
    #expect(session.stages.map { $0.tracks[0].source.start } == [0, 60.5, 130])
    #expect(session.stages.map { $0.tracks[0].source.end } == [60.5, 120, nil])
    // Frequencies, a point in a region, a gap, and an end after the sound.
    #expect(regions.diagnostics.map(\.location.line) == [2, 4, 5, 5])
    #expect(regions.comments[.stage(2)]?.count == 3)

    let points = read("30\t30\tSit\n90\t90\tSit\n500\t500\tNever\n", .labels, sound: "/s.wav")
    #expect(points.session?.stages.map(\.name) == ["Beginning", "Sit", "Sit 2"])
    #expect(points.session?.stages.map { $0.tracks[0].source.end } == [30, 90, nil])
    #expect(points.diagnostics.map(\.location.line) == [3])
  }

  @Test(arguments: [
    ("one\t2\tx", 1, 1), ("0\t1\ta\n5\t4\tb", 2, 3), ("\n\nA guide.\n0\t1\n", 3, 1), ("", 1, 1), ("0\t1\tx", 1, 1),
  ])
  func `a text that is no list of labels, or has no sound, is refused`(text: String, line: Int, column: Int) throws {
    let result = read(text, .labels)
    #expect(result.session == nil)
    #expect(result.diagnostics.map(\.location) == [SourceLocation(file: "list", line: line, column: column)])
  }

  @Test(arguments: ImportFormat.allCases)
  func `random and damaged lists are refused, or become a session that can be read`(format: ImportFormat) throws {
    let seeds = [
      "file:///a%01\u{1}b.wav\nc\u{0}.wav\n#EXTM3U\n#PLAYLIST:x\n#EXTINF:1,\"a\nb.wav\n#EXTVLCOPT:start-time=1\n"
        + "file:///%zz\nhttp://\n# *\u{2028}: \u{FFFF}\n",
      "FILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nTITLE \"x\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:01:00\nREM a b\n",
      "0.5\t1.5\ta\n\\\t1\t2\n2,5\t2,5\tb\n170\t1e9\tc\n",
      "-SE\n##d\na: 200+4/20 pink/10 bell+400/5\nb: {\n+0:00 a\n+0:01 <> a ->\n}\noff: -\nNOW == a ->\n+0:05 b\n1:00 off\n",
      "# T\n\n## A ${x}\nSit. ~~ [pause 2s] [pase]\n\n---\nB\n===\n(pause 3 min) ~~~~ ]\nC:\n",
    ]
    let shards = [
      "*a", "& b", "\"", "'", ": ", "- ", "#", "\t", "{", "]:", "\u{E9}", "\u{85}", "->", "\n", "[", "~", "${", "# ",
    ]
    var random = Random(seed: 39)
    for _ in 0..<60 {
      let bytes = random.mutated(Array(seeds[random.next(0...seeds.count - 1)].utf8), with: shards)
      let result = read(bytes, format, sound: "/s.wav")
      #expect((result.session == nil) == result.diagnostics.contains { $0.severity == .error }, "\(bytes)")
      guard let session = result.session else { continue }
      var writer = SessionWriter(.yaml, in: "/nowhere")
      (writer.notes, writer.parameters) = (result.comments, result.parameters)
      let text = writer.text(of: session)
      let again = SessionReader(catalogue: GeneratorDescription.builtIn).read(
        text: text, path: "s.yaml", folder: "/nowhere")
      #expect(again.session != nil, "\(again.diagnostics.map(\.description))\n\(text)\n\(bytes)")
    }
  }
}
