import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// Tracks that fail to open when they are due, although they existed when the session was planned.
@Suite struct UnplayableTests {
  let library = TestLibrary([
    "A": .constant(0.5, length: 40_000), "B": .constant(0.25, length: 40_000), "C": .constant(0.125, length: 8_000),
    "bad": .init(length: 40_000, brokenAt: 0) { _ in .silence },
  ])

  private func session(_ names: [String], repetition: RepeatMode = .off, end: Double) -> Programme {
    let shape = FadeShape(length: 8_000, curve: .linear)
    let lengths: [String: FrameCount] = ["A": 40_000, "B": 40_000, "C": 8_000, "bad": 40_000]
    let tracks = names.map { track($0, lengths[$0] ?? 0) }
    return programme([Programme.Stage("S", tracks, for: .frames(end), repetition: repetition, crossfade: shape)])
  }

  private func tracks(_ played: RenderedProgramme) -> [String] {
    played.events.compactMap {
      guard case .track(let title, let index, _, _) = $0.event else { return nil }
      return "\(title) \(index) at \($0.session)"
    }
  }

  @Test func `the track after an unplayable one takes its place, under the same crossfade`() async {
    let played = await perform(session(["A", "bad", "B"], end: 64_000), library)
    #expect(tracks(played) == ["A 0 at 0.0", "B 2 at 4.0"])
    #expect(played.left[36_000] == 0.375 && played.left[50_000] == 0.25)
    #expect(played.performance.totals.damaged == 1 && played.performance.damage.count == 1)
    let skipped = played.events.count { $0.event.name == "track.skipped" }
    #expect(skipped == 1 && played.frames.count == 64_000)
  }

  @Test func `a gong for which no voice is left is an error, and one after the others have ended is struck`() async {
    let strike = Command.gong(Cue("C"))
    let strikes = (0..<70).map { (1 + Double($0) / 1_000, [strike]) } + [(5, [strike])]
    let silence = Programme.Stage("S", [], for: .frames(80_000))
    let played = await perform(programme([silence]), library, doing: TimedCommands(strikes))
    let errors = played.events.compactMap { if case .error(let error) = $0.event { error } else { nil } }
    #expect(errors.map(\.code) == Array(repeating: "bufferSchedulingFailed", count: 6))
    #expect(errors.map(\.isRecoverable) == Array(repeating: true, count: 6))
    let struck = played.events.filter { $0.event.name == "gong" }.map(\.session)
    #expect(struck.count == 65 && struck.last == 5)
  }

  @Test(arguments: [[], [(1.0, [Command.next])]])
  func `an unplayable track is reported by its title, whether it is due or skipped to`(
    commands: [(Double, [Command])]
  ) async {
    var rain = track("bad", 40_000)
    rain.title = "Rain"
    let stage = Programme.Stage("S", [track("A", 40_000), rain, track("B", 40_000)], for: .frames(64_000))
    let played = await perform(programme([stage]), library, doing: TimedCommands(commands))
    let reported = played.events.map(\.event).filter { $0.name == "load.failed" || $0.name == "track.skipped" }
    #expect(reported.map(\.title) == ["Rain", "Rain"])
  }

  @Test(arguments: [Command.next, .seek(.to(2)), .repetition(.track, count: 1), .goto(stage: "T", at: 0), .nextStage])
  func `commands succeed while an overlay or a gong that can't be opened is due`(command: Command) async {
    var stages = session(["A", "B"], end: 64_000).stages
    stages.append(Programme.Stage("T", [track("B", 40_000)], gongs: [Programme.Gong("bad", 20_000, at: 0)]))
    stages[0].gongs = [Programme.Gong("bad", 20_000, at: 9_000)]
    stages[0].overlays = [Programme.Overlay("bad", 40_000, at: 0)]
    let log = CommandLog()
    let played = await perform(
      programme(stages), library, doing: TimedCommands([(1, [command])], log: log))
    #expect(log.outcomes == [.done])
    let skipped = played.events.filter { $0.event.name == "track.skipped" }.count
    #expect(0 < skipped && played.performance.reason == .completed)
  }

