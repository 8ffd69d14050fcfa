import Schedule
import Testing

@testable import Player

@Suite struct PlayerStateMigrationTests {
  /// The name of each state in the older schema.
  private static let names = [
    "idle": "idle", "preparing": "preparing", "preparingCrossfade": "preparing", "playing": "playing",
    "crossfading": "playing", "paused": "paused", "crossfadePaused": "paused", "fadingOut": "fadingOut",
    "finished": "finished", "failed": "failed",
  ]

  @Test(arguments: PlayerState.Kind.allCases) func `each state has a name in both schemas`(kind: PlayerState.Kind) {
    #expect(StateSchema.simple.name(of: kind.rawValue) == Self.names[kind.rawValue])
    #expect(StateSchema.full.name(of: kind.rawValue) == kind.rawValue)
  }

  @Test(arguments: ExampleStates.all) func `a state event in the older schema has the older name and no crossfade`(
    row: ExampleStates.Named
  ) {
    let event = StampedEvent(run: 0, session: 0, stage: nil, event: .state(row.state, previous: "crossfadePaused"))
    let line = event.json(sequence: 1, schema: .simple)
    let name = Self.names[row.state.name] ?? ""
    #expect(
      line.contains(#""event":"state","schema":1,"state":"\#(name)""#) && line.hasSuffix(#","previous":"paused"}"#))
    #expect(!line.contains("progress") && !line.contains(#""to""#))
    #expect(event.isNews(in: .simple) == (name != "paused") && event.isNews(in: .full))
  }

  @Test func `a status in the older schema has the older state and no progress`() {
    let moment = PlayerMoment(run: 1, session: 1, state: "crossfading", progress: 0.47, track: "A", volume: 1)
    let status = PlayerStatus(title: "T", moment: moment)
    let older = status.json(.simple).description
    #expect(
      older.hasPrefix(#"{"v":1,"schema":1,"run":1.000"#) && older.contains(#""state":"playing","progress":null,"#))
    let full = status.json().description
    #expect(!full.contains("schema") && full.contains(#""state":"crossfading","progress":0.470,"#))
  }
}
