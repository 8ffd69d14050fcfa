import Foundation
import TestSupport
import Testing

/// A live session that is paused in its crossfade while the clock is set, or while the computer sleeps without notice.
struct ClockLiveTests {
  private static let session = """
    prosper: 1
    title: Clocks
    crossfade: {duration: 2s, curve: equalPower}
    stages:
      - {name: One, duration: 2s, tracks: ["generate:rain"]}
      - {name: Two, duration: 3s, tracks: ["generate:ocean"], gongs: [{sound: "generate:wood", every: 500ms}]}
    """
  private static let script = """
    {"when":{"state":"crossfading","progress":0.2},"do":"pause"}
    {"after":"1s","do":"resume"}
    """

  /// The seconds by which the wall clock jumps.
  @Test(arguments: [3_600, -3_600])
  func `a wall clock that jumps by an hour does not affect playback`(wall: Int) async throws {
    let scratch = try Scratch()
    let words = [
      "play", try scratch.write("clocks.yaml", Self.session), "--script", try scratch.write("script", Self.script),
    ]
    let render = try await Prosper.run(words + ["-o", "null:fast"], in: scratch)
    let environment = try Prosper.preloading(.clockShift).merging(["CLOCK_SHIFT": scratch.path("shift")]) { $1 }
    try await best(where: { abs($0) < 1 }) {
      _ = try scratch.write("shift", "0 0")
      let began = ContinuousClock.now
      let run = try await Prosper.run(
        words + ["-o", "null", "--log-level", "info"], environment: environment, in: scratch
      ) {
        $0.waitUntilItSays("crossfade.paused")
        _ = try? scratch.write("shift", "\(wall) 0")
      }
      #expect(render.status == 0 && run.status == 0)
      #expect(try Self.eventTexts(of: run) == Self.eventTexts(of: render))
      let took = try #require(try run.events().last?["run"] as? Double)
      #expect(5.9 < took && .seconds(took) < run.endedAt - began)
      // The clock was set, so the timestamps in the log jump with it.
      return try Self.logged(by: run) - Double(wall) - took
    }
  }

  /// The seconds from the first line of the log to the last.
  private static func logged(by run: Prosper) throws -> Double {
    let times = run.err.split(separator: "\n").compactMap { line in
      try? Date(String(line.prefix(24)), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
    return try #require(times.last).timeIntervalSince(try #require(times.first))
  }

  @Test func `a crossfade paused before the computer slept for an hour finishes quickly`() async throws {
    let scratch = try Scratch()
    let words = [
      "play", try scratch.write("clocks.yaml", Self.session), "--script", try scratch.write("script", Self.script),
    ]
    let environment = try Prosper.preloading(.clockShift).merging(["CLOCK_SHIFT": scratch.path("shift")]) { $1 }
    let run = try await Prosper.run(words + ["-o", "null"], environment: environment, in: scratch) {
      $0.waitUntilItSays("crossfade.paused")
      _ = try? scratch.write("shift", "3600 3600")
    }
    #expect(run.status == 0)
    let ways = try run.events().filter { ["crossfade.paused", "crossfade.resumed"].contains($0["event"] as? String) }
    #expect(ways.map { $0["strategy"] as? String } == ["continueFromProgress", "quickFinish"])
    // The sleep of the computer is not an underrun.
    #expect(try run.events().last?["underruns"] as? Int == 0)
    // The pause itself did not take an hour.
    #expect(try #require(run.events().last?["run"] as? Double) < 60)
  }

  /// The events with their times, except for what depends on the moment of the pause.
  private static func eventTexts(of run: Prosper) throws -> [String] {
    try run.events().compactMap { event in
      let name = event["event"] as? String ?? ""
      if ["position", "crossfade.progress", "state"].contains(name) || name.hasPrefix("load.") { return nil }
      if ["crossfade.paused", "crossfade.resumed", "command"].contains(name) {
        return "\(name) \(event["strategy"] ?? event["outcome"] ?? "")"
      }
      return "\(name) at \(event["session"] ?? "")"
    }
  }
}
