import Foundation
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct SessionReaderTests {
  private func session(_ name: String) throws -> Session {
    try #require(try Examples.read(Examples.folder.appending(path: "good/\(name)")).session)
  }

  @Test func `every key of the format is read as its value`() throws {
    let session = try session("everything.json")
    let stage = try #require(session.stages.first)
    #expect(session.title == "Morning sit \u{1F514}")
    #expect((session.sampleRate, session.date) == (.studio, "2026-03"))
    #expect((session.fadeIn, session.fadeOut) == (3, 10))
    #expect((session.artist, session.album, session.genre) == ("Anna Übung", "Morgens \u{1F305}", "Meditation"))
    #expect((session.comment, session.language) == ("one\ntwo", "pt-BR"))
    #expect(session.cover == "/sessions/pictures/cover.jpg" && session.coverLocation?.line == 12)
    #expect(stage.duration == .seconds(300))
    #expect(stage.crossfade == Session.Crossfade(duration: 5, curve: .sCurve))
    #expect((stage.repetition, stage.repeatCount) == (.playlist, 2))
    #expect(stage.tracks[1].volume == Gain(decibels: -3))
    #expect(stage.overlays[0].repetition == Session.Repetition(times: .times(3), delay: 20))
    #expect(stage.overlays[0].duck == Session.Ducking(depth: Gain(decibels: -9), attack: 0.3, release: 1.5))
    #expect(stage.overlays[1].isLayer)
    #expect(stage.gongs[0].sound.volume == Gain(linear: 0.9) * Gain(linear: 0.8))
  }

  @Test func `each kind of sound has its source`() throws {
    let tracks = try session("everything.json").stages[0].tracks
    #expect(
      tracks.map(\.source) == [
        SoundSource(.file(path: "/sessions/audio/intro.mp3")),
        SoundSource(.file(path: "/sessions/audio/two.flac"), start: 10, end: 240),
        SoundSource(.remote(address: "https://example.org/far.ogg")),
        SoundSource(.remote(address: "http://example.org/x.mp3")),
        SoundSource(.file(path: "/tmp/a b.wav")), SoundSource(.file(path: "/people/someone/a.wav")),
      ])
    #expect(tracks[3].title == "X")
    #expect(tracks[2].title == "far")
  }

  @Test func `positions count from the start or back from the end`() throws {
    let gongs = try session("everything.json").stages[0].gongs
    guard case .at(let positions) = gongs[0].times, case .every(let interval, let count) = gongs[1].times else {
      Issue.record("the gongs differ from those in the file")
      return
    }
    #expect(
      positions.map(\.anchor) == [.afterStart(0), .afterStart(150), .beforeEnd(1), .beforeEnd(0), .beforeEnd(2)])
    #expect((interval, count) == (60, 3))
    #expect((gongs[1].strikes, gongs[1].spacing) == (3, 4))
  }

  @Test func `words in YAML mean what the format defines`() throws {
    let stages = try session("words.yaml").stages
    #expect(stages.map(\.name) == ["off", "012", "~x"])
    #expect(stages.map(\.duration) == [.seconds(90), .seconds(3723.5), .open])
    #expect(stages[0].repetition == .off)
  }

  @Test func `a missing file and a file that is not regular are distinguished`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (none, pipe) = (folder.path + "/none.json", folder.path + "/pipe.json")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: SessionFileError.missing(path: none)) { try reader.read(path: none) }
    #expect(throws: SessionFileError.notARegularFile(path: pipe, kind: "pipe")) { try reader.read(path: pipe) }
    #expect(throws: SessionFileError.notARegularFile(path: folder.path, kind: "folder")) {
      try reader.read(path: folder.path)
    }
  }

  @Test func `only a missing file in the folder of the session may have a wrong relative path`() {
    let inside = Diagnostic(.missing(path: "/sits/a.wav"), at: SourceLocation(file: "/sits/s.yaml"))
    #expect(inside.fix == "check the path; a relative path starts at the session file's folder")
    let outside = Diagnostic(.missing(path: "/music/a.wav"), at: SourceLocation(file: "/sits/s.yaml"))
    let include = SourceLocation.Include(at: SourceLocation(file: "/sits/s.yaml"))
    let part = Diagnostic(
      .missing(path: "/sits/p/a.wav"), at: SourceLocation(file: "/sits/p/p.yaml").included(by: include))
    #expect(part.fix == "check the path; a relative path starts at the folder of the included file")
    #expect(outside.fix == "check the path" && outside.problem == "/music/a.wav: no such file")
  }

  @Test(arguments: [
    (EACCES, "Permission denied; check its permissions"), (EIO, "Input/output error; check the file and its disk"),
  ])
  func `the fix for a file that can't be read depends on the cause`(code: Int32, text: String) {
    #expect(SessionFileError.unreadable(path: "a.yaml", code: code).description == "a.yaml: can't be read: \(text)")
  }
}
