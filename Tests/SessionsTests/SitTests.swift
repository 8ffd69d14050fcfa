import GeneratedSounds
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// The sessions that `prosper sit` makes.
struct SitTests {
  private static func timeline(_ sit: Sit) throws -> Timeline {
    try Timeline.compile(try sit.session(), library: GeneratedSoundLibrary()).timeline
  }

  private static func bells(_ sit: Sit) throws -> [Double] {
    let timeline = try timeline(sit)
    return timeline.stages.flatMap(\.cues).map { timeline.rate.seconds($0.at) }
  }

  @Test func `three strikes begin the sit and three end it`() throws {
    #expect(try Self.bells(Sit(duration: 600)) == [0, 4, 8, 600, 604, 608])
  }

  @Test func `preparation comes before the first bell, and strikes and their spacing can be chosen`() throws {
    var sit = Sit(duration: 600)
    (sit.prepare, sit.strikes, sit.spacing) = (60, 2, 10)
    #expect(try Self.bells(sit) == [60, 70, 660, 670])
    #expect(try Self.timeline(sit).stages.map(\.name) == ["Prepare", "Sit"])
  }

  @Test func `a bell at an interval sounds at each multiple of it, except at the end`() throws {
    var sit = Sit(duration: 600)
    sit.strikes = 1
    sit.bells = .every(200)
    #expect(try Self.bells(sit) == [0, 200, 400, 600])
  }

  @Test func `an open sit has its last bells in a stage of their own, and bells in between have a volume`() throws {
    var sit = Sit(duration: nil)
    (sit.bells, sit.bellsVolume, sit.prepare) = (.every(300), Gain(decibels: -12), 60)
    let session = try sit.session()
    #expect(session.stages.map(\.name) == ["Prepare", "Sit", "End"] && session.stages[1].duration == .open)
    #expect(session.stages[1].gongs.map(\.times) == [.at([.start]), .every(300, count: nil)])
    #expect(session.stages[1].gongs.map(\.sound.volume) == [.unity, Gain(decibels: -12)])
    let last = session.stages[2].gongs
    #expect(last.map(\.times) == [.at([.start])] && last[0].strikes == 3 && session.stages[2].duration == .seconds(12))
    sit.bells = .random(3, seed: 1)
    #expect(throws: SitError.randomBellsWithoutEnd) { try sit.session() }
  }

  @Test func `a talk begins with the sit and lowers the music, and a sit can do without bells`() throws {
    var sit = Sit(duration: 600)
    (sit.bell, sit.music) = (nil, Session.Sound(generated: "rain"))
    sit.guide = (Session.Sound(generated: "bowl"), 600)
    let session = try sit.session()
    #expect(session.stages.allSatisfy { $0.gongs.isEmpty } && session.named.keys.sorted() == ["guide", "music"])
    let talk = try #require(session.stages[0].overlays.first)
    #expect(session.stages[0].overlays.count == 1 && talk.at == [.start] && talk.duck?.depth == Gain(decibels: -9))
    sit.guide = (Session.Sound(generated: "bowl"), 600.1)
    #expect(throws: SitError.longGuide(600.1, 600)) { try sit.session() }
  }

  @Test func `music fades in with the first bell and out before the last`() throws {
    var sit = Sit(duration: 600)
    sit.music = Session.Sound(generated: "rain")
    let first = try #require(try Self.timeline(sit).programme.stages.first)
    #expect(first.playlist.tracks.count == 1)
    let session = try sit.session()
    #expect(session.fadeIn == 3 && session.fadeOut == 30)
    sit.fadeOut = 600
    #expect(try sit.session().fadeOut == 600 && sit.session().fadeIn == 0)
    (sit.prepare, sit.fadeOut) = (10, 20)
    let prepared = try sit.session()
    #expect(prepared.fadeIn == 0 && prepared.stages[1].crossfade.duration == 3 && prepared.fadeOut == 20)
    #expect(prepared.stages[0].tracks.isEmpty)
  }

  @Test(arguments: [
    (0.0, SitError.outOfRange(0)), (604_801, .outOfRange(604_801)),
  ])
  func `a sit has a length above zero, up to a week`(duration: Double, error: SitError) {
    #expect(throws: error) { try Sit(duration: duration).session() }
  }

