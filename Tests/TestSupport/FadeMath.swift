import Foundation

/// Fades worked out from their times alone, at frames of a rate: what a rendered session is held against.
package struct FadeMath: Sendable {
  package var rate: Double

  package init(rate: Double) { self.rate = rate }

  package func frame(_ second: Double) -> Int { Int((second * rate).rounded()) }

  /// Of a fade that takes `length` seconds, 0…1.
  package func progress(_ index: Int, from begin: Double, for length: Double) -> Double {
    min(1, max(0, Double(index - frame(begin)) / (length * rate)))
  }

  /// Of one that is hurried at `turn`: what is left there is over in a second.
  package func hurried(_ index: Int, from begin: Double, for length: Double, at turn: Double) -> Double {
    if index < frame(turn) { return progress(index, from: begin, for: length) }
    let before = (turn - begin) / length
    return before + (1 - before) * progress(index, from: turn, for: 1)
  }

  /// The gains of the incoming and of the outgoing side, at equal power.
  package func sides(_ progress: Double) -> (up: Double, down: Double) {
    if progress == 0 || progress == 1 { return (progress, 1 - progress) }
    return (sin(.pi / 2 * progress), cos(.pi / 2 * progress))
  }

  /// Closes and opens within 20 ms each, where the session is paused.
  package func gate(_ index: Int, pauses: [Double]) -> Double {
    let length = frame(0.02)
    for pause in pauses where (frame(pause)..<frame(pause) + 2 * length).contains(index) {
      let passed = Double(index - frame(pause)) / Double(length)
      return passed < 1 ? 1 - smooth(passed) : smooth(passed - 1)
    }
    return 1
  }

  /// The curve of everything that only must not click.
  package func smooth(_ part: Double) -> Double { part * part * (3 - 2 * part) }
}
