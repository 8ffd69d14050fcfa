import Foundation
import TestSupport
import Testing

/// What a listener does to a planned session, as a script on the virtual clock, and which events are reported.
struct ListenerTests {
  private func play(_ session: String, _ script: String?, _ options: String...) async throws -> Prosper {
    let scratch = try Scratch()
    let path = try scratch.write("session.yaml", "prosper: 1\ntitle: T\nsampleRate: 8000\n" + session)
    let words = try script.map { ["--script", try scratch.write("script.jsonl", $0)] } ?? []
    return try await Prosper.run(["play", path, "-o", "null:fast"] + words + options, in: scratch)
  }

  private func times(_ name: String, _ run: Prosper) throws -> [Double] {
    try run.events().filter { $0["event"] as? String == name }.compactMap { $0["session"] as? Double }
  }

  private static let stages = """
    crossfade: 2s
    stages:
      - {name: One, duration: 60s, tracks: ["generate:rain"]}
      - {name: Two, duration: 4s, tracks: ["generate:drone"]}
    gongs: [{sound: "generate:beep", at: end}, {sound: "generate:beep", at: 50s}]
    """

  @Test func `a session started in the middle of a crossfade between stages reports that crossfade`() async throws {
    let run = try await play(
      Self.stages,
      """
      {"at":0.5,"do":"pause"}
      {"after":1,"expect":{"state":"crossfadePaused","progress":0.25}}
      {"after":2,"do":"resume"}
      """, "--stage", "Two")
    #expect(run.status == 0 && run.err.isEmpty)
    let events = try run.events()
    let states = events.filter { $0["event"] as? String == "state" }.compactMap { $0["state"] as? String }
    #expect(states.prefix(3) == ["preparing", "playing", "crossfading"])
    #expect(!events.contains { $0["event"] as? String == "warning" })
  }

  @Test(arguments: [("nextStage", 2.0, 6.0), ("previousStage", 62, 126)])
  func `the closing bell moves with the end of the session, which waits for nothing after it`(
    command: String, at: Double, end: Double
  ) async throws {
    let run = try await play(Self.stages, #"{"at":\#(at),"do":"\#(command)"}"#)
    #expect(run.status == 0)
    #expect(try times("gong", run) == (command == "nextStage" ? [end] : [50, end]))
    #expect(try #require(try times("session.finished", run).last) < end + 2)
  }

  @Test func `each of several simultaneous commands sees the effect of the one before`() async throws {
    let run = try await play(
      Self.stages,
      """
      {"at":5,"do":"seek","to":"20s"}
      {"at":5,"do":"seek","by":"-0.5s"}
      {"at":6,"expect":{"position":20.5,"within":0.001}}
      {"at":7,"do":"stop"}
      """)
    #expect(run.status == 0 && run.err.isEmpty)
    // A seek does not start another track.
    #expect(try run.events().last?["tracks"] as? Int == 1)
  }

  @Test func `a seek during a pause sets the position at which playback resumes`() async throws {
    let run = try await play(
      Self.stages,
      """
      {"at":1,"do":"pause"}
      {"at":2,"do":"seek","to":"20s"}
      {"at":3,"expect":{"position":20,"within":0.0001}}
      {"at":4,"do":"stop"}
      """)
    #expect(run.status == 0 && run.err.isEmpty)
  }

  private static let overlays = """
    stages:
      - name: One
        duration: 12s
        overlays: [{sound: {generate: rain, end: 2s}, at: 1s, repeat: {times: 3, delay: 0.5s}}]
      - {name: Two, duration: 2s}
    """

  @Test(arguments: [
    (#"{"at":2,"do":"overlay","op":"stop"}"#, [1.0], [2.02]),
    (#"{"at":3.2,"do":"overlay","op":"stop"}"#, [1], [3]),
    (#"{"at":0.5,"do":"overlay","op":"stop"}"#, [1, 3.5, 6], [3, 5.5, 8]),
    (#"{"at":2,"do":"overlay","op":"play","sound":"generate:bowl"}"#, [1, 2], [2.02]),
    (#"{"at":2,"do":"overlay","op":"pause"}{"at":4,"do":"overlay","op":"resume"}"#, [1, 5.5, 8], [5, 7.5, 10]),
    (#"{"at":3.2,"do":"overlay","op":"pause"}{"at":4.2,"do":"overlay","op":"resume"}"#, [1, 4.5, 7], [3, 6.5, 9]),
    (#"{"at":2,"do":"overlay","op":"pause"}{"at":7,"do":"overlay","op":"resume"}"#, [1, 8.5, 11], [8, 10.5, 12.02]),
    (#"{"at":2,"do":"overlay","op":"pause"}{"at":9,"do":"overlay","op":"resume"}"#, [1, 10.5], [10, 12.02]),
    (#"{"at":2,"do":"overlay","op":"pause"}{"at":13,"do":"overlay","op":"resume"}"#, [1], []),
    (#"{"at":2,"do":"overlay","op":"pause"}{"at":3,"do":"nextStage"}{"at":4,"do":"overlay","op":"resume"}"#, [1], []),
  ])
  func `a planned overlay and its repeats are controlled as one`(
    script: String, begins: [Double], ends: [Double]
  ) async throws {
    let run = try await play(Self.overlays, script.replacing("}{", with: "}\n{"))
    #expect(run.status == 0)
    #expect(try times("overlay.started", run) == begins)
    #expect(try times("overlay.ended", run).prefix(ends.count) == ends[...])
  }

  @Test(arguments: [("fadeIn: 2s", 4.02), ("fadeIn: 2s, fadeOut: 0.3s", 4.3), ("fadeOut: 1s", 5)])
  func `a stopped overlay ends with its own fade-out, or at once`(fades: String, end: Double) async throws {
    let overlay = "overlays: [{sound: generate:rain, at: 1s, \(fades)}]"
    let run = try await play(
      "stages: [{name: One, duration: 12s, \(overlay)}]", #"{"at":4,"do":"overlay","op":"stop"}"#)
    #expect(try times("overlay.ended", run) == [end])
  }

  @Test(arguments: [
    ("every: 5s, count: 2", [5.0, 10], 0), ("every: 5s", [5], 0), ("every: 10s", [], 1),
    ("every: 6s, count: 2", [6], 1),
  ])
  func `gongs sound as often as they fit, including at the end, or a problem is printed`(
    gong: String, times: [Double], lines: Int
  ) async throws {
    // The session file does not contain the length of the stage.
    let tracks = "tracks: [{generate: rain, end: 10s}], gongs: [{sound: generate:beep, \(gong)}]"
    let run = try await play("stages: [{name: One, \(tracks)}]", nil)
    #expect(try self.times("gong", run) == times)
    #expect(run.err.split(separator: "\n").count == lines)
  }
}
