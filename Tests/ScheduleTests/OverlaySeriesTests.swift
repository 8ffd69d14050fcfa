import Signal
import TestSupport
import Testing

@testable import Schedule

/// Overlays of several sounds. A clip that is cut fades out over a ramp of 160 frames.
@Suite struct OverlaySeriesTests {
  /// Sounds of 4,000, 6,000 and 2,000 frames from frame 1,000 on.
  private static func series(
    every interval: Double? = nil, gap: Double = 0, times: Programme.Times = .times(3),
    _ change: (inout Programme.Overlay) -> Void = { _ in }
  ) -> Programme.Overlay {
    var series = Programme.Overlay("a", 4_000, at: 1_000)
    series.following = [Programme.Sound("b", 6_000), Programme.Sound("c", 2_000)]
    (series.interval, series.delay, series.times) = (interval, gap, times)
    change(&series)
    return series
  }

  private static func session(_ overlays: Programme.Overlay..., length: Double = 80_000) -> Programme {
    programme([
      Programme.Stage("A", [], for: .frames(length), overlays: overlays),
      Programme.Stage("B", [], for: .frames(80_000)),
    ])
  }

  private static func texts(_ overlay: Programme.Overlay, length: Double = 80_000) -> [String] {
    Schedule(session(overlay, length: length)).texts(from: 0)
  }

  private static func schedule(_ session: Programme, _ edits: (FrameTime, Edit)...) throws -> Schedule {
    var schedule = Schedule(session)
    for (frame, edit) in edits {
      schedule.advance(to: frame, keeping: frame)
      schedule = try schedule.applying(edit, at: frame, keeping: frame)
    }
    return schedule
  }

