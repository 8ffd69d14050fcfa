import Schedule
import Signal

/// The shape of a fade: the gain as a function of the progress p from 0 to 1. A fade-out is the same curve at 1 − p.
public enum FadeCurve: String, Sendable, Hashable, CaseIterable {
  /// sin(πp/2): the loudness of two unrelated sounds stays constant during a crossfade.
  case equalPower
  /// p: the level of a sound that crossfades into itself stays constant.
  case linear
  /// log10(9p + 1): increases fast at first.
  case logarithmic
  /// p²: increases slowly at first.
  case exponential
  /// 3p² − 2p³: flat at both ends.
  case sCurve

  init(_ curve: Signal.FadeCurve) {
    self =
      switch curve {
      case .equalPower: .equalPower
      case .linear: .linear
      case .logarithmic: .logarithmic
      case .exponential: .exponential
      case .sCurve: .sCurve
      }
  }
}

extension Signal.FadeCurve {
  init(_ curve: FadeCurve) {
    self =
      switch curve {
      case .equalPower: .equalPower
      case .linear: .linear
      case .logarithmic: .logarithmic
      case .exponential: .exponential
      case .sCurve: .sCurve
      }
  }
}
