import Signal
import Testing

@testable import Player

/// What is decided in each phase of a session. The pauses are silent from frame 100 on, the fades end at frame 200.
@Suite struct PlaybackStateCoordinatorTests {
  private static let requests: [PlaybackStateCoordinator.Request] = [.pause, .resume, .change]
  enum Start: CaseIterable { case playing, paused, closing, stopping, stoppingInPause, over }

  private func coordinator(_ start: Start, isLive: Bool = true) -> PlaybackStateCoordinator {
    var coordinator = PlaybackStateCoordinator(isLive: isLive)
    switch start {
    case .playing: break
    case .paused: coordinator.pause(at: 100)
    case .closing:
      coordinator.stop(as: .stopped)
      coordinator.close(at: 200)
    case .stopping: coordinator.stop(as: .terminated)
    case .stoppingInPause:
      coordinator.pause(at: 100)
      coordinator.stop(as: .stopped)
    case .over: coordinator.end()
    }
    return coordinator
  }

  @Test(arguments: [
    (Start.playing, [true, false, true]), (.paused, [false, true, true]),
  ])
  func `a pause and a resume change a session once, and a change is always possible`(start: Start, expected: [Bool])
    throws
  {
    let coordinator = coordinator(start)
    #expect(try Self.requests.map { try coordinator.hasEffect($0) } == expected)
  }

  @Test(arguments: [
    (Start.closing, PlaybackStateCoordinator.Refusal.isEnding), (.stopping, .isEnding), (.stoppingInPause, .isEnding),
    (.over, .isOver),
  ])
  func `a session that ends refuses everything but an earlier end`(
    start: Start, refusal: PlaybackStateCoordinator.Refusal
  ) {
    for request in Self.requests {
      #expect(throws: refusal) { try coordinator(start).hasEffect(request) }
    }
    #expect(throws: refusal) { try coordinator(start).finish(over: 50, isHeard: true, at: 150) }
  }

  @Test(arguments: [
    (Start.playing, true, FrameTime(90), PlaybackStateCoordinator.Ending.fadeOut(over: 50)),
    (.paused, true, 99, .inPause(at: 100)), (.paused, true, 100, .unheard), (.paused, false, 100, .inPause(at: 100)),
    (.closing, true, 149, .fadeOut(over: 50)),
  ])
  func `a command ends a session with a fade, or at the silence of a pause`(
    start: Start, isLive: Bool, heard: FrameTime, ending: PlaybackStateCoordinator.Ending
  ) throws {
    #expect(try coordinator(start, isLive: isLive).finish(over: 50, isHeard: true, at: heard) == ending)
  }

  @Test(arguments: Start.allCases)
  func `a session that is not heard ends without a fade`(start: Start) throws {
    if start == .over {
      #expect(throws: PlaybackStateCoordinator.Refusal.isOver) {
        try coordinator(start).finish(over: 50, isHeard: false, at: 90)
      }
    } else {
      #expect(try coordinator(start).finish(over: 50, isHeard: false, at: 90) == .unheard)
    }
  }

  @Test(arguments: [
    (Start.playing, false, PlaybackStateCoordinator.Ending?.some(.fadeOut(over: 50))), (.playing, true, .now),
    (.paused, false, .inPause(at: 100)), (.paused, true, .now), (.closing, false, .now), (.stopping, false, .now),
    (.stoppingInPause, false, .now), (.over, false, nil), (.over, true, nil),
  ])
  func `a signal ends a session with a fade, unless the output or an earlier request already fades`(
    start: Start, isFading: Bool, ending: PlaybackStateCoordinator.Ending?
  ) {
    #expect(coordinator(start).interrupt(over: 50, isFading: isFading, at: 90) == ending)
  }

  @Test func `the reason of an early end and the pause in which it happens are kept`() {
    var coordinator = coordinator(.stoppingInPause)
    #expect(coordinator.pausedAt == 100 && coordinator.ending == .stopped && coordinator.closing == nil)
    coordinator.end()
    #expect(coordinator.phase == .over(.stopped, pausedAt: 100))
    coordinator = self.coordinator(.paused)
    coordinator.close(at: 100)
    #expect(coordinator.phase == .closing(at: 100, .stopped) && coordinator.pausedAt == nil)
    coordinator.stop(as: .interrupted)
    coordinator.end()
    #expect(coordinator.ending == .interrupted)
  }
}
