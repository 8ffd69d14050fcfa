import Signal
import TestSupport
import Testing

@testable import Schedule

/// Edits of the music and of its pauses at moments that few sessions reach: while a crossfade between stages is paused,
/// while the music is paused separately, and after tracks that can't be played.
@Suite struct MusicEditTests {
  private static let linear = FadeShape(length: 16_000, curve: .linear)

  /// The schedule after some edits, each at its frame.
  private func edited(_ edits: (FrameTime, Edit)..., in session: Programme) throws -> Schedule {
    var schedule = Schedule(session)
    for (frame, edit) in edits { schedule = try schedule.applying(edit, at: frame, keeping: frame) }
    return schedule
  }

  private func titles(_ schedule: Schedule, from frame: FrameTime) -> [String] {
    schedule.clips(from: frame).prefix(20).map(\.title)
  }

  @Test func `the tracks of the outgoing stage follow each other in a crossfade that was paused`() throws {
    let stages = [
      Programme.Stage("A", [track("a", 8_000)], for: .frames(38_000), repetition: .playlist),
      Programme.Stage("B", [track("b", 80_000)], crossfade: FadeShape(length: 4_000, curve: .linear)),
    ]
    let session = programme(stages)
    let resumed = try edited((38_400, .pause), (38_560, .resume(.continueFromProgress)), in: session)
    #expect(resumed.texts(from: 38_560).contains("a/0.5.0 40000-42000 leave 38000-42000"))
    #expect(resumed.texts(from: 38_560) == Schedule(session).texts(from: 38_560))
  }

  @Test func `the tracks of the outgoing stage follow each other in a crossfade that is finished quickly`() throws {
    let stages = [
      Programme.Stage("A", [track("a", 40_000), track("b", 1_000), track("c", 40_000)], for: .frames(38_000)),
      Programme.Stage("B", [track("d", 80_000)], crossfade: Self.linear),
    ]
    let resumed = try edited((38_840, .pause), (39_000, .resume(.quickFinish)), in: programme(stages))
    #expect(
      resumed.texts(from: 39_000) == [
        "a/0.0.0 0-40000 leave 38467-47000", "d/0.0.0 38000-118000 in 38467-47000",
        "b/0.1.1 40000-41000 leave 38467-47000", "c/0.2.2 41000-47000 leave 38467-47000",
      ])
  }
}
