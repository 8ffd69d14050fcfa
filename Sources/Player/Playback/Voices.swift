import Engine
import Schedule
import Signal

/// Computes the number of voices that a programme needs.
enum Voices {
  /// A voice is leased at most this many seconds before its sound begins. It is released up to one second after its
  /// end.
  private static let margin = Executor.lookahead + 2

  /// Maximum number of music voices. If many short tracks follow each other, a track waits until a voice is free.
  private static let mostMusic = 256.0

  /// Voices for commands, in addition to the plan. An unused voice costs nothing.
  private static let forListener = 16

  /// The number of voices per layer: for music, the number of tracks that can begin within the lookahead; for cues, the
  /// maximum number that the session plays at the same time; and for each, some voices for commands.
  static func needed(by programme: Programme) -> Engine.Voices {
    let planned = programme.plannedCues(limit: 200_000)
    let cues = planned.map { $0.session + $0.stages.joined() } ?? []
    return Engine.Voices(
      music: music(of: programme), overlays: forListener + most(of: cues, in: .overlay, at: programme.rate),
      effects: forListener + most(of: cues, in: .effect, at: programme.rate))
  }

  private static func music(of programme: Programme) -> Int {
    let steps = programme.layout.flatMap { layout in
      let length = layout.end.map { max(1, $0 - layout.begin) } ?? .endless
      return layout.music.tracks.map {
        min(length, max(1, $0.length - layout.music.overlap(between: $0, and: $0)))
      }
    }
    guard let shortest = steps.min() else { return forListener }
    let window = Double(programme.rate.frames(margin + Executor.step))
    return forListener + Int(min(mostMusic, 2 * window / Double(shortest)))
  }

  private static func most(of cues: [Clip], in layer: Layer, at rate: SampleRate) -> Int {
    let margin = rate.frames(margin)
    let chosen = cues.filter { $0.layer == layer }
    let begins = chosen.map { $0.at - margin }.sorted()
    let ends = chosen.map { $0.length == .endless ? .endless : $0.end + rate.frames(1) }.sorted()
    var most = 0
    var ended = 0
    for (begun, begin) in begins.enumerated() {
      while ends[ended] <= begin { ended += 1 }
      most = max(most, begun + 1 - ended)
    }
    return min(most, 4_096)
  }
}

extension Layer {
  var bus: Bus {
    switch self {
    case .music: .music
    case .overlay: .overlays
    case .effect: .effects
    }
  }
}
