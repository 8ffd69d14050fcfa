import Engine
import Foundation
import Signal
import TestSupport
import Testing

@testable import Player

/// A session that goes on where it was left sounds as it would have, whatever its listener did before.
@Suite struct RehearsalTests {
  let library = TestLibrary([
    "0": .noise(seed: 1, length: 30_000, level: 0.1), "1": .noise(seed: 2, length: 20_000, level: 0.1),
    "2": .noise(seed: 3, length: 50_000, level: 0.1), "bad": .init(length: 20_000, brokenAt: 0) { _ in .silence },
    "voice": .noise(seed: 4, length: 4_000, level: 0.1), "3": .noise(seed: 5, length: 4_000, level: 0.1),
    "4": .noise(seed: 6, length: 4_000, level: 0.1), "5": .noise(seed: 7, length: 4_000, level: 0.1),
  ])

  /// Frames for which a pause closes and opens: who goes on with a file has no such opening.
  private static let ramp: FrameTime = 160

  @Test(arguments: 1...60)
  func `left anywhere, it goes on as it would have`(seed: UInt64) async throws {
    var random = Random(seed: seed)
    var session = ModelTests.session(&random)
    for index in session.stages.indices { session.stages[index].cues = Self.cues(of: session.stages[index], &random) }
    var commands = ModelTests.commands(&random)
    for index in commands.indices where random.next(0...3) == 0 { commands[index].1.append(Self.command(&random)) }
    let start = seed % 2 == 0 ? 0 : FrameTime(random.next(0...Int(session.stages[0].end ?? 10_000) / 2))
    let played = await perform(session, library, from: start, doing: TimedCommands(commands))
    let whole = Array(repeating: Frame.silence, count: Int(start)) + played.frames
    let places = played.events.compactMap { $0.place?.past }
    let fadeOut = played.events.first { ["fadingOut", "finished"].contains(Self.state($0)) }
    let last = fadeOut.map { testRate.frames($0.session) } ?? FrameTime(whole.count)
    var compared = 0
    for _ in 0..<40 where compared < 6 {
      let index = random.next(0...places.count - 1)
      let place = try Self.reread(places[index])
      // What was paused goes on, which it did not.
      guard try #require(Rehearsal(of: session, after: place)).past.deeds == place.deeds else { continue }
      let next = places[index...].first { $0.deeds != place.deeds }?.deeds.last?.at ?? .endless
      let resumed = await perform(session, library, after: place)
      compared += 1
      compare(
        resumed.frames, whole, from: place.frame, to: min(next, last), "seed \(seed), behind \(place.deeds)")
    }
    #expect(0 < compared)
  }

  @Test func `of a slider's many moves the last ones are kept`() {
    var past = SessionPast(stage: 0, start: 0, master: .unity, frame: 0)
    for index in 0..<1_000 as Range<Int64> {
      let act = Deed.Act.volume(nil, Gain(linear: Float(index) / 1_000), over: 160)
      past.add(Deed(at: index * 200, edited: index * 200, isSilent: false, act: act))
    }
    let first = Deed.Act.volume(.music, Gain(linear: 0.5), over: 160)
    past.add(Deed(at: 200_000, edited: 200_000, isSilent: false, act: first))
    #expect(past.deeds.map(\.at) == [998 * 200, 999 * 200, 200_000])
  }

  @Test func `moves that begin within each other are bounded, too`() {
    var past = SessionPast(stage: 0, start: 0, master: .unity, frame: 0)
    for index in 0..<1_000 as Range<Int64> {
      let act = Deed.Act.volume(nil, Gain(linear: Float(index) / 1_000), over: 16_000)
      past.add(Deed(at: index * 200, edited: index * 200, isSilent: false, act: act))
    }
    #expect(past.deeds.map(\.at) == (992..<1_000).map { $0 * 200 })
  }

  @Test func `what can't have been is not done again`() {
    let session = programme([
      Programme.Stage(name: "A", begin: 0, end: 30_000, music: music([track("0", 30_000)]), cues: [])
    ])
    var past = SessionPast(stage: 0, start: 0, master: .unity, frame: 8_000)
    #expect(past.fits(session))
    past.add(Deed(at: 0, edited: 0, isSilent: false, act: .change(.jump(99), resuming: nil)))
    #expect(!past.fits(session))
    let extremes = [Int64.min, -1, 1 << 45, .max]
    for frame in extremes {
      let volume = Deed.Act.volume(nil, .unity, over: frame)
      let (late, long) = (
        Deed(at: frame, edited: frame, isSilent: false), Deed(at: 0, edited: 0, isSilent: false, act: volume)
      )
      for deeds in [[late], [long]] {
        var past = SessionPast(stage: 0, start: 0, master: .unity, frame: 8_000)
        past.deeds = deeds
        #expect(Rehearsal(of: session, after: past) == nil, "\(deeds)")
      }
      #expect(Rehearsal(of: session, after: SessionPast(stage: 0, start: 0, master: .unity, frame: frame)) == nil)
      #expect(Rehearsal(of: session, after: SessionPast(stage: 0, start: frame, master: .unity, frame: frame)) == nil)
    }
  }

  @Test func `a volume that is asked for holds against all that was set before`() throws {
    var past = SessionPast(stage: 0, start: 0, master: .unity, frame: 24_000)
    let act = Deed.Act.volume(nil, Gain(linear: 0.5), over: 160)
    past.add(Deed(at: 8_000, edited: 8_000, isSilent: false, act: act))
    let session = programme([
      Programme.Stage(name: "A", begin: 0, end: 30_000, music: music([track("0", 30_000)]), cues: [])
    ])
    #expect(try #require(Rehearsal(of: session, after: past)).settings.master.gain(at: 24_000) == 0.5)
    past.setMaster(Gain(linear: 0.25))
    #expect(try #require(Rehearsal(of: session, after: past)).settings.master.gain(at: 24_000) == 0.25)
  }

