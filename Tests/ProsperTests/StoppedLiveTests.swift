import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A computer that gives prosper no processor time for three seconds.
@Suite struct StoppedLiveTests {
  private static let session = """
    prosper: 1
    title: Stopped
    sampleRate: 48000
    stages:
      - {name: One, duration: 6s, tracks: ["generate:rain"]}
    """

  private struct Measure {
    /// The length of the first underrun in milliseconds, and its difference from the delay of the session.
    var length: Double
    var fault: Double
    /// The milliseconds for which the program was stopped.
    var stopped: Double
    var underruns: Int
    /// Whether the reader of the FIFO received every frame.
    var isWhole = true

    /// - Parameter inHand: The seconds of sound that the output had buffered when the program was stopped.
    func isRight(inHand: ClosedRange<Double>) -> Bool {
      let lengths = stopped - 1_000 * inHand.upperBound - 50...stopped - 1_000 * inHand.lowerBound + 150
      return underruns == 1 && abs(fault) < 100 && lengths ~= length && isWhole
    }
  }

  /// The output, and the least and the greatest number of seconds that it buffers.
  @Test(arguments: [("null", 1.0...2.0), ("pulse", 0.95...2.05)])
  func `lost time is reported as an underrun, and the session continues where it was`(
    output: String, inHand: ClosedRange<Double>
  ) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("stopped.yaml", Self.session)
    let server = output == "pulse" ? try await onOwnThread { try PulseServer() } : nil
    try await best(hasServer: server != nil, where: { (measure: Measure) in measure.isRight(inHand: inHand) }) {
      let stopped = Mutex(0.0)
      let run = try await Prosper.run(
        ["play", session, "--no-control", "-o", output], environment: ["PULSE_SERVER": server?.address ?? ""],
        in: scratch
      ) { running in stopped.withLock { $0 = Self.stop(running) } }
      #expect(run.status == 0 && run.err.isEmpty)
      return try Self.measure(run, stopped: stopped.withLock { $0 })
    }
  }

  @Test func `a reader of a FIFO receives every frame, including those after the gap`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("stopped.yaml", Self.session)
    let render = try await Prosper.run(
      ["play", session, "-o", "-", "--events", "off"], in: scratch,
      program: ["/bin/bash", "-c", #"exec "$@" > "# + scratch.path("render"), "bash", Prosper.executable.path])
    #expect(render.status == 0)
    let rendered = try Data(contentsOf: URL(fileURLWithPath: scratch.path("render")))
    #expect(rendered.count == 6 * 48_000 * 6)
    let (fifo, heard) = (scratch.path("fifo"), scratch.path("heard"))
    // A FIFO holds less than a tenth of a second.
    try await best(where: { (measure: Measure) in measure.isRight(inHand: 0...0.1) }) {
      let stopped = Mutex(0.0)
      #expect(mkfifo(fifo, 0o600) == 0)
      let reader = try ChildProcess(
        "/bin/bash", ["-c", "cat '\(fifo)' > '\(heard)'"], environment: [:], readsOutput: false)
      let run = try await Prosper.run(["play", session, "--no-control", "-o", "pipe:" + fifo], in: scratch) { running in
        stopped.withLock { $0 = Self.stop(running) }
      }
      #expect(run.status == 0 && run.err.isEmpty)
      // The reader ends with the last writer.
      _ = try await onOwnThread { eventually { !reader.isAlive } }
      unlink(fifo)
      var measure = try Self.measure(run, stopped: stopped.withLock { $0 })
      let bytes = try Data(contentsOf: URL(fileURLWithPath: heard))
      // A reader that is late loses sound, too.
      measure.isWhole = bytes.count == rendered.count
      let isSame = bytes == rendered
      #expect(isSame || !measure.isWhole)
      return measure
    }
  }

  @Test func `a session that is paused while the program is stopped has no underrun`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("stopped.yaml", Self.session)
    let script = try scratch.write(
      "script", #"{"at":"1s","do":"pause"}"# + "\n" + #"{"after":"4s","do":"resume"}"# + "\n")
    let run = try await Prosper.run(
      ["play", session, "--no-control", "-o", "null", "--script", script], in: scratch
    ) {
      $0.waitUntilItSays(#""state":"paused""#)
      // Until the pause itself has been heard.
      letPass(seconds: 0.1)
      _ = Self.halt($0)
    }
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(try run.events().last?["underruns"] as? Int == 0 && !run.out.contains("\"underrun\""))
  }

  /// - Returns: The milliseconds for which the program was stopped.
  private static func stop(_ running: Running) -> Double {
    running.waitUntilItSays(#""session":2.000"#)
    return halt(running)
  }

  private static func halt(_ running: Running) -> Double {
    SuspendingClock().measure {
      running.send(SIGSTOP)
      letPass(seconds: 3)
      running.send(SIGCONT)
    } / .milliseconds(1)
  }

  /// Measures the only underrun, which should equal the delay of session time relative to run time.
  private static func measure(_ run: Prosper, stopped: Double) throws -> Measure {
    let events = try run.events()
    let gaps = events.filter { $0["event"] as? String == "underrun" }
    let last = try #require(events.last)
    #expect(gaps.allSatisfy { $0["of"] as? String == "output" })
    #expect(last["underruns"] as? Int == gaps.count && last["played"] as? Double == 6)
    let positions = events.filter { $0["event"] as? String == "position" }
    let ahead = positions.compactMap { event -> Double? in
      guard let run = event["run"] as? Double, let session = event["session"] as? Double else { return nil }
      return run - session
    }
    let length = try #require(gaps.first?["milliseconds"] as? Double)
    let (before, after) = (try #require(ahead.first), try #require(ahead.last))
    return Measure(
      length: length, fault: length - 1_000 * (after - before), stopped: stopped, underruns: gaps.count)
  }
}
