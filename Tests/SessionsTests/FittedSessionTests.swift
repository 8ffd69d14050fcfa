import Foundation
import GeneratedSounds
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Sessions that are fitted to a length.
struct FittedSessionTests {
  private static let library = DeclaredSounds(seconds: [
    "a.wav": 300, "b.wav": 100, "bowl.wav": 20, "voice.wav": 60, "next.wav": 10, "rain.wav": .infinity,
  ])

  /// The stages as text: name, begin and end in seconds, and the seconds at which cues begin.
  private static func stages(_ session: Session) throws -> [String] {
    let timeline = try Timeline.compile(session, library: library).timeline
    return timeline.stages.map { stage in
      let times = [stage.begin, stage.end ?? -1] + stage.cues.map(\.at)
      return stage.name + times.map { " \(Spelling.plain(timeline.rate.seconds($0)))" }.joined()
    }
  }

  private static func fitted(_ session: Session, to seconds: Double) throws -> Session {
    try session.fitted(to: seconds, on: try Timeline.compile(session, library: library).timeline).session
  }

  private static func error(_ session: Session, to seconds: Double) throws -> FitError? {
    let timeline = try Timeline.compile(session, library: library).timeline
    do throws(FitError) { _ = try session.fitted(to: seconds, on: timeline) } catch { return error }
    return nil
  }

  private static func gong(_ times: Session.Gong.Times, strikes: Int = 1) -> Session.Gong {
    Session.Gong(sound: sound("bowl.wav"), times: times, strikes: strikes, spacing: 4, location: noLocation)
  }

