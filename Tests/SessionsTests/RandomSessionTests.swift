import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Random sessions that are planned, played, and compared with a mix computed frame by frame from the plan.
@Suite struct RandomSessionTests {
  @Test(arguments: 0..<24)
  func `a random session sounds as planned`(seed: UInt64) async throws {
    var chance = IndexedRandom(seed: seed)
    let session = randomSession(by: &chance)
    let library = randomLibrary
    let timeline = try Timeline.compile(session, library: library).timeline
    let played = await perform(timeline.programme, library, blockLength: chance.pick([1_000, 4_096, 60_000]))
    let end = try #require(timeline.end)
    #expect(FrameCount(played.frames.count) == end, "seed \(seed)")
    let expected = mix(of: timeline, from: library)
    let differing = played.frames.indices.first { played.frames[$0] != expected[$0] }
    #expect(differing == nil, "seed \(seed): frame \(differing.map(String.init) ?? "-")")
    expectEvents(of: played, toTell: timeline, seed: seed)
  }

  @Test(arguments: 0..<20)
  func `the events of a random session are those of its plan`(hundred: UInt64) async throws {
    var compared = 0
    for seed in 100 * hundred..<100 * (hundred + 1) {
      var chance = IndexedRandom(seed: seed)
      // A session that is too short for one of its cues is an error, which other tests check.
      guard let timeline = try? Timeline.compile(randomSession(by: &chance), library: silentLibrary).timeline
      else { continue }
      let played = await perform(timeline.programme, silentLibrary, blockLength: 60_000)
      #expect(FrameCount(played.frames.count) == timeline.end, "seed \(seed)")
      expectEvents(of: played, toTell: timeline, seed: seed)
      compared += 1
    }
    #expect(90 < compared)
  }

  @Test func `session-wide strikes and repeats that begin after the end of the last stage are heard`() async throws {
    var planned = session([stage("Sit", .seconds(2))])
    planned.gongs = [gong("bell", .at([beforeEnd(0)]), strikes: 3, spacing: 8)]
    planned.overlays = [overlay("voice", at: beforeEnd(0.5), Session.Repetition(times: .times(2), delay: 1))]
    let timeline = try Timeline.compile(planned, library: randomLibrary).timeline
    let played = await perform(timeline.programme, randomLibrary)
    let gongs = played.events.compactMap { if case .gong = $0.event { $0.session } else { nil } }
    #expect(gongs == [2, 10, 18])
    expectEvents(of: played, toTell: timeline, seed: 0)
  }

  /// Expects that each voice begins at its frame.
  private func expectEvents(of played: RenderedProgramme, toTell timeline: Timeline, seed: UInt64) {
    let cues = (timeline.cues + timeline.stages.flatMap(\.cues)).sorted { $0.at < $1.at }
    let seconds = { (clips: [Clip]) in clips.map { timeline.rate.seconds($0.at) } }
    let gongs = played.events.compactMap { if case .gong = $0.event { $0.session } else { nil } }
    #expect(gongs == seconds(cues.filter { $0.layer == .effect }), "seed \(seed)")
    let overlays = played.events.compactMap { if case .overlayStarted = $0.event { $0.session } else { nil } }
    #expect(overlays == seconds(cues.filter { $0.layer == .overlay }), "seed \(seed)")
    let tracks = played.events.compactMap { if case .track = $0.event { $0.session } else { nil } }
    let music = timeline.stages.flatMap { Array($0.music.clips) }.sorted { $0.at < $1.at }
    #expect(tracks == seconds(music), "seed \(seed)")
    let stages = played.events.compactMap { if case .stageStarted = $0.event { $0.session } else { nil } }
    #expect(stages == timeline.stages.map { timeline.rate.seconds($0.begin) }, "seed \(seed)")
  }

  private var randomLibrary: TestLibrary {
    TestLibrary([
      "long": .noise(seed: 1, length: 20_011, level: 0.1), "short": .noise(seed: 2, length: 3_001, level: 0.1),
      "tiny": .noise(seed: 3, length: 257, level: 0.1), "voice": .noise(seed: 4, length: 6_007, level: 0.1),
      "bell": .noise(seed: 5, length: 2_003, level: 0.1),
    ])
  }

  /// The same lengths, for tests of the events alone.
  private var silentLibrary: TestLibrary {
    TestLibrary(randomLibrary.sounds.mapValues { sound in .constant(0, length: sound.length) })
  }

