import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport

/// A compressed session of three stages that its listener controls: music on the left; voices, beeps and gongs on the
/// right. Levels are constant, so that every fade can be measured.
///
/// Times are session times, which include the 20 ms of each pause's ramp.
struct ThreeStages {
  /// The pauses: when they begin, and for how long.
  static let pauses: [(at: Double, for: Double)] = [(7.35, 30), (14.1, 20), (26, 10), (33, 360)]
  static let ramp = 0.02
  static let mantras = ["peace", "love", "gratitude"]
  /// Sixteen switches of the overlay, each while the one before sounds.
  static let switches = (0..<16).map { (at: 11 + 0.4 * Double($0), voice: mantras[$0 % 3]) }
  static let strikes: [(at: Double, sound: String)] = [
    (0.5, "beep"), (1, "beep"), (1.5, "beep"), (5, "gong"), (18, "gong"), (36, "gong"), (36.5, "gong"), (37, "gong"),
  ]

  let library = TestLibrary([
    "intro": Self.music(0.1), "practice": Self.music(0.2), "closing": Self.music(0.4), "calm": Self.music(0.3),
    "breathing": Self.voice(0.05), "peace": Self.voice(0.1), "love": Self.voice(0.15), "gratitude": Self.voice(0.2),
    "guidance": Self.voice(0.08), "gong": .init(length: 4_000) { _ in Frame(left: 0, right: 0.3) },
    "beep": .init(length: 400) { _ in Frame(left: 0, right: 0.25) },
  ])

  private static func music(_ level: Float) -> TestLibrary.Sound {
    .init(length: 480_000) { _ in Frame(left: level, right: 0) }
  }

  private static func voice(_ level: Float) -> TestLibrary.Sound {
    .init(length: 96_000) { _ in Frame(left: 0, right: level) }
  }

  /// Stages of a minute or more; the listener leaves them early.
  var programme: Programme {
    let names = [
      ("Introduction", ["intro"], 5.0), ("Practice", ["practice"], 5), ("Closing", ["closing", "calm"], 10),
    ]
    let stages = names.map { name, tracks, seconds in
      let shape = FadeShape(length: FrameCount(seconds * 8_000), curve: .equalPower)
      return Programme.Stage(name, tracks.map { track($0, 480_000) }, crossfade: shape)
    }
    var session = Programme(title: "three stages", rate: testRate, master: .unity, stages: stages)
    session.fadeIn = 16_000
    return session
  }

  /// All commands of the listener, by run time.
  var commands: [(Double, [Command])] {
    var due: [(session: Double, command: Command)] = [(0.05, overlay("breathing")), (35, overlay("guidance"))]
    due += Self.strikes.map { ($0.at, .gong(Cue($0.sound))) } + Self.switches.map { ($0.at, overlay($0.voice)) }
    due += [(5, .next), (18, .next), (30, .next), (38, .finish(fade: 3))]
    let begun = due.map { (run($0.session), [$0.command]) }
    let paused = Self.pauses.flatMap { [(run($0.at), [Command.pause]), (run($0.at) + $0.for, [.resume])] }
    return (begun + paused).sorted { $0.0 < $1.0 }
  }

  private func run(_ session: Double) -> Double {
    session + Self.pauses.filter { $0.at < session }.map { $0.for - Self.ramp }.reduce(0, +)
  }

  private func overlay(_ name: String) -> Command {
    .overlay(.play(OverlayRequest(cue: Cue(name), fadeIn: 0.1, fadeOut: 0.1)))
  }
}
