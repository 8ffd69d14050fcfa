import Foundation
import Glibc
import TestSupport
import Testing

/// A computer that gives prosper no time for three seconds.
@Suite struct StoppedLiveTests {
  private static let session = """
    prosper: 1
    title: Stopped
    sampleRate: 48000
    stages:
      - {name: One, duration: 6s, tracks: ["generate:rain"]}
    """

  private struct Measure {
    /// Milliseconds of the underrun, and by how many it is wrong.
    var length: Double
    var fault: Double
    /// The reader of the FIFO has taken every frame.
    var isWhole = true
  }

  /// Where the sound goes, and the seconds that are in hand there at least and at most.
  @Test(arguments: [("null", 1.0...2.0), ("pulse", 0.95...2.05)])
  func `the time that was lost is an underrun, and the session goes on where it was`(
    output: String, inHand: ClosedRange<Double>
  ) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("stopped.yaml", Self.session)
    let server = output == "pulse" ? try await onOwnThread { try PulseServer() } : nil
    // How exactly the positions are told depends on the machine.
    let measure = try await best(where: { (measure: Measure) in abs(measure.fault) < 100 }) {
      let run = try await Prosper.run(
        ["play", session, "--no-control", "-o", output], environment: ["PULSE_SERVER": server?.address ?? ""],
        in: scratch, whileRunning: Self.stop)
      #expect(run.status == 0 && run.err.isEmpty)
      return try Self.measure(run)
    }
    let stopped = 3_000.0
    #expect((stopped - 1_000 * inHand.upperBound - 50...stopped - 1_000 * inHand.lowerBound + 150) ~= measure.length)
  }

  @Test func `who reads a FIFO hears every frame, behind the gap too`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("stopped.yaml", Self.session)
    let render = try await Prosper.run(
      ["play", session, "-o", "-", "--events", "off"], in: scratch,
      program: ["/bin/bash", "-c", #"exec "$@" > "# + scratch.path("render"), "bash", Prosper.executable.path])
    #expect(render.status == 0)
    let rendered = try Data(contentsOf: URL(fileURLWithPath: scratch.path("render")))
    #expect(rendered.count == 6 * 48_000 * 6)
    let (fifo, heard) = (scratch.path("fifo"), scratch.path("heard"))
    try await best(where: { (measure: Measure) in abs(measure.fault) < 100 && measure.isWhole }) {
      #expect(mkfifo(fifo, 0o600) == 0)
      let reader = try ChildProcess(
        "/bin/bash", ["-c", "cat '\(fifo)' > '\(heard)'"], environment: [:], readsOutput: false)
      let run = try await Prosper.run(
        ["play", session, "--no-control", "-o", "pipe:" + fifo], in: scratch, whileRunning: Self.stop)
      #expect(run.status == 0 && run.err.isEmpty)
      let isRead = try await onOwnThread {
        eventually(within: 20) { (try? Data(contentsOf: URL(fileURLWithPath: heard)).count) == rendered.count }
      }
      reader.end()
      unlink(fifo)
      var measure = try Self.measure(run)
      // A reader who has no time loses sound, too.
      measure.isWhole = isRead
      if isRead {
        let isSame = try Data(contentsOf: URL(fileURLWithPath: heard)) == rendered
        #expect(isSame)
      }
      #expect(2_850...3_150 ~= measure.length || !isRead)
      return measure
    }
  }

  @Test func `a session that stands still meanwhile misses nothing`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("stopped.yaml", Self.session)
    let script = try scratch.write(
      "script", #"{"at":"1s","do":"pause"}"# + "\n" + #"{"after":"4s","do":"resume"}"# + "\n")
    let run = try await Prosper.run(
      ["play", session, "--no-control", "-o", "null", "--script", script], in: scratch
    ) {
      $0.waitUntilItSays(#""state":"paused""#)
      // The pause itself is heard.
      _ = eventually(within: 0.1) { false }
      Self.halt($0)
    }
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(try run.events().last?["underruns"] as? Int == 0 && !run.out.contains("\"underrun\""))
  }

  private static func stop(_ running: Running) {
    running.waitUntilItSays(#""session":2.000"#)
    halt(running)
  }

  private static func halt(_ running: Running) {
    running.send(SIGSTOP)
    _ = eventually(within: 3) { false }
    running.send(SIGCONT)
  }

  /// The one underrun: as long as run time is ahead of the session behind it, and was not before.
  private static func measure(_ run: Prosper) throws -> Measure {
    let events = try run.events()
    let gaps = events.filter { $0["event"] as? String == "underrun" }
    let last = try #require(events.last)
    #expect(gaps.count == 1 && gaps.first?["of"] as? String == "output")
    #expect(last["underruns"] as? Int == 1 && last["played"] as? Double == 6)
    let positions = events.filter { $0["event"] as? String == "position" }
    let ahead = positions.compactMap { event -> Double? in
      guard let run = event["run"] as? Double, let session = event["session"] as? Double else { return nil }
      return run - session
    }
    let length = try #require(gaps.first?["milliseconds"] as? Double)
    let (before, behind) = (try #require(ahead.first), try #require(ahead.last))
    return Measure(length: length, fault: length - 1_000 * (behind - before))
  }
}