  @Test func `the sounds begin at an interval that never drifts, and a longer one is replaced by the next`() {
    let expected = [
      "a/1.0.0.0 1000-5000", "b/1.0.0.1 6001-11161 leave 11001-11161", "c/1.0.0.2 11001-13001",
    ]
    #expect(Self.texts(Self.series(every: 5_000.5)) == expected)
    let fading = Self.series(every: 5_000.5) {
      ($0.fadeIn, $0.fadeOut) = (FadeShape(length: 300, curve: .linear), FadeShape(length: 700, curve: .linear))
    }
    #expect(
      Self.texts(fading) == [
        "a/1.0.0.0 1000-5000 in 1000-1300 out 4300-5000",
        "b/1.0.0.1 6001-11701 in 6001-6301 out 11301-12001 leave 11001-11701",
        "c/1.0.0.2 11001-13001 in 11001-11301 out 12301-13001",
      ])
    let layer = Self.series(every: 5_000.5) { $0.isLayer = true }
    #expect(Self.texts(layer) == ["a/1.0.0.0 1000-5000", "b/1.0.0.1 6001-12001", "c/1.0.0.2 11001-13001"])
  }

  @Test func `the sounds follow each other with a gap, and go round the list`() {
    let begins = { (overlay: Programme.Overlay) in Self.texts(overlay).compactMap { $0.split(separator: " ").last } }
    #expect(begins(Self.series()) == ["1000-5000", "5000-11000", "11000-13000"])
    let five = Self.series(gap: 1_000, times: .times(5))
    #expect(begins(five) == ["1000-5000", "6000-12000", "13000-15000", "16000-20000", "21000-27000"])
    #expect(begins(Self.series(times: .times(2))) == ["1000-5000", "5000-11000"])
  }

  @Test func `a single sound can begin at an interval, until its stage ends`() {
    var single = Programme.Overlay("a", 4_000, at: 1_000)
    (single.interval, single.times) = (20_000, .forever)
    #expect(
      Self.texts(single, length: 61_000) == ["a/1.0.0.0 1000-5000", "a/1.0.0.1 21000-25000", "a/1.0.0.2 41000-45000"])
  }

  @Test func `a pause concerns the whole series, and what fades out ends`() throws {
    let session = Self.session(Self.series(every: 5_000))
    let within = try Self.schedule(session, (7_000, .pauseOverlays), (9_000, .resumeOverlays))
    #expect(
      within.texts(from: 7_001) == [
        "b/1.0.0.1 6000-7160 leave 7000-7160", "b/1.0.0.1+1 9000-13160 leave 13000-13160 ramp 9000-9160",
        "c/1.0.0.2 13000-15000",
      ])
    let during = try Self.schedule(session, (11_050, .pauseOverlays), (20_000, .resumeOverlays))
    #expect(
      during.texts(from: 11_051) == [
        "b/1.0.0.1 6000-11160 leave 11000-11160", "c/1.0.0.2 11000-11210 leave 11050-11210",
        "c/1.0.0.2+1 20000-21950 ramp 20000-20160",
      ])
    let between = try Self.schedule(session, (5_500, .pauseOverlays), (7_500, .resumeOverlays))
    #expect(
      between.texts(from: 5_501) == ["b/1.0.0.1 8000-13160 leave 13000-13160", "c/1.0.0.2 13000-15000"])
  }

  @Test func `a pause splits each sound of a layer, in the order in which they sound`() throws {
    let session = Self.session(Self.series(every: 2_000) { $0.isLayer = true })
    let paused = try Self.schedule(session, (4_500, .pauseOverlays), (10_000, .resumeOverlays))
    #expect(
      paused.texts(from: 4_501) == [
        "a/1.0.0.0 1000-4660 leave 4500-4660", "b/1.0.0.1 3000-4660 leave 4500-4660",
        "a/1.0.0.0+1 10000-10500 ramp 10000-10160", "b/1.0.0.1+1 10000-14500 ramp 10000-10160",
        "c/1.0.0.2 10500-12500",
      ])
    #expect(paused.end == 160_000)
  }

  @Test func `a stop, a skipped stage and another overlay end the series`() throws {
    let session = Self.session(Self.series(every: 5_000))
    let stopped = try Self.schedule(session, (7_000, .stopOverlays))
    #expect(stopped.texts(from: 7_001) == ["b/1.0.0.1 6000-7160 leave 7000-7160"])
    let next = try Self.schedule(session, (7_000, .stage(by: 1)))
    #expect(next.texts(from: 7_001) == ["b/1.0.0.1 6000-7160 leave 7000-7160"])
    let voice = Programme.Overlay("voice", 3_000, at: 7_000)
    #expect(
      Schedule(Self.session(Self.series(every: 5_000), voice)).texts(from: 5_001) == [
        "b/1.0.0.1 6000-7160 leave 7000-7160", "voice/1.1.0.0 7000-10000",
      ])
  }

  @Test func `the listener who goes into a stage hears the sounds that begin there`() throws {
    let session = Self.session(Self.series(every: 5_000))
    // Frame 10,500 of the stage is frame 20,000 of the session, so the stage begins at 9,500.
    let entered = try Self.schedule(session, (20_000, .goto(stage: "A", at: 10_500 / 8_000.0)))
    #expect(entered.texts(from: 20_001) == ["c/2.0.0.2 20500-22500"])
  }

  @Test func `an extended stage goes on with its series, as if it were planned with that length`() throws {
    for overlay in [Self.series(every: 5_000.25, times: .forever), Self.series(gap: 700, times: .forever)] {
      let edited = try Self.schedule(Self.session(overlay), (40_000, .extend(by: 5)))
      var planned = Schedule(Self.session(overlay, length: 120_000))
      planned.advance(to: 40_000, keeping: 40_000)
      #expect(edited.texts(from: 40_000) == planned.texts(from: 40_000))
      #expect(17 < Schedule(Self.session(overlay, length: 120_000)).texts(from: 0).count)
    }
  }

  @Test func `a series of the session goes on in the next stage`() throws {
    var session = Self.session(length: 8_000)
    session.overlays = [Self.series(every: 5_000)]
    #expect(
      Schedule(session).texts(from: 0) == [
        "a/0.0.0.0 1000-5000", "b/0.0.0.1 6000-11160 leave 11000-11160", "c/0.0.0.2 11000-13000",
      ])
    let skipped = try Self.schedule(session, (7_000, .stage(by: 1)))
    #expect(
      skipped.texts(from: 7_001) == ["b/0.0.0.1 6000-11160 leave 11000-11160", "c/0.0.0.2 11000-13000"])
  }

  @Test func `a change of the repeats counts the sounds from the current one on`() throws {
    let session = Self.session(Self.series(every: 5_000))
    let changed = try Self.schedule(session, (7_000, .overlayRepetition(.times(3), delay: 1)))
    #expect(
      changed.texts(from: 7_001) == ["b/1.0.0.1 6000-12000", "c/1.0.0.2 20000-22000", "a/1.0.0.3 30000-34000"])
  }

  @Test func `a layer that is longer than those after it decides when the session ends`() {
    let series = Self.series(every: 1_000) { $0.isLayer = true }
    var session = programme([Programme.Stage("A", [], for: .frames(2_000))])
    session.overlays = [series]
    #expect(Schedule(session).end == 8_000)
  }
}