  /// One to four stages of a few seconds at 8,000 Hz.
  private func randomSession(by chance: inout IndexedRandom) -> Session {
    var stages: [Session.Stage] = []
    for index in 0..<chance.int(1...4) {
      let duration = chance.pick([nil, 2.0, 3.517, 6.25])
      let names = (0..<chance.int(duration == nil ? 1...3 : 0...3)).map { _ in
        chance.pick(["long", "short", "tiny"])
      }
      var made = stage(
        "S\(index)", duration.map { .seconds($0) } ?? .natural, names,
        repeat: duration == nil ? .off : chance.pick([.off, .playlist, .track]))
      made.crossfade = Session.Crossfade(
        duration: chance.pick([0, 0.1, 0.5, 1.5]), curve: chance.pick(FadeCurve.allCases))
      if duration != nil {
        made.gongs = [
          gong("bell", .at([at(chance.pick([0, 0.25, 1.0001])), beforeEnd(0.5)])), randomGong(by: &chance),
        ]
        made.overlays = [overlay("voice", at: at(chance.pick([0.1, 1.2]))), randomOverlay(by: &chance)]
      }
      stages.append(made)
    }
    var made = session(stages)
    if chance.int(0...1) == 0 {
      made.gongs = [randomGong(by: &chance, isLong: made.stages.contains { $0.duration != .natural })]
    }
    if chance.int(0...1) == 0 { made.overlays = [randomOverlay(by: &chance)] }
    made.sampleRate = SampleRate(hertz: 8_000)
    made.fadeIn = chance.pick([0, 0.3])
    return made
  }

  /// One to four strikes, some of them after the end of the gong's stage or session.
  ///
  /// - Parameter isLong: whether random moments certainly fit.
  private func randomGong(by chance: inout IndexedRandom, isLong: Bool = true) -> Session.Gong {
    let position = chance.pick([at(0), at(0.2), beforeEnd(0), beforeEnd(0.1), beforeEnd(0.2)])
    let times = chance.pick([
      Session.Gong.Times.at([position]), .every(chance.pick([0.4, 0.7]), count: nil),
      .random(2, minimum: isLong ? 0.3 : 0),
    ])
    var made = gong("bell", times, strikes: chance.int(1...4), spacing: chance.pick([0.03, 0.3, 1.7]))
    if case .every = times { made.jitter = chance.pick([0, 0.5]) }
    if chance.int(0...2) == 0 { made.extra = [at(0), beforeEnd(0)] }
    return made
  }

  private func randomOverlay(by chance: inout IndexedRandom) -> Session.Overlay {
    let times = chance.pick([Programme.Times.times(1), .times(3), .forever])
    var made = overlay(
      "voice", at: chance.pick([at(0), at(0.2), beforeEnd(0), beforeEnd(0.15)]), fadeIn: chance.pick([0, 0.1]),
      fadeOut: chance.pick([0, 0.2]), Session.Repetition(times: times, delay: chance.pick([0.01, 0.5])),
      layer: chance.int(0...1) == 0)
    if chance.int(0...2) == 0 { made.following = [sound("tiny"), sound("bell")] }
    if chance.int(0...2) == 0 { made.interval = chance.pick([0.2, 0.61]) }
    return made
  }

  /// The sum of all clips, with each frame computed from the closed forms of the plan.
  private func mix(of timeline: Timeline, from library: TestLibrary) -> [Frame] {
    var frames = [Frame](repeating: .silence, count: Int(timeline.end ?? 0))
    for clip in ordered(timeline) {
      guard case .file(let name) = clip.source.origin, let sound = library.sounds[name] else { continue }
      for frame in clip.at..<min(clip.end, FrameTime(frames.count)) {
        var gain = clip.gain.linear
        for fade in [clip.fadeIn, clip.fadeOut, clip.leave] { gain *= fade?.gain(at: frame) ?? 1 }
        frames[Int(frame)] = frames[Int(frame)] + sound.sample(frame - clip.at) * gain
      }
    }
    return frames
  }

  /// In the order in which the mixer adds them: session-wide cues first, then stage by stage, music before cues.
  private func ordered(_ timeline: Timeline) -> [Clip] {
    let byName = { (cues: [Clip]) in cues.sorted { $0.id.ordinal < $1.id.ordinal } }
    return byName(timeline.cues) + timeline.stages.flatMap { Array($0.music.clips) + byName($0.cues) }
  }
}

/// Random numbers from a seed, the same on every machine.
struct IndexedRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { range.lowerBound + Int(next() % UInt64(range.count)) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[int(0...values.count - 1)] }
}
