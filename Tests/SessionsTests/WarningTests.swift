import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Settings that are accepted and never take effect are reported, with their position and a fix.
struct WarningTests {
  private static func warnings(_ stage: String) -> [String] {
    let text = "prosper: 1\ntitle: t\nstages:\n  - " + stage
    let reading = SessionReader(catalogue: catalogue, home: nil).read(text: text, path: "s.yaml", folder: "/")
    return reading.diagnostics.map(\.description)
  }

  @Test func `repeating an overlay that never ends causes a warning`() {
    let overlay = { (repetition: String) in
      "{name: A, duration: 60, overlays: [{sound: 'generate:rain', at: 1, repeat: \(repetition)}]}"
    }
    let warning =
      "s.yaml:4:72: warning: 'rain' never ends, so it is never repeated; give it an \"end\", or remove \"repeat\""
    #expect(Self.warnings(overlay("{times: 3, delay: 1}")) == [warning])
    #expect(Self.warnings(overlay("{times: forever, delay: 1}")) == [warning])
    #expect(Self.warnings(overlay("{times: forever}")) == [])
    #expect(Self.warnings(overlay("{times: 1}")) == [])
    let ending =
      "{name: A, duration: 60, overlays: [{sound: {generate: rain, end: 4}, at: 1, repeat: {times: 3, delay: 1}}]}"
    #expect(Self.warnings(ending) == [])
  }

  @Test func `a crossfade that is longer than its stage, and fades that overlap, cause a warning`() {
    let reading = SessionReader(catalogue: catalogue, home: nil)
      .read(
        text: "prosper: 1\ntitle: t\nfadeIn: 31\nfadeOut: 30\nstages:\n  - {name: A, duration: 60}", path: "s.yaml",
        folder: "/")
    #expect(
      reading.diagnostics.map(\.description) == [
        "s.yaml:3:1: warning: the fades take 1:01, but the stage in line 6 lasts only 1:00; shorten the fades"
      ])
    #expect(
      Self.warnings("{name: A, duration: 3, crossfade: 4s}") == [
        "s.yaml:4:28: warning: the crossfade in line 4 takes 4 s, but the stage 'A' lasts only 3 s; "
          + "shorten the crossfade or lengthen the stage"
      ])
  }

  @Test func `a sound that ends before its 'end' causes one warning`() throws {
    func warnings(end: String) throws -> [String] {
      let sound = "{file: a.wav, start: 1, end: \(end)}"
      let text = "prosper: 1\ntitle: t\nstages:\n  - {name: A, tracks: [\(sound), \(sound)]}"
      let session = try #require(reader.read(text: text, path: "s.yaml", folder: "/").session)
      // The part that begins at 1 s has nine seconds.
      return try Timeline.compile(session, library: DeclaredSounds(seconds: ["a.wav": 9])).warnings.map(\.description)
    }
    #expect(
      try warnings(end: "12") == [
        "s.yaml:4:24: warning: 'a.wav' ends at 0:10, before its 'end' at 0:12; leave out the 'end'"
      ])
    #expect(try warnings(end: "10.05") == [])
  }

  @Test func `repeating a stage without tracks causes a warning`() {
    let fix = "add \"tracks\", or remove it"
    #expect(
      Self.warnings("{name: A, duration: 60, repeatCount: 2}")
        == ["s.yaml:4:29: warning: 'repeatCount' has no effect without tracks; \(fix)"])
    #expect(
      Self.warnings("{name: A, duration: 60, repeat: track, repeatCount: 2}") == [
        "s.yaml:4:29: warning: 'repeat' has no effect without tracks; \(fix)",
        "s.yaml:4:44: warning: 'repeatCount' has no effect without tracks; \(fix)",
      ])
    #expect(Self.warnings("{name: A, duration: 60, tracks: ['a.wav'], repeatCount: 2}") == [])
  }
}