  @Test func `where only the volumes are known, it begins with them`() async throws {
    var session = programme([
      Programme.Stage(name: "A", begin: 0, end: 30_000, music: music([track("0", 30_000)]), cues: [])
    ])
    let louder = await perform(session, library, from: 8_000)
    var volumes = Volumes(master: Gain(linear: 0.25))
    volumes.music = Gain(linear: 0.5)
    session.master = volumes.master
    let softer = await perform(session, library, after: SessionPast(stage: 0, start: 8_000, volumes: volumes))
    #expect(softer.left == louder.left.map { $0 * 0.125 } && louder.left.contains { $0 != 0 })
    #expect(softer.events.compactMap(\.place).last?.volumes == volumes)
  }

  @Test func `of more changes than are kept the volumes are`() async throws {
    let session = programme([
      Programme.Stage(name: "A", begin: 0, end: 30_000, music: music([track("0", 30_000)]), cues: [])
    ])
    let many = (0...SessionPast.most).map { _ in Command.crossfade(duration: 1, curve: nil) }
    let played = await perform(
      session, library, doing: TimedCommands([(0.5, [.volume(Gain(linear: 0.5), over: 0)]), (1, many)]))
    let places = played.events.compactMap(\.place)
    #expect(places.first?.past != nil && places.last?.past == nil)
    #expect(places.last?.volumes == Volumes(master: Gain(linear: 0.5)))
    #expect(played.lines.contains { $0.contains("501 changes are more than are kept: --resume will keep the volumes") })
  }

  @Test func `a past names every sound that was brought in`() {
    var past = SessionPast(stage: 0, start: 0, master: .unity, frame: 0)
    let changes: [ScoreChange] = [
      .playlist(.replace([track("0", 100), track("1", 100)])), .playlist(.append([track("2", 100)])),
      .playlist(.insert([track("3", 100)], at: 0)), .playlist(.remove(at: 0)), .go(.end),
      .gong(Cue(source: TestLibrary.source("4"), title: "4", gain: .unity), length: 100),
      .overlay(
        OverlayRequest(
          cue: Self.voice, fadeIn: 0, fadeOut: 0, curve: .linear, times: .forever, delay: 0, ducking: nil,
          isLayer: false), length: 100),
    ]
    for change in changes {
      past.add(Deed(at: 0, edited: 0, isSilent: false, act: .change(change, resuming: nil)))
    }
    #expect(past.sources == Set(["0", "1", "2", "3", "4", "voice"].map(TestLibrary.source)))
  }

  private static let voice = Cue(source: TestLibrary.source("voice"), title: "voice", gain: .unity)

  private static func command(_ random: inout Random) -> Command {
    let gain = Gain(linear: Float(random.next(1...9)) / 10)
    // Of two that begin in one frame with the same sound nobody can tell which is which.
    let name = "\(random.next(3...5))"
    let cue = Cue(source: TestLibrary.source(name), title: name, gain: .unity)
    let overlay = OverlayRequest(
      cue: cue, fadeIn: 0.1, fadeOut: 0.2, curve: .linear, times: .times(3), delay: 0.4,
      ducking: OverlayRequest.Ducking(depth: gain, attack: 0.1, release: 0.7), isLayer: random.next(0...1) == 0)
    return [
      .volume(gain, over: 0.3), .effects(.volume(gain, over: 1)), .overlay(.volume(gain, over: 0.5)),
      .overlay(.play(overlay)), .overlay(.play(overlay)), .overlay(.repetition(.times(2), delay: 0.2)),
    ][random.next(0...5)]
  }

  /// A gong, and an overlay for which the music steps back.
  private static func cues(of stage: Programme.Stage, _ random: inout Random) -> [Placement] {
    let length = (stage.end ?? 0) - stage.begin
    let places = (0..<2).map { _ in stage.begin + FrameTime(random.next(0...Int(max(1, length - 4_000)))) }.sorted()
    return zip(places, [Layer.effect, .overlay]).map { at, layer in
      Placement(
        layer: layer, source: voice.source, title: "voice", stage: nil, at: at, length: 4_000,
        duck: layer == .overlay ? Duck(depth: Gain(linear: 0.3), attack: 900, release: 5_000) : nil)
    }
  }

  private static func state(_ event: StampedEvent) -> String {
    if case .state(let state, _) = event.event { state.name } else { "" }
  }

  /// As it comes back from a file.
  private static func reread(_ past: SessionPast) throws -> SessionPast {
    try JSONDecoder().decode(SessionPast.self, from: JSONEncoder().encode(past))
  }

  private func distance(_ a: Frame, _ b: Frame) -> Float { max(abs(a.left - b.left), abs(a.right - b.right)) }

  /// But for the order in which voices are added up, that of their planning, and the rounding that depends on it.
  private func compare(
    _ resumed: [Frame], _ whole: [Frame], from start: FrameTime, to end: FrameTime, _ note: Comment
  ) {
    for frame in start + Self.ramp..<max(start + Self.ramp, min(end, FrameTime(whole.count))) {
      let index = Int(frame - start)
      guard index < resumed.count,
        resumed[index] == whole[Int(frame)] || distance(resumed[index], whole[Int(frame)]) < 1e-6
      else {
        Issue.record("\(note): from \(start) to \(end): frame \(frame) differs, of \(resumed.count) and \(whole.count)")
        return
      }
    }
  }
}
