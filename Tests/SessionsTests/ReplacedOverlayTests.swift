import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Warnings about overlays that another overlay cuts off.
struct ReplacedOverlayTests {
  private static let library = DeclaredSounds(seconds: ["voice.wav": 60, "second.wav": 30, "rain": .infinity])

  /// - Parameters:
  ///   - overlays: of the second stage, which begins at 10 minutes.
  ///   - whole: those of the session.
  private static func warnings(_ overlays: String, whole: String = "[]", open: Bool = false) throws -> [String] {
    let text = """
      prosper: 1
      title: t
      overlays: \(whole)
      stages:
        - {name: A, duration: \(open ? "open" : "10m")}
        - {name: B, duration: 10m, overlays: [
          \(overlays)]}
      """
    let session = try #require(reader.read(text: text, path: "s.yaml", folder: "/").session)
    return try CueWarnings(Timeline.compile(session, library: library).timeline, of: session).replacedOverlays.map(
      \.description)
  }

  private static let fix = "begin the second one later, or give one of them \"layer\": true, so that both are heard"

  @Test func `the overlay that is cut off is named with both times, the other one with its line, and a fix`() throws {
    let words =
      "s.yaml:7:5: warning: the overlay 'voice.wav' begins at 11:00 and is cut off at 11:30, when the overlay "
      + "'second.wav' in line 8 begins; \(Self.fix)"
    let overlays = "{sound: voice.wav, at: 1m},\n    {sound: second.wav, at: 1m30s}"
    #expect(try Self.warnings(overlays) == [words])
    // The times of a stage after an open one count from the stage's beginning.
    #expect(try Self.warnings(overlays, open: true) == [words.replacing("11:", with: "1:")])
  }

  @Test func `an overlay that another one ends is not also cut off by its stage`() throws {
    let text = """
      prosper: 1
      title: t
      stages:
        - {name: A, duration: 1m, overlays: [{sound: voice.wav, at: 30s}, {sound: second.wav, at: 25s}]}
        - {name: B, duration: 1m}
      """
    let cutOff = { (text: String) in
      let session = try #require(reader.read(text: text, path: "s.yaml", folder: "/").session)
      return try Timeline.compile(session, library: Self.library).warnings.filter { $0.code == .cutOff }.map(\.problem)
    }
    let words = "is cut off at the end of stage 'A'"
    #expect(try cutOff(text) == ["overlay 'voice.wav' \(words)"])
    // The other one begins before the voice has ended, and lasts longer than the stage.
    #expect(try cutOff(text.replacing("at: 25s", with: "at: 45s")) == ["overlay 'second.wav' \(words)"])
  }

  @Test func `an overlay that begins together with a later one is never heard`() throws {
    let words =
      "s.yaml:3:12: warning: the overlay 'voice.wav' is never heard, because the overlay 'second.wav' in line 7 "
      + "begins at the same time, 10:00; \(Self.fix)"
    #expect(
      try Self.warnings("{sound: second.wav, at: start}", whole: "[{sound: voice.wav, at: 10m}]") == [words])
  }

  @Test(arguments: [
    ("{sound: voice.wav, at: 1m}, {sound: second.wav, at: 2m}", 0),
    ("{sound: voice.wav, at: 1m}, {sound: second.wav, at: 1m59s}", 1),
    ("{sound: voice.wav, at: 1m, layer: true}, {sound: second.wav, at: 1m30s}", 0),
    ("{sound: voice.wav, at: 1m}, {sound: second.wav, at: 1m30s, layer: true}", 0),
    // The second one begins in the fade-out of the first one.
    ("{sound: voice.wav, at: 1m, fadeOut: 2s}, {sound: second.wav, at: 1m58s}", 0),
    ("{sound: voice.wav, at: 1m, fadeOut: 2s}, {sound: second.wav, at: 1m57s}", 1),
    // Each of them cuts off the next one: one warning for each overlay that loses something.
    ("{sound: voice.wav, at: [1m, 3m]}, {sound: second.wav, at: [1m50s, 3m50s]}", 1),
    ("{sound: second.wav, at: 1m, repeat: {times: 3, delay: 10s}}, {sound: voice.wav, at: 2m15s}", 1),
    ("{sound: second.wav, at: 1m, repeat: {times: 3, delay: 10s}}, {sound: voice.wav, at: 2m50s}", 0),
    ("{sound: second.wav, at: 1m, repeat: {times: forever, delay: 10s}}, {sound: voice.wav, at: 1m35s}", 0),
    ("{sound: second.wav, at: 1m, repeat: {times: forever, delay: 10s}}, {sound: voice.wav, at: 1m45s}", 1),
    ("{sound: 'generate:rain', at: 1m}, {sound: voice.wav, at: 2m}", 0),
    // The end of the stage has its own warning.
    ("{sound: voice.wav, at: 1m}", 0),
  ])
  func `what is lost decides`(overlays: String, warnings: Int) throws {
    #expect(try Self.warnings(overlays).count == warnings)
  }

  @Test func `repeats that the end of the stage drops are not lost to the next overlay`() throws {
    let text = """
      prosper: 1
      title: t
      stages:
        - {name: A, duration: 10m, overlays: [
          {sound: second.wav, at: 7m, repeat: {times: 9, delay: 30s}}, {sound: second.wav, at: TIME}]}
        - {name: B, duration: 1m}
      """
    let warnings = try ["9m45s", "8m45s"].map { time in
      let session = try #require(
        reader.read(text: text.replacing("TIME", with: time), path: "s.yaml", folder: "/").session)
      return try CueWarnings(Timeline.compile(session, library: Self.library).timeline, of: session).replacedOverlays
        .count
    }
    #expect(warnings == [0, 1])
  }
}
