import Schedule
import Signal

/// The shape of a fade: the gain as a function of the progress p from 0 to 1. A fade-out is the same curve at 1 − p.
public enum FadeCurve: String, Sendable, Hashable, CaseIterable {
  /// sin(πp/2): keeps the loudness of two unrelated sounds through a crossfade.
  case equalPower
  /// p: keeps the level of a sound that crossfades into itself.
  case linear
  /// log10(9p + 1): rises fast.
  case logarithmic
  /// p²: rises slowly.
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
