import Engine
import Player
import Signal
import TestSupport
import Testing

@testable import Sessions

/// Sessions at random, laid out, played, and held against a mix that is worked out frame by frame from the plan.
@Suite struct RandomSessionTests {
  @Test(arguments: 0..<24)
  func `what is planned is what happens`(seed: UInt64) async throws {
    var chance = Chance(seed: seed)
    let session = randomSession(by: &chance)
    let library = randomLibrary
    let timeline = try Timeline.compile(session, library: library).timeline
    let programme = timeline.programme
    let played = await perform(programme, library, blockLength: chance.pick([1_000, 4_096, 60_000]))
    let end = try #require(programme.end)
    #expect(FrameCount(played.frames.count) == end, "seed \(seed)")
    let expected = mix(of: programme, from: library)
    let differing = played.frames.indices.first { played.frames[$0] != expected[$0] }
    #expect(differing == nil, "seed \(seed): frame \(differing.map(String.init) ?? "-")")
    expectEvents(of: played, toTell: programme, seed: seed)
  }

  /// Each voice's place is told on its frame.
  private func expectEvents(of played: Performed, toTell programme: Programme, seed: UInt64) {
    let cues = (programme.cues + programme.stages.flatMap(\.cues)).sorted { $0.at < $1.at }
    let seconds = { (placements: [Placement]) in placements.map { programme.rate.seconds($0.at) } }
    let gongs = played.events.compactMap { if case .gong = $0.event { $0.session } else { nil } }
    #expect(gongs == seconds(cues.filter { $0.layer == .effect }), "seed \(seed)")
    let overlays = played.events.compactMap { if case .overlayStarted = $0.event { $0.session } else { nil } }
    #expect(overlays == seconds(cues.filter { $0.layer == .overlay }), "seed \(seed)")
    let tracks = played.events.compactMap { if case .track = $0.event { $0.session } else { nil } }
    let passages = programme.stages.flatMap { Array($0.music.passages) }.sorted { $0.at < $1.at }
    #expect(tracks == seconds(passages), "seed \(seed)")
    let stages = played.events.compactMap { if case .stageStarted = $0.event { $0.session } else { nil } }
    #expect(stages == programme.stages.map { programme.rate.seconds($0.begin) }, "seed \(seed)")
  }

  private var randomLibrary: TestLibrary {
    TestLibrary([
      "long": .noise(seed: 1, length: 20_011, level: 0.1), "short": .noise(seed: 2, length: 3_001, level: 0.1),
      "tiny": .noise(seed: 3, length: 257, level: 0.1), "voice": .noise(seed: 4, length: 6_007, level: 0.1),
      "bell": .noise(seed: 5, length: 2_003, level: 0.1),
    ])
  }

  /// One to four stages of a few seconds at 8,000 Hz.
  private func randomSession(by chance: inout Chance) -> Session {
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
        made.gongs = [gong("bell", .at([at(chance.pick([0, 0.25, 1.0001])), beforeEnd(0.5)]))]
        made.overlays = [overlay("voice", at: at(chance.pick([0.1, 1.2])))]
      }
      stages.append(made)
    }
    var made = session(stages)
    made.sampleRate = SampleRate(hertz: 8_000)
    made.fadeIn = chance.pick([0, 0.3])
    return made
  }

  /// The sum of all placements, each frame by the closed forms of the plan.
  private func mix(of programme: Programme, from library: TestLibrary) -> [Frame] {
    var frames = [Frame](repeating: .silence, count: Int(programme.end ?? 0))
    let music = programme.stages.flatMap { Array($0.music.passages) }
    for placement in ordered(music, programme) {
      guard case .file(let name) = placement.source.origin, let sound = library.sounds[name] else { continue }
      for frame in placement.at..<min(placement.end, FrameTime(frames.count)) {
        var gain = placement.gain.linear
        for fade in [placement.fadeIn, placement.fadeOut, placement.leave] { gain *= fade?.gain(at: frame) ?? 1 }
        frames[Int(frame)] = frames[Int(frame)] + sound.sample(frame - placement.at) * gain
      }
    }
    return frames
  }

  /// In the order in which the player commands them: by frame, of one frame stage by stage with the music first.
  private func ordered(_ music: [Placement], _ programme: Programme) -> [Placement] {
    var all = programme.cues
    for stage in programme.stages { all += Array(stage.music.passages) + stage.cues }
    return all.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}

/// Random numbers from a seed, the same on every machine.
struct Chance {
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