  @Test func `a short track after an unplayable one takes its place with a shorter crossfade that begins later`() async
  {
    let played = await perform(session(["A", "bad", "C"], end: 44_000), library)
    // The crossfade takes half of C: 4,000 frames.
    #expect(tracks(played) == ["A 0 at 0.0", "C 2 at 4.5"])
    #expect(played.left[35_999] == 0.5 && played.left[38_000] == 0.3125 && played.left[40_000] == 0.125)
  }

  @Test func `unplayable tracks are skipped at the beginning and several in a row`() async {
    let played = await perform(session(["bad", "bad", "A", "bad", "bad", "B"], end: 64_000), library)
    #expect(tracks(played) == ["A 2 at 0.0", "B 5 at 4.0"])
    #expect(played.performance.totals.damaged == 4)
  }

  @Test func `a playlist that repeats tries an unplayable track only once`() async {
    let played = await perform(session(["A", "bad"], repetition: .playlist, end: 150_000), library)
    #expect(tracks(played).count == 5 && played.performance.totals.damaged == 1)
    let sounds = stride(from: 0, to: 149_000, by: 500).allSatisfy { abs(played.left[$0] - 0.5) < 1e-6 }
    #expect(sounds)
  }

  @Test func `without playable tracks, the session is silent and continues to its end`() async {
    let played = await perform(session(["bad", "bad"], repetition: .playlist, end: 64_000), library)
    #expect(tracks(played).isEmpty && played.frames.count == 64_000 && played.performance.totals.damaged == 2)
    let states = played.events.compactMap { if case .state(let state, _) = $0.event { state.name } else { nil } }
    #expect(states == ["playing", "finished"])
  }

  @Test func `a stage that ends with its music ends at once if none of its tracks can be played`() async {
    let stages = [["A"], ["bad"], ["B"]].map { names in
      Programme.Stage(names.joined(), names.map { track($0, 40_000) })
    }
    let played = await perform(programme(stages), library)
    let started = played.events.filter { $0.event.name == "stage.started" }
    #expect(started.map(\.session) == [0, 5, 5] && tracks(played) == ["A 0 at 0.0", "B 0 at 5.0"])
    #expect(played.left == Array(repeating: 0.5, count: 40_000) + Array(repeating: 0.25, count: 40_000))
  }

  @Test func `the block length changes neither the sound nor the events when a track is unplayable`() async {
    let once = await perform(session(["A", "bad", "C", "B"], end: 64_000), library)
    let again = await perform(session(["A", "bad", "C", "B"], end: 64_000), library, blockLength: 7_001)
    let isSame = once.frames == again.frames
    #expect(isSame && once.lines == again.lines)
  }
}

/// More sounds in quick succession than there are voices.
@Suite struct DenseTests {
  let library = TestLibrary(["click": .constant(0.5, length: 8), "A": .constant(0.25, length: 80)])

  @Test func `tracks of a millisecond follow each other without a gap`() async {
    let stage = Programme.Stage("S", [track("click", 8)], for: .frames(8_000), repetition: .playlist)
    let played = await perform(programme([stage]), library)
    let isWhole = played.left == Array(repeating: 0.5, count: 8_000)
    #expect(isWhole)
    #expect(played.performance.totals.tracks == 1_000 && played.performance.damage.isEmpty)
  }

  @Test func `stages of ten milliseconds each play their track`() async {
    let stages = (0..<200).map { Programme.Stage("\($0)", [track("A", 80)], for: .frames(80)) }
    let played = await perform(programme(stages), library)
    let isWhole = played.left == Array(repeating: 0.25, count: 16_000)
    #expect(isWhole)
    #expect(played.performance.totals.tracks == 200)
  }
}
