import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// Random sequences of commands over random sessions, with tracks that can't be opened. Whatever a listener does, each
/// command has one outcome, the reported track is heard, and no crossfade is left open.
@Suite struct ModelTests {
  /// Levels so far apart that no sum of two equals the third.
  private static let levels: [Float] = [0.1, 0.23, 0.47]
  private static let voice = Cue("voice")

  let library = TestLibrary([
    "0": .constant(levels[0], length: 30_000), "1": .constant(levels[1], length: 20_000),
    "2": .constant(levels[2], length: 50_000), "bad": .init(length: 20_000, brokenAt: 0) { _ in .silence },
    // Silent, so that only the music affects the level.
    "voice": .constant(0, length: 4_000),
  ])

  @Test func `each command has one outcome, and the reported track is heard`() async {
    // Music that waits is resumed and paused at one frame, or a moment is in the last frames of a stage or a crossfade.
    let others: [UInt64] = [2_695, 3_568, 3_683, 4_937, 10_552, 3_468, 22_611, 18_238]
    for seed in Array(1...60) + others { await checkOutcomes(seed) }
  }

  private func checkOutcomes(_ seed: UInt64) async {
    var random = Random(seed: seed)
    let session = Self.session(&random)
    let commands = Self.commands(&random)
    let log = CommandLog()
    let played = await perform(session, library, doing: TimedCommands(commands, log: log))
    let reported = played.events.count { if case .command(_, _, .ended) = $0.event { true } else { false } }
    let asked = commands.prefix(log.moments.count).map(\.1.count).reduce(0, +)
    #expect(log.outcomes.count == asked && reported == asked, "seed \(seed)")
    for event in played.events { if case .warning(let text) = event.event { Issue.record("seed \(seed): \(text)") } }
    #expect(wrongMoments(log, commands, played) == [], "seed \(seed)")
    #expect(played.events.last?.event.name == "session.finished", "seed \(seed)")
    #expect(Self.openCrossfades(played) == [], "seed \(seed)")
  }

  /// Session times of crossfades that begin during another one, end while none is in progress, or never end.
  private static func openCrossfades(_ played: RenderedProgramme) -> [Double] {
    var open: [Double] = []
    var wrong: [Double] = []
    for event in played.events {
      switch event.event.name {
      case "crossfade.started":
        wrong += open
        open = [event.session]
      case "crossfade.completed", "crossfade.cancelled":
        if open.popLast() == nil { wrong.append(event.session) }
      default: break
      }
    }
    return wrong + open
  }

  @Test(arguments: 1...60)
  func `the same commands produce the same sound and the same events`(seed: UInt64) async {
    var random = Random(seed: seed)
    let session = Self.session(&random)
    let commands = Self.commands(&random)
    let once = await perform(session, library, doing: TimedCommands(commands))
    let again = await perform(session, library, blockLength: 5_000, doing: TimedCommands(commands))
    let isSame = once.frames == again.frames
    #expect(isSame, "seed \(seed)")
    let difference = zip(once.lines + ["end"], again.lines + ["end"]).first { $0 != $1 }
    #expect(difference == nil, "seed \(seed)")
  }

  /// Moments at which a track is reported to play, or to be paused, long after any command, but another level is heard.
  /// Skips changes of stage and the last frames of the session, where music fades out alone.
  private func wrongMoments(
    _ log: CommandLog, _ commands: [(Double, [Command])], _ played: RenderedProgramme
  ) -> [String] {
    var wrong: [String] = []
    let stages = played.events.filter { $0.event.name == "stage.started" }.map { Int(testRate.frames($0.session)) }
    for (index, moment) in log.moments.enumerated() where commands[index].1.isEmpty {
      // The last frame heard at that moment.
      let frame = Int(testRate.frames(moment.session)) - 1
      // A track of the stage before may sound for the longest crossfade of these sessions.
      guard frame < played.left.count - 160, !stages.contains(where: { 0..<4_000 ~= frame - $0 }) else { continue }
      let (level, track) = (played.left[frame], moment.track.flatMap { Int($0) })
      if moment.state.lowercased().hasSuffix("paused"), 1e-4 < level {
        wrong.append("\(moment.run) s: the music is reported to be paused, but the level is \(level)")
      }
      guard moment.state == "playing", let track else { continue }
      // Without a crossfade into the next stage, a track that would continue fades out over the 20 ms before it, so that
      // nothing clicks. That is not reported.
      let left = stages.map { $0 - frame }.first { 1...160 ~= $0 } ?? 160
      let isCut = abs(level - Self.levels[track] * Float(left) / 160) < 1e-6
      if abs(level - Self.levels[track]) > 1e-6, !isCut {
        wrong.append("\(moment.run) s: \(track) is reported to play, but the level is \(level)")
      }
    }
    return wrong
  }

