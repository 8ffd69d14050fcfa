import Engine
import Foundation
import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// A session that is killed and resumed again and again sounds like an uninterrupted one.
@Suite struct TwentyResumesTests {
  private static let kills = 20
  private static let lengths: [FrameCount] = [72_000, 96_000, 120_000, 64_000, 160_000]

  private let library: TestLibrary
  private let session: Programme

  init() {
    var sounds: [String: TestLibrary.Sound] = [
      "voice": .noise(seed: 91, length: 30_000, level: 0.1), "bell": .noise(seed: 92, length: 24_000, level: 0.1),
      "rain": .noise(seed: 93, length: 40_000, level: 0.1),
    ]
    for (index, length) in Self.lengths.enumerated() {
      sounds["\(index)"] = .noise(seed: UInt64(index), length: length, level: 0.1)
    }
    library = TestLibrary(sounds)
    let tracks = Self.lengths.enumerated().map { track("\($0)", $1) }
    let duck = Duck(depth: Gain(linear: 0.3), attack: 900, release: 5_000)
    let stages = [
      Programme.Stage(
        "A", Array(tracks[...1]), for: .frames(240_000), repetition: .playlist,
        crossfade: FadeShape(length: 8_000, curve: .equalPower),
        overlays: [Programme.Overlay("voice", 30_000, at: 50_000, ducking: duck)],
        gongs: [Programme.Gong("bell", 24_000, at: 8_000, 200_000)]),
      Programme.Stage(
        "B", Array(tracks[2...3]), crossfade: FadeShape(length: 24_000, curve: .sCurve),
        overlays: [Programme.Overlay("rain", 40_000, at: 90_000)]),
      Programme.Stage(
        "C", [tracks[4]], for: .frames(300_000), repetition: .playlist,
        crossfade: FadeShape(length: 16_000, curve: .linear), gongs: [Programme.Gong("bell", 24_000, at: 280_000)]),
    ]
    session = programme(stages, fadeIn: 8_000, fadeOut: 24_000)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the parts of a session that is killed and resumed twenty times make up the whole`(seed: UInt64) async throws {
    var random = Random(seed: seed)
    let commands = (0..<24).map { _ in (at: FrameTime(random.next(1...700_000)), do: Self.command(&random)) }
      .sorted { $0.at < $1.at }
    let whole = await run(commands, after: nil, killedAt: .endless)
    // The kills come before the final fade-out: a session that was ending resumes as if the end had not been requested.
    let end = try #require(whole.ends)
    var pieces: [Frame] = []
    var journal: Journal?
    for kill in 1...Self.kills {
      let begin = journal?.frame ?? 0
      let wanted = end * FrameTime(kill) / FrameTime(Self.kills + 1) - FrameTime(random.next(0...4_000))
      // A position is reported every 8,000 frames.
      let part = await run(commands, after: journal, killedAt: max(begin + 9_000, wanted))
      let position = try #require(part.position)
      #expect(begin < position.frame, "seed \(seed), kill \(kill)")
      pieces += part.frames[..<Int(position.frame - begin)]
      journal = try JSONDecoder().decode(Journal.self, from: JSONEncoder().encode(position))
    }
    pieces += await run(commands, after: journal, killedAt: .endless).frames
    #expect(pieces.count == whole.frames.count, "seed \(seed)")
    // Compares up to rounding: voices are summed in the order in which they were planned, which differs.
    let wrong = zip(pieces, whole.frames).enumerated().first {
      1e-6 < abs($1.0.left - $1.1.left) + abs($1.0.right - $1.1.right)
    }
    #expect(wrong == nil, "seed \(seed): frame \(wrong?.offset ?? 0) differs")
  }

  private struct Part {
    var frames: [Frame]
    /// The last position reported before the end of the part; a command at the very end may not have been executed.
    var position: Journal?
    /// When the session began to end, if it did.
    var ends: FrameTime?
  }

  /// Plays from the position of a journal, with the remaining commands, until the sink fails.
  private func run(
    _ commands: [(at: FrameTime, do: Command)], after journal: Journal?, killedAt kill: FrameTime
  ) async -> Part {
    let begin = journal?.frame ?? 0
    let due = commands.filter { begin < $0.at }.map { (testRate.seconds($0.at - begin), [$0.do]) }
    let length = kill == .endless ? Int.max : Int(kill - begin)
    let sink = CollectingSink(failingAt: (length, .cannotWrite(path: "pipe", cause: "killed")))
    let events = Mutex<[StampedEvent]>([])
    let player = AudioPlayerService(
      playing: session, from: library, into: sink, after: journal, options: RenderOptions(blockLength: 480),
      script: TimedCommands(due)
    ) { event in events.withLock { $0.append(event) } }
    let performance = await player.play()
    #expect((performance.failure == nil) == (kill == .endless))
    let (frames, reported) = (sink.frames, events.withLock { $0 })
    let last = begin + FrameTime(frames.count)
    let end = reported.first { event in
      if case .state(let state, _) = event.event { [.fadingOut, .finished].contains(state.kind) } else { false }
    }
    return Part(
      frames: frames, position: reported.compactMap { $0.position?.journal }.last { $0.frame < last },
      ends: end.map { testRate.frames($0.session) })
  }

  private static func command(_ random: inout Random) -> Command {
    let gain = Gain(linear: Float(random.next(2...9)) / 10)
    let name = ["voice", "bell", "rain"][random.next(0...2)]
    let overlay = OverlayRequest(
      cue: Cue(name), fadeIn: 0.1, fadeOut: 0.2, curve: .linear, times: .times(random.next(1...4)), delay: 0.7,
      ducking: OverlayRequest.Ducking(depth: gain, attack: 0.1, release: 0.7), isLayer: random.next(0...1) == 0)
    let commands: [Command] = [
      .next, .previous, .seek(.by(Double(random.next(-5...5)))), .volume(gain, over: 0.3), .gong(Cue(name)),
      .effects(.volume(gain, over: 1)), .overlay(.volume(gain, over: 0.5)), .overlay(.play(overlay)),
      .overlay(.play(overlay)), .overlay(.stop), .playlist(.append([Cue("\(random.next(0...4))")])),
      .playlist(.remove(at: random.next(0...2))), .crossfade(duration: Double(random.next(0...3)), curve: nil),
      .repetition(.playlist, count: random.next(0...1)),
    ]
    return commands[random.next(0...commands.count - 1)]
  }
}
