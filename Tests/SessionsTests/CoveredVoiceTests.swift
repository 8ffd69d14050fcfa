import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Warnings about gongs that are struck while a voice plays.
struct CoveredVoiceTests {
  private static let library = DeclaredSounds(seconds: ["voice.wav": 60, "bowl.wav": 20, "wood.wav": 1, "bowl": 26])

  private static func warnings(_ cues: String, _ stage: String = "name: A, duration: 10m") throws -> [String] {
    let text = "prosper: 1\ntitle: t\nstages:\n  - {\(stage)}\n  - name: B\n    duration: 10m\n\(cues)"
    let session = try #require(reader.read(text: text, path: "s.yaml", folder: "/").session)
    return try CueWarnings(Timeline.compile(session, library: library).timeline, of: session).coveredVoices.map(
      \.description)
  }

  private static func cues(voice: String, gong: String, sound: String = "voice.wav") -> String {
    "    overlays: [{sound: '\(sound)', at: \(voice)}]\n    gongs: [{sound: bowl.wav, at: \(gong)}]\n"
  }

  @Test func `a strike during a voice causes a warning at the voice, with line and time of the strike`() throws {
    #expect(
      try Self.warnings(Self.cues(voice: "1m", gong: "1m30s")) == [
        "s.yaml:7:16: warning: the gong 'bowl.wav' in line 8, struck at 11:30, covers the voice 'voice.wav', which plays "
          + "from 11:00 to 12:00; move one of them"
      ])
  }

  @Test(arguments: [
    ("1m", "1m", true), ("1m", "57s", false), ("1m", "58s", true), ("1m", "1m59s", true), ("1m", "2m", false),
    ("1m", "30s", false), ("start", "start", true),
  ])
  func `strikes from three seconds before a voice to its end cover it`(
    voice: String, gong: String, isCovered: Bool
  ) throws {
    #expect(try Self.warnings(Self.cues(voice: voice, gong: gong)).isEmpty != isCovered)
  }

  @Test func `several strikes cause one warning`() throws {
    let warnings = try Self.warnings(Self.cues(voice: "[1m, 5m]", gong: "[1m10s, 1m20s, 5m10s]"))
    #expect(warnings.count == 1 && warnings[0].contains("struck at 11:10, and 2 more strokes cover the voice"))
  }

  @Test func `a gong that ends before the voice does not cover it`() throws {
    let cues = "    overlays: [{sound: voice.wav, at: 1m}]\n    gongs: [{sound: wood.wav, at: [58s, 59s]}]\n"
    #expect(try Self.warnings(cues).isEmpty)
  }

  @Test func `the last bell of a stage covers a voice that begins the next one`() throws {
    let gong = "name: A, duration: 10m, gongs: [{sound: bowl.wav, at: end}]"
    #expect(try Self.warnings("    overlays: [{sound: voice.wav, at: 1s}]\n", gong).count == 1)
    // After an open stage, nobody knows when the next one begins.
    let open = "name: A, duration: open, gongs: [{sound: bowl.wav, at: 1s}]"
    #expect(try Self.warnings("    overlays: [{sound: voice.wav, at: 1s}]\n", open).isEmpty)
  }

  @Test func `an overlay of a built-in sound is not a voice`() throws {
    #expect(try Self.warnings(Self.cues(voice: "1m", gong: "1m10s", sound: "generate:bowl")).isEmpty)
  }
}
