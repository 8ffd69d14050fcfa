import Schedule
import Signal
import Testing

@testable import Markup
@testable import SessionFiles
@testable import Timelines

/// Gongs at random moments, from the session to the frames at which they strike.
struct RandomGongTests {
  private static func bells(_ times: Session.Gong.Times, seed: UInt64? = nil, jitter: Double = 0) -> Session.Gong {
    var bells = gong("bell", times)
    (bells.seed, bells.jitter) = (seed, jitter)
    return bells
  }

  /// The seconds at which the gongs of the last stage strike.
  private static func seconds(_ session: Session, seed: UInt64 = 0) throws -> [Double] {
    var session = session
    session.seed = seed
    let timeline = try compile(session)
    let stage = try #require(timeline.stages.last)
    return stage.cues.map { timeline.rate.seconds($0.at - stage.begin) }
  }

  @Test func `random moments keep their distance from each other and from the ends, for any seed`() throws {
    var all: Set<Double> = []
    for seed in 0..<1_000 as Range<UInt64> {
      for (count, minimum, length) in [(4, 90, 1_200), (3, 0.25, 1.3), (9, 60, 600)] {
        let moments = try RandomMoments(count: count, within: length, minimum: minimum, seed: seed).seconds
        let ends = [0] + moments + [length]
        #expect(zip(ends, ends.dropFirst()).allSatisfy { minimum - 1e-9 <= $1 - $0 }, "seed \(seed): \(moments)")
        if minimum == 90 { all.formUnion(moments) }
      }
    }
    // They fill the stage: nearly each tenth of a second that can be struck, at both ends, too.
    #expect(2_500 < all.count && (all.min() ?? 0) < 92 && 1_108 < all.max() ?? 0)
  }

  @Test func `moments are those of a sit with this seed`() throws {
    let sit = session([stage("Sit", .seconds(1_500), gongs: [Self.bells(.random(3, minimum: nil), seed: 7)])])
    #expect(try Self.seconds(sit) == [81.1, 611.1, 1_314.9])
    #expect(try Self.seconds(sit, seed: 9) == [81.1, 611.1, 1_314.9])
  }

  @Test func `the seed of the run decides, and other gongs and stages change nothing`() throws {
    let bells = Self.bells(.random(4, minimum: 90))
    let sit = session([stage("Sit", .seconds(1_200), gongs: [bells])])
    let moments = try Self.seconds(sit, seed: 7)
    #expect(try Self.seconds(sit, seed: 7) == moments && Self.seconds(sit, seed: 8) != moments)
    let other = session([
      stage("Before", .seconds(60), gongs: [gong("one", .at([at(0)])), Self.bells(.random(1, minimum: 2))]),
      stage(
        "Sit", .seconds(1_200), gongs: [Self.bells(.random(2, minimum: 1), seed: 3), bells, gong("one", .at([at(0)]))]),
    ])
    #expect(Set(moments).isSubset(of: try Self.seconds(other, seed: 7)))
    // Two of one sound differ.
    let twice = try Self.seconds(session([stage("Sit", .seconds(1_200), gongs: [bells, bells])]), seed: 7)
    #expect(Set(twice).count == 8 && Set(moments).isSubset(of: twice))
    let named = session([stage("Other", .seconds(1_200), gongs: [bells])])
    #expect(try Self.seconds(named, seed: 7) != moments)
  }

  @Test func `a stage as long as its tracks and the whole session can have random moments`() throws {
    let natural = session([stage("Sit", .natural, ["ten", "ten"], gongs: [Self.bells(.random(5, minimum: 3))])])
    #expect(try Self.seconds(natural).count == 5)
    var whole = session([stage("A", .seconds(20)), stage("B", .natural, ["ten"])])
    whole.gongs = [Self.bells(.random(3, minimum: 7))]
    let timeline = try compile(whole)
    let moments = [0] + timeline.cues.map { timeline.rate.seconds($0.at) } + [30]
    #expect(moments.count == 5 && zip(moments, moments.dropFirst()).allSatisfy { 7 <= $1 - $0 })
  }

  @Test func `too many moments are refused with the number that fits`() throws {
    func problem(_ count: Int, _ minimum: Double?, _ length: Session.StageDuration = .seconds(600)) -> String? {
      let sit = session([stage("Sit", length, gongs: [Self.bells(.random(count, minimum: minimum))])])
      return problems(of: sit).first.map(\.diagnostic.advice)
    }
    #expect(
      problem(6, 90)
        == "6 random moments don't fit into stage 'Sit', which lasts 10:00: at most 5 fit, 1:30 from each other and from its ends; "
        + "write 'random': 5 or less, or make 'minimum' smaller")
    #expect(problem(5, 90) == nil && problem(5, 100) == nil && problem(5, 100.1) != nil)
    #expect(
      problem(1, 400)
        == "1 random moments don't fit into stage 'Sit', which lasts 10:00: none fits, 6:40 from each other and from its ends; "
        + "make 'minimum' smaller")
    #expect(
      problem(150, nil)
        == "150 random moments don't fit into stage 'Sit', which lasts 10:00: at most 149 fit, 1 s from each other and from its ends; "
        + "write 'random': 149 or less")
    #expect(problem(149, nil) == nil)
    #expect(
      problem(1, 1, .open)
        == "random moments need a known length, but stage 'Sit' has no known end; "
        + "write 'every' with 'jitter', or give each stage a duration")
  }

  @Test func `jitter moves each strike by its share, and the seed of the run decides`() throws {
    let sit = session([stage("Sit", .seconds(600), gongs: [Self.bells(.every(60, count: nil), jitter: 0.2)])])
    let moments = try Self.seconds(sit, seed: 7)
    #expect(try Self.seconds(sit, seed: 7) == moments && Self.seconds(sit, seed: 8) != moments)
    #expect(moments.count == 9)
    #expect(moments.enumerated().allSatisfy { abs($1 - Double($0 + 1) * 60) <= 12.001 && $1 != Double($0 + 1) * 60 })
  }

  @Test func `a session says whether it needs a seed`() throws {
    let needs = { (gong: Session.Gong) in session([stage("Sit", .seconds(600), gongs: [gong])]).needsSeed }
    #expect(needs(Self.bells(.random(1, minimum: nil))) && needs(Self.bells(.every(60, count: nil), jitter: 0.1)))
    #expect(!needs(Self.bells(.every(60, count: nil))) && !needs(Self.bells(.random(1, minimum: nil), seed: 0)))
    var sit = session([stage("Sit", .seconds(600), gongs: [Self.bells(.random(1, minimum: nil))])])
    sit.seed = 7
    #expect(try compile(sit).seed == 7)
    sit.stages[0].gongs[0].seed = 3
    #expect(try compile(sit).seed == nil)
  }
}
