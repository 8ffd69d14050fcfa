@testable import Player
import Schedule
import Testing

@Suite struct PlaybackStateCoordinatorTests {
  @Test func `the state is idle at first and follows allowed transitions`() {
    var coordinator = PlaybackStateCoordinator()
    #expect(coordinator.state == .idle)
    #expect(coordinator.apply(.preparing(track: ExampleStates.a)) == .success(.preparing(track: ExampleStates.a)))
    coordinator.apply(.playing(track: ExampleStates.a))
    #expect(coordinator.state == .playing(track: ExampleStates.a))
  }

  @Test func `a refused transition changes nothing and reports the reason`() {
    var coordinator = PlaybackStateCoordinator()
    let why = RefusedTransition.notAllowed(from: .idle, to: .playing(track: ExampleStates.a))
    #expect(coordinator.apply(.playing(track: ExampleStates.a)) == .failure(why))
    #expect(coordinator.state == .idle && coordinator.takeChange() == nil)
    #expect("\(why)" == "'idle' can't become 'playing ('Dawn')'")
  }

  @Test func `an invalid state is refused`() {
    var coordinator = PlaybackStateCoordinator(.playing(track: ExampleStates.a))
    let broken = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 2)
    #expect(coordinator.apply(broken) == .failure(.invalid(broken, .progress(2))))
    #expect(coordinator.state == .playing(track: ExampleStates.a))
  }

  @Test func `the same state again is not a change`() {
    var coordinator = PlaybackStateCoordinator(.playing(track: ExampleStates.a))
    #expect(coordinator.apply(.playing(track: ExampleStates.a)) == .success(.playing(track: ExampleStates.a)))
    #expect(coordinator.takeChange() == nil)
  }

  @Test func `small steps of progress are not reported until they add up`() {
    var coordinator = PlaybackStateCoordinator(.playing(track: ExampleStates.a))
    var reported: [Double] = []
    for step in 0...20 {
      coordinator.apply(.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: Double(step) / 250))
      if let change = coordinator.takeChange() { reported.append(change.state.progress ?? -1) }
    }
    #expect(reported == [0, 0.012, 0.024, 0.036, 0.048, 0.06, 0.072])
  }

  @Test func `each step of progress is reported on request`() {
    var coordinator = PlaybackStateCoordinator(.playing(track: ExampleStates.a))
    for step in 0...20 {
      coordinator.apply(.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: Double(step) / 250))
      #expect(coordinator.takeChange(evenIfNear: true) != nil)
      #expect(coordinator.takeChange(evenIfNear: true) == nil)
    }
  }

  @Test func `late progress does not undo a pause`() {
    let crossfading = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.47)
    var coordinator = PlaybackStateCoordinator(crossfading)
    let paused = ExampleStates.paused(progress: 0.47, .continueFromProgress)
    coordinator.apply(paused)
    let late = coordinator.apply(.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.46))
    #expect(
      late
        == .failure(
          .notAllowed(from: paused, to: .crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.46))))
    #expect(coordinator.state == paused)
  }
}
