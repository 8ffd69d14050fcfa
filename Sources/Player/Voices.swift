import Engine
import Signal

/// How many voices a programme needs.
enum Voices {
  /// Slots are taken up to this many seconds before a sound begins, and given back up to a second after its end.
  private static let margin = Conductor.lookahead + 2

  /// Music never needs more than a few at once; of cues, the most that the plan has sound together.
  static func needed(by programme: Programme) -> Engine.Voices {
    let cues = programme.cues + programme.stages.flatMap(\.cues)
    return Engine.Voices(
      music: 12, overlays: max(2, most(of: cues, in: .overlay, at: programme.rate)),
      effects: max(4, most(of: cues, in: .effect, at: programme.rate)))
  }

  private static func most(of cues: [Placement], in layer: Layer, at rate: SampleRate) -> Int {
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
    return min(most, 1_024)
  }
}
