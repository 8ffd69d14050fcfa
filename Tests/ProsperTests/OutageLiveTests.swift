import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// The sound server is away for a second, ten seconds or a minute, and the session waits for it.
struct OutageLiveTests {
  private static let session = """
    prosper: 1
    title: Outage
    sampleRate: 48000
    stages:
      - {name: One, duration: 2s, crossfade: 1s, tracks: ["generate:ocean"], gongs: [{sound: "generate:wood", every: 500ms}]}
      - {name: Two, duration: 2s, crossfade: 0, tracks: ["generate:pink"]}
    """

  private struct Measure {
    var seconds: Double
    /// Frames between what was heard before and what was heard after; negative for frames heard twice. nil if what was
    /// captured is not a part of the render up to its end.
    var missed: Int?
  }

  @Test func `a session resumes where the listener stopped hearing it, however long the outage was`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let render = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--encoding", "f32"], in: scratch)
    #expect(render.status == 0)
    let rendered = try FloatWave(at: scratch.path("a.wav")).frames
    try await best(where: { (all: [Measure]) in all.allSatisfy { abs($0.missed ?? .max) < 2_400 } }) {
      try await withThrowingTaskGroup(of: Measure.self) { outages in
        for seconds in [1.0, 10, 60] { outages.addTask { try await outage(of: seconds, session, rendered) } }
        return try await outages.reduce(into: []) { $0.append($1) }
      }
    }
  }

  private func outage(of seconds: Double, _ session: String, _ rendered: [Frame]) async throws -> Measure {
    let scratch = try Scratch()
    let server = try await onOwnThread { try PulseServer() }
    let lives = Mutex<[[Frame]]>([])
    let words = ["play", session, "--no-control"]
    let run = try await Prosper.run(words, environment: ["PULSE_SERVER": server.address], in: scratch) { _ in
      let before = try? Capture(of: server)
      _ = before?.wait { 48_000 < $0.sound.count }
      server.kill()
      let back = ContinuousClock.now + .seconds(seconds)
      // All that was heard before.
      before?.waitForServerExit()
      _ = eventually(within: seconds + 1) { back <= ContinuousClock.now }
      let after = try? server.restart { try Capture(of: server) }
      _ = after?.waitForTheEnd()
      lives.withLock { $0 = [before, after].map { Array($0?.sound ?? []) } }
    }
    _ = try await onOwnThread { eventually { !lives.withLock(\.isEmpty) } }
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    try expectGap(of: seconds, in: run)
    let places = lives.withLock { $0 }.map { $0.place(in: rendered) }
    guard let before = places[0], let after = places[1], after.upperBound == rendered.count
    else { return Measure(seconds: seconds, missed: nil) }
    return Measure(seconds: seconds, missed: after.lowerBound - before.upperBound)
  }

  /// The outage is reported and takes no session time.
  private func expectGap(of seconds: Double, in run: Prosper) throws {
    let events = try run.events()
    let lost = try #require(events.first { $0["event"] as? String == "output.lost" })
    let back = try #require(events.first { $0["event"] as? String == "output.restored" })
    let number = { (event: [String: Any], key: String) in event[key] as? Double ?? -1 }
    #expect(seconds <= number(back, "run") - number(lost, "run"))
    #expect(abs(number(back, "session") - number(lost, "session")) <= 0.05)
    #expect(number(try #require(events.last), "played") == 4)
  }
}