  @Test func `stages keep their shares, and cues move in proportion or keep their distance to the end`() throws {
    let long = session([
      stage("A", .seconds(300), overlays: [overlay("next.wav", at: at(30)), overlay("next.wav", at: beforeEnd(20))]),
      stage(
        "B", .seconds(600),
        gongs: [Self.gong(.at([at(0), at(300), beforeEnd(5), beforeEnd(0)])), Self.gong(.every(150, count: 3))]),
    ])
    #expect(
      try Self.stages(try Self.fitted(long, to: 450)) == ["A 0 150 15 130", "B 150 450 150 225 300 300 375 445 450"])
    #expect(
      try Self.stages(try Self.fitted(long, to: 1800))
        == ["A 0 600 60 580", "B 600 1800 600 900 1200 1200 1500 1795 1800"])
  }

  /// A session whose first and last stage keep their lengths.
  private static var framed: Session {
    var framed = session([
      stage("Arrive", .seconds(60), gongs: [gong(.at([at(30)]))]),
      stage(
        "Sit", .seconds(600), overlays: [overlay("next.wav", at: at(100)), overlay("next.wav", at: beforeEnd(20))]),
      stage("Close", .natural, ["b.wav"], gongs: [gong(.at([at(20), beforeEnd(5)]))]),
    ])
    (framed.stages[0].stretches, framed.stages[2].stretches) = (false, false)
    framed.gongs = [gong(.at([at(45), at(360), at(680), beforeEnd(1)]))]
    return framed
  }

  @Test func `a stage that does not stretch keeps its length and its cues, and the others make up the rest`() throws {
    #expect(try Self.stages(Self.framed) == ["Arrive 0 60 30", "Sit 60 660 160 640", "Close 660 760 680 755"])
    let long = try Self.fitted(Self.framed, to: 1_360)
    #expect(try Self.stages(long) == ["Arrive 0 60 30", "Sit 60 1260 260 1240", "Close 1260 1360 1280 1355"])
    let short = try Self.fitted(Self.framed, to: 460)
    #expect(try Self.stages(short) == ["Arrive 0 60 30", "Sit 60 360 110 340", "Close 360 460 380 455"])
    #expect(short.stages.map(\.duration) == [.seconds(60), .seconds(300), .natural])
    // Positions in session time move with their stage.
    let cues = { (session: Session) in
      try Timeline.compile(session, library: Self.library).timeline.cues.map { $0.at / 8_000 }
    }
    #expect(try cues(long) == [45, 660, 1_280, 1_359] && cues(short) == [45, 210, 380, 459])
  }

  @Test func `the error says which stages keep their lengths`() throws {
    #expect(
      try Self.error(Self.framed, to: 150)?.description
        == "the session can't last 2:30: the stages 'Arrive' and 'Close' keep their lengths, 2:40 in all; "
        + "give more time, or let another stage stretch")
    #expect(
      try Self.error(Self.framed, to: 170)?.description
        == "2:50 is too short for the stage 'Sit': its overlays and the cues before its end take 30 s in total; "
        + "the shortest time that fits is 3:10 (the stages 'Arrive' and 'Close' keep their lengths)")
    var single = session([stage("Sit", .seconds(600))])
    single.stages[0].stretches = false
    #expect(
      try Self.error(single, to: 500)?.description
        == "the session can't last 8:20: the stage 'Sit' keeps its length, 10:00; let one of its stages stretch, or add a stage of silence"
    )
    #expect(try Self.fitted(single, to: 600) == single)
  }

  @Test func `random moments are chosen anew for the new length, if they still fit`() throws {
    let sit = session([stage("Sit", .seconds(600), gongs: [Self.gong(.random(4, minimum: 60))])])
    #expect(try Self.stages(try Self.fitted(sit, to: 300)) == ["Sit 0 300 60 120 180 240"])
    #expect(
      try Self.error(sit, to: 299)?.description
        == "4:59 is too short for the stage 'Sit': 4 random moments of the gong 'bowl.wav' would not fit; "
        + "the shortest time that fits is 5:00")
  }

  @Test func `a series of overlays keeps its interval, and must end before its stage`() throws {
    var series = overlay("next.wav", at: at(60), Session.Repetition(.times(3)))
    (series.following, series.interval) = ([sound("next.wav"), sound("voice.wav")], 60)
    let sit = session([stage("Sit", .seconds(600), overlays: [series]), stage("B", .seconds(600))])
    #expect(try Self.stages(try Self.fitted(sit, to: 2_400))[0] == "Sit 0 1200 120 180 240")
    #expect(try Self.stages(try Self.fitted(sit, to: 480))[0] == "Sit 0 240 24 84 144")
    // It takes 180 s.
    #expect(try Self.error(sit, to: 350) != nil && Self.error(sit, to: 380) == nil)
  }

  @Test func `strikes and intervals without a count keep their times, so the number of bells changes`() throws {
    let sit = session([
      stage("Sit", .seconds(600), gongs: [Self.gong(.at([at(0)]), strikes: 3), Self.gong(.every(120, count: nil))])
    ])
    #expect(try Self.stages(try Self.fitted(sit, to: 300)) == ["Sit 0 300 0 4 8 120 240"])
    #expect(try Self.stages(try Self.fitted(sit, to: 620)) == ["Sit 0 620 0 4 8 120 240 360 480 600"])
  }

  @Test func `overlays that would be cut off keep their lengths, and the pauses between them shrink`() throws {
    let scan = session([
      stage(
        "Scan", .seconds(200), overlays: [overlay("voice.wav", at: at(20)), overlay("next.wav", at: at(150))],
        gongs: [Self.gong(.at([at(50), at(100), beforeEnd(0)]))])
    ])
    #expect(try Self.stages(try Self.fitted(scan, to: 100)) == ["Scan 0 100 10 25 50 75 100"])
    // 83 s are 70 s of overlays and a tenth of the pauses.
    #expect(try Self.stages(try Self.fitted(scan, to: 83)) == ["Scan 0 83 2 32 64 69 83"])
    #expect(try Self.stages(try Self.fitted(scan, to: 70)) == ["Scan 0 70 0 30 60 60 70"])
  }

  @Test func `session-wide cues move in session time`() throws {
    let whole = session(
      [stage("A", .seconds(100)), stage("B", .seconds(100))], gongs: [Self.gong(.at([at(150), beforeEnd(10)]))])
    let timeline = try Timeline.compile(try Self.fitted(whole, to: 100), library: Self.library).timeline
    #expect(timeline.cues.map { timeline.rate.seconds($0.at) } == [75, 90])
  }

  @Test func `a stage that lasts as long as its tracks is cut, with a warning, or repeats them`() throws {
    let talk = session([stage("Talk", .natural, ["a.wav", "b.wav"]), stage("Sit", .seconds(400))])
    let timeline = try Timeline.compile(talk, library: Self.library).timeline
    let short = try talk.fitted(to: 200, on: timeline)
    #expect(try Self.stages(short.session) == ["Talk 0 100", "Sit 100 200"])
    #expect(
      short.warnings.map(\.description) == [
        "a.json:1:1: warning: the tracks of the stage 'Talk' take 6:40; they are cut off after 1:40; choose a longer "
          + "time to hear all of them"
      ])
    let long = try talk.fitted(to: 1600, on: timeline)
    #expect(long.warnings.isEmpty && long.session.stages[0].repetition == .playlist)
    #expect(try Self.stages(long.session) == ["Talk 0 800", "Sit 800 1600"])
  }

  @Test func `a session of this length already stays exactly as it is`() throws {
    let talk = session([stage("Talk", .natural, ["a.wav"], crossfade: 5), stage("Sit", .seconds(60), crossfade: 5)])
    #expect(try Self.fitted(talk, to: 355) == talk)
  }

  @Test func `a fade-out of more than a minute keeps its share, a shorter one its length`() throws {
    let sleep = session([stage("Dark", .seconds(1800), ["rain.wav"])], fadeIn: 30, fadeOut: 1770)
    #expect(try Self.fitted(sleep, to: 3600).fadeOut == 3540)
    #expect(try Self.error(sleep, to: 900) == .tooShort(900, shortest: 1800, stage: "Dark", .fades(30)))
    let sit = session([stage("Sit", .seconds(1800), ["rain.wav"])], fadeOut: 60)
    #expect(try Self.fitted(sit, to: 900).fadeOut == 60)
  }

  @Test func `every sum of stretched stages is the time that was asked for, to the frame`() throws {
    let uneven = session((1...17).map { stage("S\($0)", .seconds(Double($0) * 7.3)) })
    for seconds in [61.7, 600, 12_345.678] {
      let timeline = try Timeline.compile(try Self.fitted(uneven, to: seconds), library: Self.library).timeline
      #expect(timeline.end == timeline.rate.frames(seconds))
    }
  }
}

