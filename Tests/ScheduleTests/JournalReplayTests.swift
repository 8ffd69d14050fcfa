import Foundation
import Signal
import Sounds
import TestSupport
import Testing

@testable import Schedule

/// Replaying a journal applies its edits to a schedule, one after another.
@Suite struct JournalReplayTests {
  private static let oneTrack = programme([Programme.Stage("A", [track("0", 30_000)], for: .frames(30_000))])

  private static func entry(_ edit: Edit, at frame: FrameTime) -> Journal.Entry {
    Journal.Entry(.edit(edit, resuming: nil), at: frame)
  }

  @Test func `a replay gives the same schedule as applying the edits one by one, up to the journal's frame`() throws {
    let edits: [(FrameTime, Edit)] = [
      (10_000, .step(by: 1)), (12_000, .gong(Cue("bell"), length: 8_000)), (15_000, .playlist(.remove(at: 2))),
      (18_000, .seek(.to(5))), (90_000, .step(by: 1)),
    ]
    var schedule = Schedule(ScheduleEditTests.session)
    for (frame, edit) in edits.dropLast() { schedule = try schedule.applying(edit, at: frame, keeping: frame) }
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 20_000)
    for (frame, edit) in edits { journal.add(Self.entry(edit, at: frame)) }
    let read = try JSONDecoder().decode(Journal.self, from: JSONEncoder().encode(journal))
    let replayed = try #require(read.replayed(in: ScheduleEditTests.session))
    #expect(replayed.schedule.texts(from: 20_000) == schedule.texts(from: 20_000))
    #expect(replayed.schedule.texts(from: 20_000)[1] == "b/2.0.1 18000-58000 leave 42000-58000 ramp 18000-18160")
    #expect(replayed.journal.entries == Array(journal.entries.dropLast()) && replayed.journal.frame == 20_000)
  }

  @Test func `a session that was left paused, or with its music paused, resumes`() throws {
    for (pause, resume) in [(Edit.pause, Edit.resume(nil)), (.pauseMusic, .resumeMusic)] {
      var journal = Journal(stage: 0, start: 0, master: .unity, frame: 20_000)
      journal.add(Self.entry(pause, at: 10_000))
      let replayed = try #require(journal.replayed(in: Self.oneTrack))
      #expect(replayed.journal.entries.last == Self.entry(resume, at: 20_000))
      #expect(!replayed.schedule.isMusicPaused)
    }
  }

  @Test func `of the many volume changes of a slider, the last ones are kept`() {
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 0)
    for index in 0..<1_000 as Range<Int64> {
      journal.add(Journal.Entry(.volume(nil, Gain(linear: Float(index) / 1_000), over: 160), at: index * 200))
    }
    journal.add(Journal.Entry(.volume(.music, Gain(linear: 0.5), over: 160), at: 200_000))
    #expect(journal.entries.map(\.at) == [998 * 200, 999 * 200, 200_000])
  }

  @Test func `overlapping volume changes are bounded, too`() {
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 0)
    for index in 0..<1_000 as Range<Int64> {
      journal.add(Journal.Entry(.volume(nil, Gain(linear: Float(index) / 1_000), over: 16_000), at: index * 200))
    }
    #expect(journal.entries.map(\.at) == (992..<1_000).map { $0 * 200 })
  }

  @Test func `an overlay without an end is replayed`() throws {
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 20_000)
    journal.add(Self.entry(.overlay(OverlayRequest(cue: Cue("rain")), length: .endless), at: 10_000))
    let schedule = try #require(journal.replayed(in: Self.oneTrack)).schedule
    #expect(schedule.overlays(at: 20_000).playing == ["rain"])
  }

  @Test func `impossible entries are not replayed`() {
    let session = Self.oneTrack
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 8_000)
    #expect(journal.fits(session))
    journal.add(Journal.Entry(.edit(.jump(99), resuming: nil), at: 0))
    #expect(!journal.fits(session))
    let stages = programme([
      Programme.Stage("A", [], for: .frames(800)), Programme.Stage("B", [], for: .frames(80_000)),
    ])
    let slow = OverlayRequest(cue: Cue("bell"), fadeIn: 1e300)
    let (divided, negative) = (
      ResampledLength(frames: 10, source: 0, session: 8_000), ResampledLength(frames: -1, source: 8_000, session: 9_000)
    )
    var impossible = track("0", 10)
    impossible.resampled = negative
    let edits: [Edit] = [
      .overlay(OverlayRequest(cue: Cue("bell")), length: 10, resampled: divided), .playlist(.append([impossible])),
      .stage(by: .max), .step(by: .min), .jump(.max), .crossfade(seconds: 1e300, nil), .overlay(slow, length: 10),
      .overlay(OverlayRequest(cue: Cue("bell")), length: .max - 1), .repetition(.track, count: -1),
      .playlist(.append([track("0", .max - 1)])), .overlayRepetition(.times(2), delay: .infinity),
    ]
    for edit in edits {
      var journal = Journal(stage: 0, start: 0, master: .unity, frame: 8_000)
      journal.add(Journal.Entry(.edit(edit, resuming: nil), at: 1_000))
      #expect(!journal.fits(stages))
    }
    let extremes = [Int64.min, -1, 1 << 45, .max]
    for frame in extremes {
      let late = Journal.Entry(.edit(.pause, resuming: nil), at: frame)
      let long = Journal.Entry(.volume(nil, .unity, over: frame), at: 0)
      for entry in [late, long] {
        var journal = Journal(stage: 0, start: 0, master: .unity, frame: 8_000)
        journal.entries = [entry]
        #expect(journal.replayed(in: session) == nil, "\(entry)")
      }
      let (ending, starting) = (
        Journal(stage: 0, start: 0, master: .unity, frame: frame),
        Journal(stage: 0, start: frame, master: .unity, frame: frame)
      )
      #expect(ending.replayed(in: session) == nil && starting.replayed(in: session) == nil)
    }
  }

  @Test func `a requested volume overrides all volumes set before it`() throws {
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 24_000)
    journal.add(Journal.Entry(.volume(nil, Gain(linear: 0.5), over: 160), at: 8_000))
    let session = Self.oneTrack
    #expect(try #require(journal.replayed(in: session)).settings[nil].gain(at: 24_000) == 0.5)
    journal.setMaster(Gain(linear: 0.25))
    #expect(try #require(journal.replayed(in: session)).settings[nil].gain(at: 24_000) == 0.25)
  }

  @Test func `a journal names every sound that an edit added`() {
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 0)
    let edits: [Edit] = [
      .playlist(.replace([track("0", 100), track("1", 100)])), .playlist(.append([track("2", 100)])),
      .playlist(.insert([track("3", 100)], at: 0)), .playlist(.remove(at: 0)), .step(by: 1),
      .gong(Cue("4"), length: 100),
      .overlay(
        OverlayRequest(
          cue: Cue("voice"), fadeIn: 0, fadeOut: 0, curve: .linear, times: .forever, delay: 0, ducking: nil,
          isLayer: false), length: 100),
    ]
    for edit in edits { journal.add(Journal.Entry(.edit(edit, resuming: nil), at: 0)) }
    #expect(journal.sources == Set(["0", "1", "2", "3", "4", "voice"].map(TestLibrary.source)))
  }
}
