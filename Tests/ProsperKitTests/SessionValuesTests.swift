import ProsperKit
import Testing

/// Sessions that a program builds from values.
@Suite struct SessionValuesTests {
  private static func sit() -> Session {
    let bowl = Session.Sound(SoundSource(.generated(Recipe(generator: "bowl"))), volume: Gain(decibels: -6))
    var sit = Session.Stage(name: "Sit", duration: .seconds(60))
    sit.gongs = [Session.Gong(bowl, at: .start, .end)]
    var walk = Session.Stage(
      name: "Walk", duration: .natural, tracks: [Session.Sound(SoundSource(.file(path: "/counts/16000.count")))])
    walk.crossfade = Session.Crossfade(seconds: 1, .linear)
    walk.overlays = [Session.Overlay(bowl, at: Session.Position(.afterStart(0.5)))]
    walk.overlays[0].repetition = Session.Repetition(.times(2), delay: 0.25)
    var session = Session(title: "Evening", stages: [sit, walk])
    session.sampleRate = SampleRate(hertz: 8_000)
    return session
  }

  @Test func `a session of values can be played, written, read and changed`() async throws {
    let reader = SessionReader(decoders: [CountingDecoder()])
    let reading = await reader.read(Self.sit())
    #expect(reading.diagnostics.isEmpty, "\(reading.diagnostics)")
    let session = try #require(reading.session)
    #expect(session.timeline.stages.map(\.name) == ["Sit", "Walk"])
    #expect(session.timeline.stages[0].cues.map(\.begin) == [0, 60])
    #expect(session.timeline.stages[1].cues.count == 2)
    for format in [SessionWriter.Format.yaml, .json] {
      let text = SessionWriter(format).text(of: Self.sit())
      let again = try #require(await reader.read(text: text, folder: "/").session)
      #expect(again.timeline.text() == session.timeline.text())
    }
    var content = try #require(session.content)
    content.stages.removeFirst()
    content.stages[0].overlays = []
    let changed = try #require(await reader.read(content).session)
    #expect(changed.timeline.stages.map(\.name) == ["Walk"] && changed.timeline.stages[0].cues.isEmpty)
  }

  @Test(arguments: [-1, 1e300, Double.infinity, -Double.infinity, Double.nan])
  func `values that no file can have are diagnostics`(seconds: Double) async {
    var sessions = Array(repeating: Self.sit(), count: 7)
    sessions[0].stages[0].duration = .seconds(seconds)
    sessions[1].stages[1].crossfade.duration = seconds
    sessions[2].stages[1].overlays[0].at = [Session.Position(.afterStart(seconds))]
    sessions[3].stages[1].overlays[0].repetition.delay = seconds
    sessions[4].stages[0].gongs[0].spacing = seconds
    sessions[5].fadeOut = seconds
    sessions[6].stages[1].tracks[0].source.start = seconds
    for (number, session) in sessions.enumerated() {
      let reading = await SessionReader(decoders: [CountingDecoder()]).read(session)
      // A gong that is struck once has no spacing, and a negative position counts from the end.
      #expect(!reading.isValid || number == 4 || number == 2 && seconds == -1, "\(number)")
    }
  }
}
