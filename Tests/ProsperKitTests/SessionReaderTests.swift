import Foundation
import ProsperKit
import TestSupport
import Testing

/// What an embedding program learns about a session before it plays it.
@Suite struct SessionReaderTests {
  private let reader = SessionReader(decoders: [CountingDecoder()])

  @Test func `each mistake is a diagnostic with its line and column`() async {
    let text = "prosper: 1\ntitle: T\nstages:\n  - {name: One, duration: 10s, crosfade: 1s}\n"
    let reading = await reader.read(text: text, name: "sit.yaml", folder: "/")
    #expect(reading.session == nil && !reading.isValid)
    let diagnostic = reading.diagnostics.first
    #expect(reading.diagnostics.count == 1)
    #expect(diagnostic?.severity == .error && diagnostic?.location.line == 4 && diagnostic?.location.column == 32)
    #expect(diagnostic?.description.hasPrefix("sit.yaml:4:32: error: ") == true)
    #expect(diagnostic?.description.contains("'crosfade'") == true && diagnostic?.fix.contains("'crossfade'") == true)
  }

  @Test func `a file that can't be opened is an error`() async {
    await #expect { try await reader.read(path: "/nowhere/sit.yaml") } throws: { error in
      (error as? SessionFileError)?.description == "/nowhere/sit.yaml: no such file; check the path"
    }
  }

  @Test func `a session states what its file states, and when everything begins and ends`() async throws {
    let session = try await session(
      """
        - {name: One, tracks: [8000.count, {file: 16000.count, start: 500ms, end: 1.5s}]}
        - {name: Two, duration: 10s, gongs: [{sound: 4000.count, at: [1s, end]}]}
      """, reader: reader)
    #expect(session.title == "Counted" && session.summary == nil && session.sampleRate == 8_000 && session.volume == 1)
    #expect(session.soundLocations == ["/counts/16000.count", "/counts/4000.count", "/counts/8000.count"])
    let stages = session.timeline.stages
    #expect(stages.map(\.name) == ["One", "Two"])
    #expect(stages.map(\.begin) == [0, 2] && stages.map(\.end) == [2, 12] && session.timeline.duration == 12.5)
    #expect(stages[0].tracks.map(\.title) == ["8000.count", "16000.count"])
    #expect(stages[0].tracks.map(\.begin) == [0, 1] && stages[0].tracks.map(\.end) == [1, 2])
    #expect(stages[0].tracks.map(\.index) == [0, 1] && stages[0].tracks.map(\.pass) == [0, 0])
    #expect(stages[1].cues.map(\.kind) == [.gong, .gong] && stages[1].cues.map(\.begin) == [3, 12])
    #expect(session.timeline.text().contains("Two") && session.timeline.svg().hasPrefix("<svg"))
    #expect(session.timeline.json().contains("\"endFrame\":96000"))
  }

  @Test func `a session without a sample rate has that of its sounds, unless it is that of a telephone`() async throws {
    let text = "prosper: 1\ntitle: T\nstages: [{name: One, tracks: [1000.count]}]\n"
    let music = SessionReader(decoders: [CountingDecoder(rate: 96_000)])
    #expect(try #require(await music.read(text: text, folder: "/").session).sampleRate == 96_000)
    #expect(try #require(await reader.read(text: text, folder: "/").session).sampleRate == 48_000)
  }

  @Test func `a sound that its decoder can't open is left out, and reported where it is named`() async throws {
    let text = """
      prosper: 1
      title: T
      stages:
        - {name: One, tracks: [broken.count, 800.count]}
      """
    let reading = await reader.read(text: text, name: "t", folder: "/")
    #expect(reading.diagnostics.map(\.description).first?.hasPrefix("t:4:26: error: ") == true)
    #expect(reading.diagnostics.first?.problem.contains("the counter is broken") == true)
    #expect(reading.session?.timeline.stages[0].tracks.map(\.title) == ["800.count"])
  }

  @Test func `a check decodes each sound`() async throws {
    let folder = try TemporaryFolder()
    let text = "prosper: 1\ntitle: T\nsampleRate: 8000\nstages: [{name: One, tracks: [800.count]}]\n"
    let path = try folder.write(Array(text.utf8), to: "t.yaml")
    let broken = SessionReader(decoders: [CountingDecoder(brokenAt: 400)])
    #expect(try await broken.read(path: path).diagnostics == [])
    let reading = try await broken.check(path: path)
    #expect(reading.diagnostics.map(\.location.line) == [3, 4] && reading.session != nil)
    #expect(reading.diagnostics.last?.problem.contains("is damaged at 0.03 s: the counter is broken") == true)
  }

  @Test func `commands are read in the notation of scripts, with the names of the session`() async throws {
    let session = try await session("  - {name: One, tracks: [8000.count]}\n", reader: reader)
    #expect(try session.command(json: #"{"do":"next"}"#) == .next)
    #expect(try session.command(json: #"{"do":"goto","stage":"One","at":"2s"}"#) == .goto(stage: "One", at: 2))
    #expect { try session.command(json: #"{"do":"goto","stage":"Two"}"#) } throws: { error in
      (error as? InvalidCommand)?.diagnostics.first.map { $0.location.line == 1 && $0.problem.contains("'Two'") }
        == true
    }
  }
}
