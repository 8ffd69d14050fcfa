import Foundation

/// Fades computed from their times alone, at the frames of a rate, for comparison with a rendered session.
package struct FadeMath: Sendable {
  package var rate: Double

  package init(rate: Double) { self.rate = rate }

  package func frame(_ second: Double) -> Int { Int((second * rate).rounded()) }

  /// The progress of a fade that takes `length` seconds, from 0 to 1.
  package func progress(_ index: Int, from begin: Double, for length: Double) -> Double {
    min(1, max(0, Double(index - frame(begin)) / (length * rate)))
  }

  /// The progress of a fade that finishes quickly from `turn` on: the rest of it takes a second.
  package func hurried(_ index: Int, from begin: Double, for length: Double, at trackPlay: Double) -> Double {
    if index < frame(trackPlay) { return progress(index, from: begin, for: length) }
    let before = (trackPlay - begin) / length
    return before + (1 - before) * progress(index, from: trackPlay, for: 1)
  }

  /// The gains of the incoming and the outgoing side, at equal power.
  package func sides(_ progress: Double) -> (up: Double, down: Double) {
    if progress == 0 || progress == 1 { return (progress, 1 - progress) }
    return (sin(.pi / 2 * progress), cos(.pi / 2 * progress))
  }

  /// The gain of pauses: it falls and rises within 20 ms each where the session is paused.
  package func gate(_ index: Int, pauses: [Double]) -> Double {
    let length = frame(0.02)
    for pause in pauses where (frame(pause)..<frame(pause) + 2 * length).contains(index) {
      let passed = Double(index - frame(pause)) / Double(length)
      return passed < 1 ? 1 - smooth(passed) : smooth(passed - 1)
    }
    return 1
  }

  /// The curve of all fades that only prevent clicks.
  package func smooth(_ part: Double) -> Double { part * part * (3 - 2 * part) }
}
