@testable import Player
import Schedule
import Testing

@Suite struct PlayerStateMachineTests {
  @Test func `the state is idle at first and follows allowed transitions`() {
    var machine = PlayerStateMachine()
    #expect(machine.state == .idle)
    #expect(machine.apply(.preparing(track: ExampleStates.a)) == nil)
    machine.apply(.playing(track: ExampleStates.a))
    #expect(machine.state == .playing(track: ExampleStates.a))
  }

  @Test func `a refused transition changes nothing and reports the reason`() {
    var machine = PlayerStateMachine()
    let why = RefusedTransition.notAllowed(from: .idle, to: .playing(track: ExampleStates.a))
    #expect(machine.apply(.playing(track: ExampleStates.a)) == why)
    #expect(machine.state == .idle && machine.takeChange() == nil)
    #expect("\(why)" == "'idle' can't become 'playing ('Dawn')'")
  }

  @Test func `an invalid state is refused`() {
    var machine = PlayerStateMachine(.playing(track: ExampleStates.a))
    let broken = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 2)
    #expect(machine.apply(broken) == .invalid(broken, .progress(2)))
    #expect(machine.state == .playing(track: ExampleStates.a))
  }

  @Test func `intermediate states lead to a valid state only`() {
    let crossfade = ExampleStates.paused(progress: 0.47, .continueFromProgress)
    var machine = PlayerStateMachine(crossfade)
    let broken = PlayerState.paused(track: ExampleStates.a, position: -1)
    #expect(machine.reach(broken) == .invalid(broken, .position(-1)))
    #expect(machine.state == crossfade)
    let paused = PlayerState.paused(track: ExampleStates.a, position: 1)
    #expect(machine.reach(paused) == nil)
    #expect(machine.state == paused)
  }

  @Test func `the same state again is not a change`() {
    var machine = PlayerStateMachine(.playing(track: ExampleStates.a))
    #expect(machine.apply(.playing(track: ExampleStates.a)) == nil)
    #expect(machine.takeChange() == nil)
  }

  @Test func `small steps of progress are not reported until they add up`() {
    var machine = PlayerStateMachine(.playing(track: ExampleStates.a))
    var reported: [Double] = []
    for step in 0...20 {
      machine.apply(.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: Double(step) / 250))
      if machine.takeChange() != nil { reported.append(machine.state.progress ?? -1) }
    }
    #expect(reported == [0, 0.012, 0.024, 0.036, 0.048, 0.06, 0.072])
  }

  @Test func `each step of progress is reported on request`() {
    var machine = PlayerStateMachine(.playing(track: ExampleStates.a))
    for step in 0...20 {
      machine.apply(.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: Double(step) / 250))
      #expect(machine.takeChange(evenIfNear: true) != nil)
      #expect(machine.takeChange(evenIfNear: true) == nil)
    }
  }

  @Test func `late progress does not undo a pause`() {
    let crossfading = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.47)
    var machine = PlayerStateMachine(crossfading)
    let paused = ExampleStates.paused(progress: 0.47, .continueFromProgress)
    machine.apply(paused)
    let late = machine.apply(.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.46))
    #expect(
      late == .notAllowed(from: paused, to: .crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.46)))
    #expect(machine.state == paused)
  }
}
