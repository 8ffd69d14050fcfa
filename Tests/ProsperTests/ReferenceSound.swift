import Foundation
import Signal
import TestSupport

/// The expected sound of the whole reference session, computed from its times alone. Frames are those of the output, in
/// which a pause takes only its two ramps.
enum ReferenceSound {
  static let length = 1_800 * 8_000
  private static let fades = FadeMath(rate: 8_000)
  static let pauses = [304.5, 435, 720, 898, 1_504.7, 1_620]

  static func frame(_ index: Int) -> (left: Double, right: Double) {
    let open = fades.pauseGain(index, pauses: pauses)
    let gate = open * (1 - fades.smooth(fades.progress(index, from: 1_797, for: 3))) * ReferenceSession.volume
    return (gate * music(index), gate * (voices(index) + strikes(index)))
  }

  /// A crossfade that was paused for six minutes, or in its second half, ends within a second.
  private static func music(_ index: Int) -> Double {
    let entrance = fades.sides(fades.progress(index, from: 0, for: 2)).up
    let first = fades.sides(fades.quickProgress(index, from: 300, for: 10, at: 304.52))
    let again = fades.sides(fades.quickProgress(index, from: 890, for: 10, at: 898.02))
    let oncemore = fades.sides(fades.progress(index, from: 1_480, for: 10))
    let last = fades.sides(fades.progress(index, from: 1_500, for: 10))
    let rounds = again.down + again.up * oncemore.down + oncemore.up
    return 0.2 * entrance * first.down + 0.3 * first.up * rounds * last.down + 0.25 * last.up
  }

  private static func voices(_ index: Int) -> Double {
    let leaving = fades.sides(fades.progress(index, from: 1_500, for: 10)).down
    let guided =
      voice("breathing", index, from: 5, until: 85) + voice("breathing", index, from: 90, until: 166)
      + voice("breathing", index, from: 165, until: 245) + voice("guidance", index, from: 1_530, until: 1_610)
    // Each mantra ends a second after the next one has begun; the last one plays to its end.
    return guided
      + ReferenceSession.switches.enumerated().map { number, said in
        voice(said.voice, index, from: said.at, until: said.at + (number == 15 ? 80 : 73))
      }.reduce(0, +) * leaving
  }

  private static func voice(_ name: String, _ index: Int, from begin: Double, until end: Double) -> Double {
    guard (fades.frame(begin)..<fades.frame(end)).contains(index) else { return 0 }
    let edges = fades.progress(index, from: begin, for: 1) * (1 - fades.progress(index, from: end - 1, for: 1))
    return (ReferenceSession.voices[name] ?? 0) * edges
  }

  /// Gongs last twenty seconds, beeps half a second; both decay linearly.
  private static func strikes(_ index: Int) -> Double {
    ReferenceSession.strikes.map { struck in
      let isBeep = [297, 298, 299, 1_497, 1_498, 1_499].contains(struck)
      let length = isBeep ? 0.5 : 20
      guard fades.frame(struck) <= index else { return 0 }
      return (isBeep ? 0.15 : 0.3) * (1 - fades.progress(index, from: struck, for: length))
        * rest(of: struck, at: index)
    }.reduce(0, +)
  }

  /// A gong that plays when a pause begins is faded out and does not continue.
  private static func rest(of struck: Double, at index: Int) -> Double {
    guard let pause = pauses.first(where: { struck < $0 }) else { return 1 }
    return 1 - fades.smooth(fades.progress(index, from: pause, for: 0.02))
  }
}
