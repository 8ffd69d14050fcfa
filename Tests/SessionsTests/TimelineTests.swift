import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct TimelineTests {
  @Test func `a stage of natural length ends earlier by the crossfade into the next stage`() throws {
    let timeline = try compile(session([stage("A", .natural, ["ten"]), stage("B", .natural, ["two"], crossfade: 1)]))
    #expect(timeline.stages.map(\.begin) == [0, ms(9000)])
    #expect(
      timeline.stages[0].music.ending == MusicEnding(.crossfade, .falling(at: ms(9000), over: ms(1000), .equalPower)))
    #expect(timeline.stages[1].music.openingFade.length == ms(1000))
    #expect(timeline.stages[1].music.ending == nil)
    #expect(timeline.end == ms(11_000))
  }

  @Test func `a stage with a duration ends on time and is cut without a click`() throws {
    let timeline = try compile(session([stage("A", .seconds(5), ["ten"]), stage("B", .seconds(2))]))
    #expect(timeline.stages.map(\.begin) == [0, ms(5000)])
    #expect(timeline.stages[0].music.ending == MusicEnding(.cut, .falling(at: ms(4980), over: ms(20), .linear)))
    #expect(timeline.end == ms(7000))
  }

  @Test func `a crossfade is shortened to half of the incoming track, and this is reported`() throws {
    let session = session([stage("A", .seconds(5), ["ten"]), stage("B", .natural, ["one"], crossfade: 4)])
    let (timeline, warnings) = try Timeline.compile(session, library: sounds)
    #expect(timeline.stages[1].crossfade.length == ms(500))
    #expect(timeline.stages[1].requestedCrossfade == ms(4000))
    #expect(warnings.map(\.severity) == [.warning])
  }

  @Test func `tracks that are too short are reported once per stage, with the first case`() throws {
    let first = stage("A", .seconds(60), ["ten", "one", "two"], repeat: .playlist, crossfade: 4)
    let whole = session(
      [first, stage("B", .natural, ["ten"]), stage("C", .seconds(9), ["ten", "one"], crossfade: 4)], fadeIn: 30)
    let problems = try Timeline.compile(whole, library: sounds).warnings.map(\.problem)
    #expect(
      problems == [
        "the session's fade-in is shortened from 0:30 to 0:06, because the first track is too short",
        "the crossfade from 'ten' to 'one' is shortened from 0:04 to 0:00.500, half of the shorter track (and 2 more)",
      ])
  }

  @Test(arguments: [(RepeatMode.off, nil, 3), (.track, nil, 1), (.track, 2, 5), (.playlist, nil, 3), (.playlist, 0, 2)])
  func `only tracks that follow each other are reported`(mode: RepeatMode, count: Int?, pairs: Int) throws {
    let one = stage("A", .seconds(60), ["one", "one", "one"], repeat: mode, count: count, crossfade: 4)
    let warnings = try Timeline.compile(session([one]), library: sounds).warnings.map(\.problem)
    let reported = warnings.filter { $0.hasPrefix("the crossfade from 'one' to 'one'") }
    let others = mode == .off ? 1 : pairs - 1
    #expect(
      reported.count == 1 && reported[0].hasSuffix(others == 0 ? "track" : "track (and \(others) more)"), "\(warnings)")
  }

  @Test func `the final fade-out ends where the last stage ends`() throws {
    let timeline = try compile(session([stage("A", .seconds(5), ["ten"])], fadeOut: 30))
    #expect(timeline.stages[0].music.ending == MusicEnding(.fadeOut, .falling(at: 0, over: ms(5000), .equalPower)))
    let silent = try compile(session([stage("A", .seconds(5), ["ten"]), stage("B", .seconds(5))], fadeOut: 2))
    #expect(silent.stages[1].music.ending == nil)
  }

  @Test(arguments: [(RepeatMode.off, nil, 10.5), (.playlist, 1, 20.5)])
  func `a fade-out longer than the tracks of the last stage is an error`(
    mode: RepeatMode, count: Int?, length: Double
  ) throws {
    let last = stage("B", .natural, ["ten", "one"], repeat: mode, count: count, crossfade: 3)
    var whole = session([stage("A", .natural, ["ten"]), last], fadeOut: length + 1)
    whole.fadeOutLocation = SourceLocation(file: "a.json", line: 4, column: 3)
    #expect(
      problems(of: whole).map(\.diagnostic.description) == [
        "a.json:4:3: error: 'fadeOut' is \(length + 1) s, but the last stage in line 1 lasts only \(length) s; shorten the fade"
      ])
    whole.fadeOut = length
    #expect(problems(of: whole).isEmpty)
  }

  @Test func `a fade-out is shortened if sounds of the last stage are left out`() throws {
    var whole = session([stage("A", .natural, ["ten", "gone"])], fadeOut: 12)
    whole.fadeOutLocation = SourceLocation(file: "a.json", line: 4, column: 3)
    let rest = whole.without([sound("gone").source])
    let fade = Fade.falling(at: 0, over: ms(10_000), .equalPower)
    #expect(try compile(rest).stages[0].music.ending == MusicEnding(.fadeOut, fade))
  }

  @Test func `fractions of a frame at the boundaries of stages do not add up`() throws {
    let stages = (0..<1000).map { stage("\($0)", .seconds(0.100_05)) }
    let timeline = try compile(session(stages))
    #expect(timeline.end == 800_400)
    #expect(timeline.stages.enumerated().allSatisfy { $1.begin == FrameTime((Double($0) * 800.4).rounded()) })
  }

  @Test func `frames count from 0 again after an open stage`() throws {
    let timeline = try compile(
      session([stage("A", .seconds(3)), stage("B", .open, ["ten"], repeat: .playlist), stage("C", .seconds(2))]))
    #expect(timeline.stages.map(\.begin) == [0, ms(3000), 0])
    #expect(timeline.stages.map(\.end) == [ms(3000), nil, ms(2000)])
    #expect(timeline.end == nil)
  }

  @Test func `the session takes the sample rate that most of its source time has`() throws {
    let mixed = [stage("A", .natural, ["one", "two", "ten"])]
    #expect(try compile(session(mixed, rate: nil)).rate == .studio)
    #expect(try compile(session([stage("A", .natural, ["one"])], rate: nil)).rate == .cd)
    #expect(try compile(session([stage("A", .seconds(1))], rate: nil)).rate == .studio)
  }

  @Test func `each use of a missing source is reported, with its cause`() {
    let found = problems(of: session([stage("A", .natural, ["gone", "lost", "gone", "ten"])]))
    #expect(found.map(\.cause) == [.missing(path: "gone"), .missing(path: "gone"), .missing(path: "lost")])
  }

  @Test func `a session that can't be planned is rejected`() {
    #expect(problems(of: session([stage("A", .natural, ["rain"])])).count == 1)
    #expect(problems(of: session([stage("A", .natural, ["ten"], repeat: .playlist)])).count == 1)
    #expect(problems(of: session([stage("A", .natural)])).count >= 1)
    #expect(problems(of: session([stage("A", .seconds(0))])).count == 1)
    #expect(problems(of: session([stage("A", .seconds(600_000)), stage("B", .seconds(600_000))])).count == 1)
    #expect(problems(of: session([stage("A", .seconds(5), gongs: [gong("rain", .at([at(1)]))])])).count == 1)
    let often = gong("bell", .every(0.001, count: nil))
    #expect(problems(of: session([stage("A", .seconds(600), gongs: [often])])).count == 1)
    #expect(
      problems(of: session([stage("A", .seconds(5), gongs: [gong("bell", .at([at(6), beforeEnd(6)]))])])).count == 2)
  }

  @Test func `numbers beyond any session are rejected without a trap`() {
    let spaced = gong("bell", .at([at(0)]), strikes: 2, spacing: 1e300)
    let delayed = overlay("one", at: at(0), Session.Repetition(times: .times(2), delay: 1e300))
    #expect(problems(of: session([stage("A", .seconds(1e300), ["one"])])).count == 1)
    #expect(problems(of: session([stage("A", .seconds(5), gongs: [spaced])])).count == 1)
    #expect(problems(of: session([stage("A", .seconds(5), overlays: [delayed])])).count == 1)
    #expect(
      problems(of: session([stage("A", .seconds(5), gongs: [gong("bell", .every(1e-300, count: nil))])])).count == 1)
  }
}
