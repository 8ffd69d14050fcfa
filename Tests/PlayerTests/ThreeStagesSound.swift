import Foundation
import Signal

/// What has to be heard of the three stages, worked out from their times alone. Frames are those of the output, in which
/// a pause is no more than its two ramps.
enum ThreeStagesSound {
  static let length = 41 * 8_000

  static func frame(_ index: Int) -> (left: Double, right: Double) {
    let gate = gate(index)
    return (gate * music(index), gate * (voices(index) + strikes(index)))
  }

  private static func at(_ second: Double) -> Int { Int((second * 8_000).rounded()) }

  /// The crossfade that is paused at 47 % keeps its pace; the others are over a second after the pause.
  private static func music(_ index: Int) -> Double {
    let entrance = turn(progress(index, from: 0, for: 2))
    let first = turn(progress(index, from: 5, for: 5))
    let second = turn(hurried(index, from: 18, for: 10, at: 26.02))
    let third = turn(hurried(index, from: 30, for: 10, at: 33.02))
    return 0.1 * entrance.up * first.down + 0.2 * first.up * second.down + 0.4 * second.up * third.down + 0.3 * third.up
  }

  private static func voices(_ index: Int) -> Double {
    let breathing = 0.05 * progress(index, from: 0.05, for: 0.1) * turn(progress(index, from: 5, for: 5)).down
    let guidance = 0.08 * progress(index, from: 35, for: 0.1)
    return breathing + guidance + ThreeStages.switches.indices.map { mantra($0, at: index) }.reduce(0, +)
  }

  /// Each leaves when the next one begins, the last one with the stage.
  private static func mantra(_ number: Int, at index: Int) -> Double {
    let begin = ThreeStages.switches[number].at
    let level = [0.1, 0.15, 0.2][number % 3] * progress(index, from: begin, for: 0.1)
    if level == 0 { return 0 }
    if number == 15 { return level * turn(progress(index, from: 18, for: 10)).down }
    return level * (1 - progress(index, from: begin + 0.4, for: 0.1))
  }

  private static func strikes(_ index: Int) -> Double {
    ThreeStages.strikes.map { struck in
      let length = struck.sound == "gong" ? 4_000 : 400
      return (at(struck.at)..<at(struck.at) + length).contains(index) ? struck.sound == "gong" ? 0.3 : 0.25 : 0
    }.reduce(0, +)
  }

  /// Closes and opens in each pause, and closes at the end.
  private static func gate(_ index: Int) -> Double {
    for pause in ThreeStages.pauses where (at(pause.at)..<at(pause.at) + 320).contains(index) {
      let passed = Double(index - at(pause.at)) / 160
      return passed < 1 ? 1 - smooth(passed) : smooth(passed - 1)
    }
    return 1 - smooth(progress(index, from: 38, for: 3))
  }

  private static func smooth(_ part: Double) -> Double { part * part * (3 - 2 * part) }

  private static func turn(_ progress: Double) -> (up: Double, down: Double) {
    if progress == 0 || progress == 1 { return (progress, 1 - progress) }
    return (sin(.pi / 2 * progress), cos(.pi / 2 * progress))
  }

  private static func progress(_ index: Int, from begin: Double, for length: Double) -> Double {
    min(1, max(0, Double(index - at(begin)) / (length * 8_000)))
  }

  private static func hurried(_ index: Int, from begin: Double, for length: Double, at turn: Double) -> Double {
    if index < at(turn) { return progress(index, from: begin, for: length) }
    let before = (turn - begin) / length
    return before + (1 - before) * progress(index, from: turn, for: 1)
  }
}
