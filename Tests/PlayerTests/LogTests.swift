import Logging
import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// The log of a session with two tracks of ten seconds and a crossfade of two.
@Suite struct LogTests {
  let library = TestLibrary(["A": .constant(0.1, length: 80_000), "B": .constant(0.2, length: 80_000)])

  private var session: Programme {
    let shape = FadeShape(length: 16_000, curve: .equalPower)
    let tracks = [track("A", 80_000), track("B", 80_000)]
    return programme([Programme.Stage("S", tracks, for: .frames(144_000), crossfade: shape)])
  }

  @Test func `a session without commands logs its stages, tracks and states`() async {
    #expect(
      await lines(from: .info, []) == [
        "info [Session] → 'test' (8000 Hz, 18.000 s)",
        "info [Session] → stage 'S' (index: 0, 18.000 s)",
        "info [StateCoordinator] idle → preparing ('A')",
        "info [Playlist] → 'A' (index: 0, pass: 0, 10.000 s)",
        "info [StateCoordinator] preparing → playing ('A')",
        "info [Playlist] → 'B' (index: 1, pass: 0, 10.000 s)",
        "info [CrossfadeOrch] → 'A' to 'B' (2.000 s)",
        "info [StateCoordinator] playing → crossfading ('A' to 'B', 0%)",
        "info [CrossfadeOrch] ✅ 'A' to 'B'",
        "info [StateCoordinator] crossfading → playing ('B')",
        "info [Snapshot] playing, 'B' at 2.000 s (session: 10.000 s, queue: 0)",
        "info [StateCoordinator] ✅ playing → finished",
        "info [Session] ✅ completed (18.000 s, tracks: 2, underruns: 0, starved: 0, late: 0, damaged: 0)",
      ])
  }

  @Test func `each tenth of a crossfade is logged once`() async {
    let reported = await lines(from: .debug, []).filter { $0.hasPrefix("debug [CrossfadeOrch]") }
    #expect(reported == (1...9).map { "debug [CrossfadeOrch] 'A' to 'B': \($0)0%" })
  }

  @Test func `the steps of a crossfade and each second are logged at trace level`() async {
    let reported = await lines(from: .trace, []).filter { $0.hasPrefix("trace") }
    #expect(reported.first == "trace [Session] 'A' at 1.000 s")
    #expect(reported.contains("trace [StateCoordinator] crossfading → crossfading ('A' to 'B', 5%)"))
  }

  @Test func `a crossfade that is paused is logged between the lines of the queue`() async {
    let reported = await lines(from: .debug, [(8.5, [.pause]), (60, [.resume])])
    let pause = reported.drop { !$0.contains("Enqueue 'pause'") }.prefix { !$0.contains("Start 'resume'") }
      .filter { !$0.contains("[OpQueue]") || $0.contains("Enqueue") }
    #expect(
      Array(pause) == [
        "debug [OpQueue] Enqueue 'pause' (depth: 1/3, id: op-0001)",
        "info [CrossfadeOrch] 'A' to 'B' paused at 25% (continueFromProgress)",
        "info [StateCoordinator] crossfading → crossfadePaused ('A' to 'B', 25%)",
        "debug [OpQueue] Enqueue 'resume' (depth: 1/3, id: op-0002)",
      ])
    #expect(reported.contains { $0.hasPrefix("debug [OpQueue] Start 'pause' (waited: ") })
    #expect(reported.contains { $0.hasPrefix("debug [OpQueue] Complete 'pause' (exec: ") })
    #expect(reported.contains("info [CrossfadeOrch] → 'A' to 'B' from 25% (continueFromProgress)"))
  }

  @Test func `a change of the playlist is logged`() async {
    let reported = await lines(from: .info, [(1, [.playlist(.move(from: 0, to: 1))])])
    #expect(reported.contains("info [Playlist] ✅ changed (id: op-0001)"))
  }

  @Test func `a sound that can't be opened is logged as an error, and its track as skipped`() async {
    let library = TestLibrary(["A": .constant(0.1, length: 80_000)])
    let reported = await lines(from: .warning, [], of: library).filter { $0.contains("'B'") }
    let cause = SourceError.missing(path: TestLibrary.source("B").label)
    #expect(
      reported == [
        "error [AudioEngine] ❌ load 'B': \(cause)",
        "warning [Playlist] ↻ 'B' skipped: \(cause)",
      ])
  }

  @Test(arguments: [
    (3_999.0, "debug [AudioEngine] ✅ loaded 'A' (3999ms)"),
    (4_000.0, "warning [AudioEngine] ⚠️ slow load 'A' (4000ms, timeout: 5000ms)"),
  ]) func `a load is logged as slow from four fifths of its timeout on`(milliseconds: Double, line: String) {
    var formatter = LogFormatter()
    let begun = formatter.line(for: stamped(.loadStarted(title: "A", id: LoadID(1))), timeout: 5)
    let ended = formatter.line(
      for: stamped(.loadCompleted(title: "A", id: LoadID(1), milliseconds: milliseconds)), timeout: 5)
    #expect(begun.map(text) == "debug [AudioEngine] → load 'A' (timeout: 5000ms)")
    #expect(ended.map(text) == line)
  }

  @Test func `a snapshot contains the number of waiting commands`() {
    var formatter = LogFormatter()
    let position = StampedEvent(
      run: 12, session: 10, stage: nil, event: .position(track: nil, position: nil, duration: nil, isSecond: true))
    let reported = formatter.line(for: position, depth: 2)
    #expect(reported.map(text) == "info [Snapshot] idle, silence (session: 10.000 s, queue: 2)")
  }

  private func stamped(_ event: PlayerEvent) -> StampedEvent {
    StampedEvent(run: 0, session: 0, stage: nil, event: event)
  }

  private func text(_ line: LogLine) -> String { "\(line.level) \(line.message)" }

  private func lines(
    from level: Logger.Level, _ commands: [(Double, [Command])], of library: TestLibrary? = nil
  ) async -> [String] {
    let record = RunRecord()
    let log = Logger(label: "test") { _ in RecordHandler(record: record, logLevel: level) }
    _ = await perform(session, library ?? self.library, doing: TimedCommands(commands), log: log)
    return record.lines
  }
}
