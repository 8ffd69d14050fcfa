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
    var machine = PlayerStateMachine(.finished)
    let why = RefusedTransition.notAllowed(from: .finished, to: .playing(track: ExampleStates.a))
    #expect(machine.apply(.playing(track: ExampleStates.a)) == why)
    #expect(machine.state == .finished)
    #expect(machine.takeChange() == nil)
    #expect("\(why)" == "'finished' can't become 'playing ('Dawn')'")
  }

  @Test func `an invalid state is refused`() {
    var machine = PlayerStateMachine(.playing(track: ExampleStates.a))
    let broken = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 2)
    #expect(machine.apply(broken) == .invalid(broken, .progress(2)))
    #expect(machine.state == .playing(track: ExampleStates.a))
  }

  @Test func `a paused crossfade becomes only a valid pause of one track`() {
    let crossfade = ExampleStates.paused(progress: 0.47, .continueFromProgress)
    var machine = PlayerStateMachine(crossfade)
    let broken = PlayerState.paused(track: ExampleStates.a, position: -1)
    #expect(machine.apply(broken) == .invalid(broken, .position(-1)))
    #expect(machine.state == crossfade)
    let paused = PlayerState.paused(track: ExampleStates.a, position: 1)
    #expect(machine.apply(paused) == nil)
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
}
