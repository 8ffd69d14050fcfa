import Engine
import Schedule
import Signal

extension Settings {
  /// Sends the mixer the fades of all volumes, of pauses and of the end, so that they continue from `frame`.
  func command(_ mixerControl: inout MixerControl, at frame: FrameTime) {
    for fade in held(self[nil], at: frame) { mixerControl.master(fade, at: frame) }
    for fade in held(transportFade, at: frame) { mixerControl.transportFade(fade, at: frame) }
    for fade in held(closingFade, at: frame) { mixerControl.closingFade(fade, at: frame) }
    for layer in Layer.allCases {
      for fade in held(self[layer], at: frame) { mixerControl.volume(of: layer.bus, fade, at: frame) }
    }
  }

  /// The commands that make the mixer follow `fade` at `frame`; none for unity.
  ///
  /// The mixer starts a fade from the gain that it has. A fade that starts at `frame` or later is therefore preceded by
  /// a constant one with its start gain.
  private func held(_ fade: Fade, at frame: FrameTime) -> [Fade] {
    if fade == .unity { return [] }
    if fade.start < frame { return [fade] }
    return [Fade(from: fade.from, to: fade.from, start: frame - 1, length: 0, curve: .linear), fade]
  }
}