/// Lengths that don't fit: the error names the stage and the nearest length, and that length does fit.
extension FittedSessionTests {
  static let unfitting: [(Session, Double, String)] = [
    (
      session([stage("A", .seconds(60)), stage("B", .seconds(60), crossfade: 10)]), 12,
      "12 s is too short for the stage 'B': the crossfade into it takes 10 s; the shortest time that fits is 20 s"
    ),
    (
      session([stage("A", .seconds(60)), stage("B", .seconds(60), gongs: [gong(.at([beforeEnd(31)]))])]), 60,
      "1:00 is too short for the stage 'B': a cue is set 31 s before its end; the shortest time that fits is 1:02"
    ),
    (
      session([stage("Scan", .seconds(150), overlays: [overlay("voice.wav", at: at(75))]), stage("End", .seconds(50))]),
      70,
      "1:10 is too short for the stage 'Scan': its overlays and the cues before its end take 1:00 in total; "
        + "the shortest time that fits is 1:20"
    ),
    (
      session([
        stage(
          "Scan", .seconds(200), overlays: [overlay("voice.wav", at: at(0)), overlay("next.wav", at: beforeEnd(40))])
      ]), 90,
      "1:30 is too short for the stage 'Scan': its overlays and the cues before its end take 1:40 in total; "
        + "the shortest time that fits is 1:40"
    ),
    (
      session([stage("A", .seconds(200))], overlays: [overlay("voice.wav", at: at(100))]), 100,
      "1:40 is too short for the session: the overlay 'voice.wav' takes 1:00 and would be cut off; "
        + "the shortest time that fits is 2:00"
    ),
    (
      session(
        [stage("A", .seconds(200))],
        overlays: [overlay("voice.wav", at: beforeEnd(80)), overlay("next.wav", at: at(190))]), 800,
      "13:20 is too long for the session: the overlay 'voice.wav' would be cut off by 'next.wav'; "
        + "the longest time that fits is 6:40"
    ),
    (
      session([stage("Sit", .seconds(600), gongs: [gong(.every(300, count: nil))])]), 240,
      "4:00 is too short for the stage 'Sit': the gong 'bowl.wav', every 5:00, would never sound; "
        + "the shortest time that fits is 5:01"
    ),
  ]

  @Test(arguments: unfitting)
  func `a length that does not fit is an error with the nearest one that does`(
    session: Session, seconds: Double, message: String
  ) throws {
    let error = try #require(try Self.error(session, to: seconds))
    #expect(error.description == message)
    let nearest =
      switch error {
      case .tooShort(_, let shortest, _, _): shortest
      case .tooLong(_, let longest, _, _): longest
      default: 0.0
      }
    let fitted = try Self.fitted(session, to: nearest)
    #expect(try Timeline.compile(fitted, library: Self.library).warnings.isEmpty)
    #expect(try Self.error(session, to: nearest + (seconds < nearest ? -1 : 1)) != nil)
  }

  @Test func `an overlay that is cut off in the session as written may be cut off at other lengths`() throws {
    let cut = session([stage("A", .seconds(50), overlays: [overlay("voice.wav", at: at(0))]), stage("B", .seconds(50))])
    #expect(try Self.error(cut, to: 20) == nil)
  }

  @Test func `a session with an open stage, and impossible lengths, are errors`() throws {
    let open = session([stage("Wait", .open), stage("Sit", .seconds(60))])
    #expect(try Self.error(open, to: 60) == .open(stage: "Wait"))
    let sit = session([stage("Sit", .seconds(60))])
    #expect(try Self.error(sit, to: 0) == .outOfRange(0))
    #expect(try Self.error(sit, to: 604_801) == .outOfRange(604_801))
  }

  /// Every accepted length is exactly the length of the result, which has no warnings.
  @Test(arguments: Examples.files(Examples.sessions))
  func `an example session fits many lengths, and each result has a timeline`(file: URL) throws {
    let session = try #require(try Examples.read(file).session)
    let library = GeneratedSoundLibrary()
    let timeline = try Timeline.compile(session, library: library).timeline
    var accepted = 0
    for minutes in stride(from: 2.0, through: 120, by: 3.5) {
      let fitted: Session
      do throws(FitError) { fitted = try session.fitted(to: minutes * 60, on: timeline).session } catch {
        guard case .tooShort(_, let shortest, _, _) = error, minutes * 60 < shortest else {
          Issue.record("\(error)")
          continue
        }
        continue
      }
      accepted += 1
      let (result, warnings) = try Timeline.compile(fitted, library: library)
      #expect(warnings.isEmpty && result.stages.last?.end == result.rate.frames(minutes * 60), "\(warnings)")
    }
    #expect(20 <= accepted)
  }
}
