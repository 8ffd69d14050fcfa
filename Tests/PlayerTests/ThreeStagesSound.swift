import TestSupport

/// The expected sound of the three stages, computed from their times alone. Frames are those of the output, in which a
/// pause takes only its two ramps.
enum ThreeStagesSound {
  static let length = 41 * 8_000
  private static let fades = FadeMath(rate: 8_000)

  static func frame(_ index: Int) -> (left: Double, right: Double) {
    let open = fades.pauseGain(index, pauses: ThreeStages.pauses.map(\.at))
    let gate = open * (1 - fades.smooth(fades.progress(index, from: 38, for: 3)))
    return (gate * music(index), gate * (voices(index) + strikes(index)))
  }

  /// The crossfade that is paused at 47 % keeps its pace; the others end within a second after the pause.
  private static func music(_ index: Int) -> Double {
    let entrance = fades.sides(fades.progress(index, from: 0, for: 2))
    let first = fades.sides(fades.progress(index, from: 5, for: 5))
    let second = fades.sides(fades.quickProgress(index, from: 18, for: 10, at: 26.02))
    let third = fades.sides(fades.quickProgress(index, from: 30, for: 10, at: 33.02))
    return 0.1 * entrance.up * first.down + 0.2 * first.up * second.down + 0.4 * second.up * third.down + 0.3 * third.up
  }

  private static func voices(_ index: Int) -> Double {
    let leaving = fades.sides(fades.progress(index, from: 5, for: 5)).down
    let breathing = 0.05 * fades.progress(index, from: 0.05, for: 0.1) * leaving
    let guidance = 0.08 * fades.progress(index, from: 35, for: 0.1)
    return breathing + guidance + ThreeStages.switches.indices.map { mantra($0, at: index) }.reduce(0, +)
  }

  /// Each voice fades out when the next one begins, the last one with the stage.
  private static func mantra(_ number: Int, at index: Int) -> Double {
    let begin = ThreeStages.switches[number].at
    let level = [0.1, 0.15, 0.2][number % 3] * fades.progress(index, from: begin, for: 0.1)
    if level == 0 { return 0 }
    if number == 15 { return level * fades.sides(fades.progress(index, from: 18, for: 10)).down }
    return level * (1 - fades.progress(index, from: begin + 0.4, for: 0.1))
  }

  private static func strikes(_ index: Int) -> Double {
    ThreeStages.strikes.map { struck in
      let begin = fades.frame(struck.at)
      let length = struck.sound == "gong" ? 4_000 : 400
      return (begin..<begin + length).contains(index) ? struck.sound == "gong" ? 0.3 : 0.25 : 0
    }.reduce(0, +)
  }
}