  static func constantSession(_ random: inout Random) -> Programme {
    let count = random.next(1...3)
    var session = programme(
      (0..<count).map { index in
        let names = (0..<random.next(1...4)).map { _ in "\(random.next(0...2))" }
        let lengths = ["0": 30_000, "1": 20_000, "2": 50_000] as [String: FrameCount]
        let shape = FadeShape(length: FrameCount(random.next(0...4)) * 1_000, curve: .linear)
        let tracks = names.map { track($0, lengths[$0] ?? 0) }
        if 0 < random.next(0...1) { return Programme.Stage("S\(index)", tracks, crossfade: shape) }
        let length = Double(random.next(40_000...120_000))
        return Programme.Stage("S\(index)", tracks, for: .frames(length), repetition: .playlist, crossfade: shape)
      })
    session.fadeOut = FrameCount(random.next(0...2)) * 4_000
    return session
  }

  static func session(_ random: inout Random) -> Programme {
    programme((0..<random.next(1...3)).map { stage("S\($0)", &random) })
  }

  private static func stage(_ name: String, _ random: inout Random) -> Programme.Stage {
    let names = (0..<random.next(1...4)).map { _ in random.next(0...5) == 0 ? "bad" : "\(random.next(0...2))" }
    let lengths = ["0": 30_000, "1": 20_000, "2": 50_000, "bad": 20_000] as [String: FrameCount]
    let tracks = names.map { track($0, lengths[$0] ?? 0) }
    let shape = FadeShape(length: FrameCount(random.next(0...4)) * 1_000, curve: .equalPower)
    if 0 < random.next(0...1) { return Programme.Stage(name, tracks, crossfade: shape) }
    let length = Double(random.next(40_000...120_000))
    return Programme.Stage(name, tracks, for: .frames(length), repetition: .playlist, crossfade: shape)
  }

  /// Bursts of commands, each followed by an observation after all fades have ended.
  static func commands(_ random: inout Random, isLinear: Bool = false) -> [(Double, [Command])] {
    var run = 0.0
    var commands: [(Double, [Command])] = []
    for _ in 0..<random.next(5...15) {
      for _ in 0..<random.next(1...3) {
        run += Double(random.next(1...300)) / 1_000
        commands.append((run, (0..<random.next(1...3)).map { _ in command(&random) }))
      }
      run += 1.5
      commands.append((run, []))
    }
    return commands
  }

  private static func command(_ random: inout Random) -> Command {
    switch random.next(0...19) {
    case 0...3: .next
    case 4: .previous
    case 5...6: .pause
    case 7...9: .resume
    case 10: .seek(.by(Double(random.next(-3...3))))
    case 11: .jump(track: random.next(0...4))
    case 12: .nextStage
    case 13: .goto(stage: "S\(random.next(0...3))", at: Double(random.next(0...2)))
    case 14: .overlay(.play(OverlayRequest(cue: voice, times: .times(2), delay: 0.3)))
    case 15: .gong(voice)
    case 16: [Command.overlay(.pause), .overlay(.resume), .overlay(.stop), .effects(.stop)][random.next(0...3)]
    case 17: random.next(0...1) == 0 ? .music(.pause) : .music(.resume)
    case 18: edit(&random)
    default: .toggle
    }
  }

  /// A track can't move to its own place, so the stage's end moves instead.
  private static func moveOrExtend(_ from: Int, _ to: Int) -> Command {
    from == to ? .extend(by: [-3, -0.7, 0.9, 4][from]) : .playlist(.move(from: from, to: to))
  }

  private static func edit(_ random: inout Random) -> Command {
    let cue = Cue("1")
    return switch random.next(0...5) {
    case 0: .playlist(.append([cue]))
    case 1: .playlist(.insert([cue], at: random.next(0...3)))
    case 2: .playlist(.remove(at: random.next(0...3)))
    case 3: moveOrExtend(random.next(0...3), random.next(0...3))
    case 4: .crossfade(duration: Double(random.next(0...4)) / 10, curve: .linear)
    default: .repetition(RepeatMode.allCases[random.next(0...2)], count: random.next(0...2))
    }
  }
}
