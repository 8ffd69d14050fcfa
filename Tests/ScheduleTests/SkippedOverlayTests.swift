import Signal
import TestSupport
import Testing

@testable import Schedule

/// Overlays of a stage that the listener has entered in its middle.
@Suite struct SkippedOverlayTests {
  /// The stage P, after a stage without overlays. Its overlay X is heard from second 15 on if the listener enters at
  /// second 12 or 14.
  private static func session(_ others: Programme.Overlay..., times: Programme.Times = .times(10)) -> Programme {
    var repeating = Programme.Overlay("X", 16_000, at: 40_000)
    (repeating.times, repeating.delay) = (times, 64_000)
    return programme([
      Programme.Stage("A", [], for: .frames(80_000)),
      Programme.Stage("P", [], for: .frames(1_600_000), overlays: [repeating] + others),
    ])
  }

  /// The session after the listener has entered P at frame 40,000, `second` seconds after its beginning, and after
  /// edits.
  private func entered(_ session: Programme, at second: Double, _ edits: (FrameTime, Edit)...) throws -> Schedule {
    var schedule = Schedule(session)
    for (frame, edit) in [(40_000, Edit.goto(stage: "P", at: second))] + edits {
      schedule.advance(to: frame, keeping: frame)
      schedule = try schedule.applying(edit, at: frame, keeping: frame)
    }
    return schedule
  }

  @Test func `an overlay that was stopped before it was heard cuts off no other`() throws {
    let other = Edit.overlay(
      OverlayRequest(cue: Cue(source: TestLibrary.source("W"), title: "W", gain: .unity)), length: 480_000)
    let schedule = try entered(Self.session(), at: 12, (48_000, .stopOverlays), (56_000, other))
    #expect(schedule.texts(from: 56_000).map { $0.suffix(12) } == ["56000-536000"])
  }

  @Test func `an overlay that is paused cuts off no other, and is replaced by it`() throws {
    let session = Self.session(Programme.Overlay("W", 480_000, at: 136_000))
    let paused = try entered(session, at: 12, (48_000, .pauseOverlays))
    #expect(paused.texts(from: 48_000) == ["W/2.1.0.0 80000-560000"])
    let resumed = try entered(session, at: 12, (48_000, .pauseOverlays), (64_000, .resumeOverlays))
    #expect(resumed.texts(from: 64_000).filter { $0.hasPrefix("X") } == [])
  }

  @Test func `an overlay that was to be replaced by a skipped one is not heard again`() throws {
    let session = Self.session(Programme.Overlay("Y", 480_000, at: 160_000), times: .forever)
    #expect(try entered(session, at: 30).texts(from: 40_000) == [])
    // Before the other one, it is heard as planned.
    #expect(try entered(session, at: 14).texts(from: 40_000) == ["X/2.0.0.1 48000-64000", "Y/2.1.0.0 88000-568000"])
  }
}
