import Foundation

/// Fades computed from their times alone, for comparison with the frames of a rendered session.
package struct FadeMath: Sendable {
  package var rate: Double

  package init(rate: Double) { self.rate = rate }

  package func frame(_ second: Double) -> Int { Int((second * rate).rounded()) }

  /// The progress of a fade that takes `length` seconds, from 0 to 1.
  package func progress(_ index: Int, from begin: Double, for length: Double) -> Double {
    min(1, max(0, Double(index - frame(begin)) / (length * rate)))
  }

  /// The progress of a fade that finishes quickly from the second `change` on: its remainder takes one second.
  package func quickProgress(_ index: Int, from begin: Double, for length: Double, at change: Double) -> Double {
    if index < frame(change) { return progress(index, from: begin, for: length) }
    let before = (change - begin) / length
    return before + (1 - before) * progress(index, from: change, for: 1)
  }

  /// The gains of the incoming and the outgoing track of an equal-power crossfade.
  package func sides(_ progress: Double) -> (up: Double, down: Double) {
    if progress == 0 || progress == 1 { return (progress, 1 - progress) }
    return (sin(.pi / 2 * progress), cos(.pi / 2 * progress))
  }

  /// The gain of the fades around pauses: at each pause, it falls to 0 within 20 ms and rises again within 20 ms. The
  /// paused time itself is not part of the session.
  package func pauseGain(_ index: Int, pauses: [Double]) -> Double {
    let length = frame(0.02)
    for pause in pauses where (frame(pause)..<frame(pause) + 2 * length).contains(index) {
      let passed = Double(index - frame(pause)) / Double(length)
      return passed < 1 ? 1 - smooth(passed) : smooth(passed - 1)
    }
    return 1
  }

  /// The curve of the short fades that prevent clicks: 3p² − 2p³.
  package func smooth(_ part: Double) -> Double { part * part * (3 - 2 * part) }
}
