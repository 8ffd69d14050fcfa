import Schedule
import Testing

@testable import Player
@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

private func runner(_ text: String) throws -> ScriptRunner {
  let reader = ScriptReader(scope: CommandReaderTests.scope, catalogue: catalogue)
  return ScriptRunner(try #require(reader.read(text: text, path: "s", folder: "/").script))
}

private func moment(_ run: Double, _ state: String = "playing", progress: Double? = nil) -> PlayerMoment {
  PlayerMoment(run: run, session: run, state: state, progress: progress, stage: "Arrive", track: "rain", trackIndex: 0)
}

private func event(_ event: PlayerEvent) -> StampedEvent { StampedEvent(run: 0, session: 0, event: event) }

struct ScriptRunnerTests {
  @Test func `each line runs at its time, in the order of the times`() throws {
    var script = try runner(
      """
      {"at":20,"do":"next"}
      {"at":10,"do":"pause"}
      {"at":10,"do":"resume"}
      """)
    #expect(script.wake == .at(CommandSourceTime(run: 10)))
    #expect(script.dueCommands(at: moment(9.99)) == [])
    #expect(script.dueCommands(at: moment(10)) == [.pause, .resume])
    script.settle([.done, .done], at: moment(10))
    #expect(script.wake == .at(CommandSourceTime(run: 20)))
    #expect(script.dueCommands(at: moment(20.5)) == [.next])
    script.settle([.done], at: moment(20.5))
    #expect(script.wake == .never)
  }

  @Test(arguments: [
    ("", true), (#"{"at":11,"do":"next"}"#, true), (#"{"at":10,"do":"next"}"#, false),
    (#"{"after":1,"do":"next"}"#, true), (#"{"after":0,"do":"next"}"#, false),
    (#"{"after":0,"expect":{"index":0}}"#, true), (#"{"when":{"index":0},"do":"next"}"#, false),
    (#"{"after":0,"expect":{"index":0}}\#n{"after":0,"do":"next"}"#, false),
    (#"{"after":0,"expect":{"index":0}}\#n{"after":1,"do":"next"}"#, true),
  ])
  func `the player is asked for a check only if no command and no condition can follow at the same time`(
    following: String, isCheck: Bool
  ) throws {
    let script = try runner(#"{"at":10,"expect":{"state":"paused"}}"# + "\n" + following)
    #expect(script.wake == .at(CommandSourceTime(run: 10, isCheck: isCheck)))
  }

  @Test func `'after' counts from the time of a check, not from the later frame of the check`() throws {
    var script = try runner(
      """
      {"at":10,"expect":{"state":"playing"}}
      {"after":1,"do":"next"}
      """)
    #expect(script.dueCommands(at: moment(10.02)) == [])
    #expect(script.wake == .at(CommandSourceTime(run: 11)))
  }

  @Test func `'after' counts from the outcome for which the expectation before it has waited`() throws {
    var script = try runner(
      """
      {"at":10,"do":"next"}
      {"at":10,"expect":{"outcome":"done"}}
      {"after":5,"do":"pause"}
      """)
    #expect(script.dueCommands(at: moment(10)) == [.next])
    script.settle([.done], at: moment(16))
    #expect(script.wake == .at(CommandSourceTime(run: 21)) && script.failures.isEmpty)
  }

  @Test func `'after' counts from the execution of the line before`() throws {
    var script = try runner(
      """
      {"at":10,"do":"pause"}
      {"after":"6m","do":"resume"}
      """)
    _ = script.dueCommands(at: moment(10))
    #expect(script.wake == .never)
    script.settle([.done], at: moment(10.5))
    #expect(script.wake == .at(CommandSourceTime(run: 370.5)))
    #expect(script.dueCommands(at: moment(370.5)) == [.resume])
  }

  @Test func `'when' waits for the line before, and for the progress`() throws {
    var script = try runner(
      """
      {"at":10,"do":"next"}
      {"when":{"state":"crossfading","progress":0.47},"do":"pause"}
      {"at":11,"do":"metrics"}
      """)
    #expect(script.dueCommands(at: moment(5, "crossfading", progress: 0.9)) == [])
    #expect(script.wake == .at(CommandSourceTime(run: 10)))
    _ = script.dueCommands(at: moment(10))
    script.settle([.done], at: moment(10))
    #expect(script.wake == .watching(until: CommandSourceTime(run: 11)))
    #expect(script.dueCommands(at: moment(10.4, "crossfading", progress: 0.46)) == [])
    #expect(script.dueCommands(at: moment(10.5, "playing", progress: 0.5)) == [])
    #expect(script.dueCommands(at: moment(10.47, "crossfading", progress: 0.47)) == [.pause])
    #expect(script.wake == .at(CommandSourceTime(run: 11)))
  }

  @Test func `a session time is not checked before it can have been reached`() throws {
    var script = try runner(#"{"when":{"session":60},"do":"pause"}"#)
    #expect(script.wake == .watching(until: nil))
    #expect(script.dueCommands(at: moment(0)) == [] && script.wake == .at(CommandSourceTime(run: 60)))
    // The session was paused for a while.
    var late = moment(60)
    late.session = 40
    #expect(script.dueCommands(at: late) == [] && script.wake == .at(CommandSourceTime(run: 80)))
    late.session = 59.995
    #expect(script.dueCommands(at: late) == [] && script.wake == .watching(until: nil))
    late.session = 59.999_9
    #expect(script.dueCommands(at: late) == [.pause])
  }

  @Test func `an expectation about an event is compared with the event's own time`() throws {
    var script = try runner(
      """
      {"when":{"event":"gong","title":"bowl"},"expect":{"session":5,"position":4}}
      {"when":{"event":"gong","count":2},"expect":{"session":7.5}}
      """)
    var now = moment(5.01)
    now.position = 4.012
    script.note(StampedEvent(run: 4.9, session: 4.9, event: .gong(title: "bell")))
    #expect(script.dueCommands(at: now) == [] && script.wake == .watching(until: nil))
    script.note(StampedEvent(run: 5.003, session: 5, event: .gong(title: "bowl")))
    now.session = 5.012
    #expect(script.dueCommands(at: now) == [] && script.failures == [])
    script.note(StampedEvent(run: 6, session: 6, event: .gong(title: "bell")))
    script.note(StampedEvent(run: 7.54, session: 7.54, event: .gong(title: "bell")))
    _ = script.dueCommands(at: moment(7.55))
    #expect(
      script.failures.map(\.description) == [
        "s:2:1: expected session 7.500 within 0.010, found 7.540 (at run 7.540 s, session 7.540 s)"
      ])
    #expect(script.wake == .never)
  }

  @Test func `events with a title are counted separately`() throws {
    var script = try runner(#"{"at":"end","expect":{"event":"gong","title":"bowl","count":1}}"#)
    for title in ["bowl", "bell", "bowl"] { script.note(event(.gong(title: title))) }
    script.note(StampedEvent(run: 1, session: 1, event: .command(name: "next", id: "op-0001", .accepted)))
    script.end(at: moment(9))
    let found = "expected event gong of 'bowl' 1 times, found 2"
    #expect(script.failures.map(\.description) == ["s:1:1: \(found) (at run 9.000 s, session 9.000 s)"])
  }

  @Test func `for 'when', events count from when it is watched, and for 'expect' from the start`() throws {
    var script = try runner(
      """
      {"when":{"event":"gong"},"do":"next"}
      {"when":{"event":"gong","count":2},"do":"pause"}
      {"at":"end","expect":{"event":"gong","count":3}}
      """)
    #expect(script.dueCommands(at: moment(1)) == [])
    script.note(event(.gong(title: "bowl")))
    #expect(script.dueCommands(at: moment(2)) == [.next])
    script.settle([.done], at: moment(2))
    script.note(event(.gong(title: "bowl")))
    #expect(script.dueCommands(at: moment(3)) == [])
    script.note(event(.gong(title: "bowl")))
    #expect(script.dueCommands(at: moment(4)) == [.pause])
    script.settle([.done], at: moment(4))
    script.end(at: moment(5, "finished"))
    #expect(script.failures == [] && script.warnings == [])
  }

  @Test func `an expectation after a command at the same time is checked when the command has its outcome`() throws {
    var script = try runner(
      """
      {"at":10,"do":"pause"}
      {"at":10,"expect":{"state":"paused","outcome":"done"}}
      {"at":10.5,"expect":{"state":"paused"}}
      """)
    #expect(script.dueCommands(at: moment(10)) == [.pause])
    #expect(script.failures == [])
    #expect(script.wake == .at(CommandSourceTime(run: 10.5, isCheck: true)))
    script.settle([.done], at: moment(10.02, "paused"))
    #expect(script.failures == [])
    _ = script.dueCommands(at: moment(10.5, "paused"))
    #expect(script.failures == [] && script.wake == .never)
  }

  @Test func `failed expectations report position, expected and found values, and the others are still checked`() throws
  {
    var script = try runner(
      """
      {"at":1,"expect":{"state":"paused","index":1}}
      {"at":2,"expect":{"progress":0.5,"within":0.02}}
      {"at":3,"expect":{"track":"rain","stage":"Arrive","session":3.005}}
      {"at":4,"expect":{"event":"underrun"}}
      {"at":"end","expect":{"state":"finished"}}
      """)
    for time in [1.0, 2, 3, 4] { _ = script.dueCommands(at: moment(time, "crossfading", progress: 0.53)) }
    script.end(at: moment(5))
    #expect(
      script.failures.map(\.description) == [
        "s:1:1: expected state paused, found crossfading; expected index 1, found 0 (at run 1.000 s, session 1.000 s)",
        "s:2:1: expected progress 0.500 within 0.020, found 0.530 (at run 2.000 s, session 2.000 s)",
        "s:4:1: expected event underrun at least once, found 0 (at run 4.000 s, session 4.000 s)",
        "s:5:1: expected state finished, found playing (at run 5.000 s, session 5.000 s)",
      ])
  }

  @Test func `a failure names what came instead of the event, and why the command was not executed`() throws {
    var script = try runner(
      """
      {"at":1,"do":"next"}
      {"at":2,"expect":{"outcome":"done"}}
      {"at":"end","expect":{"event":"gong","title":"bowl"}}
      {"at":"end","expect":{"event":"crossfade.completed"}}
      {"at":"end","expect":{"event":"underrun"}}
      """)
    for title in ["bell", "chime", "bell"] { script.note(event(.gong(title: title))) }
    script.note(event(.crossfadeCancelled))
    _ = script.dueCommands(at: moment(1))
    script.settle([.rejected(.edit(.noNextTrack))], at: moment(1))
    _ = script.dueCommands(at: moment(2))
    script.end(at: moment(5))
    let end = "(at run 5.000 s, session 5.000 s)"
    #expect(
      script.failures.map(\.description) == [
        "s:2:1: expected outcome done, found rejected: there is no next track or stage; 'finish' ends the session "
          + "(at run 2.000 s, session 2.000 s)",
        "s:3:1: expected event gong of 'bowl' at least once, found 0, but gong of 'bell', 'chime' \(end)",
        "s:4:1: expected event crossfade.completed at least once, found 0, but crossfade.cancelled 1 time \(end)",
        "s:5:1: expected event underrun at least once, found 0 \(end)",
      ])
  }

  @Test(
    arguments: [
      (
        #"{"when":{"state":"paused"},"do":"next"}"#,
        ", before what begins at this time, because the 'when' of the next line counts from here"
      ),
      (#"{"after":0,"do":"next"}"#, ", before what begins at this time, because a command can be due at the same time"),
      (#"{"after":1,"do":"next"}"#, ""),
    ])
  func `a failed expectation says that it does not include what begins at its time`(
    following: String, addition: String
  ) throws {
    var script = try runner(#"{"at":10,"expect":{"stage":"Practice"}}"# + "\n" + following)
    _ = script.dueCommands(at: moment(10))
    #expect(
      script.failures.map(\.description) == [
        "s:1:1: expected stage Practice, found Arrive (at run 10.000 s, session 10.000 s\(addition))"
      ])
  }

  @Test func `lines that are never reached are reported, expectations as failures and commands as warnings`() throws {
    var script = try runner(
      """
      {"at":1,"do":"pause"}
      {"when":{"state":"fadingOut"},"do":"next"}
      {"after":1,"expect":{"state":"playing"}}
      {"at":60,"expect":{"state":"playing"}}
      """)
    _ = script.dueCommands(at: moment(1))
    script.settle([.done], at: moment(1))
    script.end(at: moment(5))
    #expect(
      script.warnings == [
        "s:2:1: this command was never reached: the session ended at run 5.000 s, before its condition held"
      ])
    #expect(
      script.failures.map(\.description) == [
        "s:3:1: this expectation was never reached: the session ended at run 5.000 s, before the previous line was executed",
        "s:4:1: this expectation was never reached: the session ended at run 5.000 s",
      ])
  }

  @Test func `the end of a script without expectations reports nothing`() throws {
    var script = try runner(#"{"at":1,"do":"next"}"#)
    _ = script.dueCommands(at: moment(1))
    script.end(at: moment(2))
    #expect(script.failures == [] && script.warnings == [] && script.wake == .never)
  }

  @Test func `a script may have ten thousand lines`() throws {
    let lines = (0..<10_000).map { #"{"at":\#(Double($0) / 100),"do":"next"}"# }.joined(separator: "\n")
    var script = try runner(lines)
    var given = 0
    for step in 0..<100 { given += script.dueCommands(at: moment(Double(step))).count }
    #expect(given == 9_901)
  }
}