  @Test func `the default strikes also begin a sit of seconds`() throws {
    #expect(try Self.bells(Sit(duration: 5)) == [0, 4, 5, 8, 9, 13])
  }

  @Test func `options that don't fit the sit are errors`() {
    var sit = Sit(duration: 600)
    sit.fadeOut = 10
    #expect(throws: SitError.nothingToFade(10)) { try sit.session() }
    (sit.music, sit.fadeOut) = (Session.Sound(generated: "rain"), 601)
    #expect(throws: SitError.longFade(601, 600)) { try sit.session() }
    sit = Sit(duration: 600)
    sit.bells = .every(600)
    #expect(throws: SitError.rareBells(600, 600)) { try sit.session() }
    sit.bells = .every(0.001)
    #expect(throws: SitError.tooManyBells(600_000)) { try sit.session() }
    for count in [200, .max] {
      sit.bells = .random(count, seed: 1)
      #expect(throws: SitError.noRoom(bells: count, 600)) { try sit.session() }
    }
    for bells in [Sit.Bells.random(0, seed: 1), .random(-1, seed: 1)] {
      sit.bells = bells
      #expect(throws: SitError.notAboveZero("the number of bells")) { try sit.session() }
    }
    sit.bells = .every(0)
    #expect(throws: SitError.notAboveZero("the interval of the bells")) { try sit.session() }
    (sit.bells, sit.spacing) = (.none, 300)
    #expect(throws: SitError.longStrikes(3, 300, 600)) { try sit.session() }
    sit.spacing = 0
    #expect(throws: SitError.notAboveZero("the spacing of the strikes")) { try sit.session() }
  }

  /// Every combination of options, for short sits and long ones, written in both formats.
  @Test(arguments: [1.0, 5, 47, 600, 86_400], SessionWriterTests.formats)
  func `a sit that is written and read again is the same session`(duration: Double, format: SessionWriter.Format) throws
  {
    let reader = SessionReader(catalogue: GeneratorDescription.builtIn)
    for (prepare, music) in [(0.0, nil), (0, "rain"), (1, nil), (60, "drone")] {
      for bells in [Sit.Bells.none, .every(duration / 3), .random(duration < 10 ? 0 : 3, seed: 9)] {
        if case .random(0, _) = bells { continue }
        var sit = Sit(duration: duration)
        (sit.prepare, sit.bells, sit.music) = (prepare, bells, music.map { Session.Sound(generated: $0) })
        let session = try sit.session()
        let text = SessionWriter(format, in: "/").text(of: session)
        let reading = reader.read(text: text, path: format == .json ? "s.json" : "s.yaml", folder: "")
        #expect(reading.diagnostics.isEmpty, "\(reading.diagnostics)\n\(text)")
        #expect(reading.session?.withoutLocations == session.withoutLocations, "\(text)")
        let (timeline, warnings) = try Timeline.compile(session, library: GeneratedSoundLibrary())
        #expect(warnings.isEmpty && timeline.stages.last?.end == timeline.rate.frames(prepare + duration))
      }
    }
  }
}

struct RandomMomentsTests {
  @Test func `a seed always gives the same moments`() throws {
    #expect(try RandomMoments(count: 3, within: 1500, seed: 7).seconds == [81.1, 611.1, 1314.9])
    #expect(try RandomMoments(count: 3, within: 1500, seed: 8).seconds != [81.1, 611.1, 1314.9])
  }

  @Test func `moments are in ascending order, with a minimum distance from each other and from both ends`() throws {
    for seed in 0..<500 as Range<UInt64> {
      for (count, length) in [(1, 10.0), (5, 60), (3, 1500), (40, 3600), (2, 604_800)] {
        let moments = try RandomMoments(count: count, within: length, seed: seed).seconds
        let distance = min(60, length / 4 / Double(count + 1)) - 0.21
        let all = [0] + moments + [length]
        #expect(moments.count == count && zip(all, all.dropFirst()).allSatisfy { distance <= $1 - $0 }, "\(moments)")
      }
    }
  }

  @Test func `moments are spread over the whole sit`() throws {
    var tenths: Set<Int> = []
    for seed in 0..<200 as Range<UInt64> {
      tenths.formUnion(try RandomMoments(count: 2, within: 1000, seed: seed).seconds.map { Int($0 / 100) })
    }
    #expect(tenths == Set(0...9))
  }
}
