import Engine
import Schedule
import Signal

extension Settings {
  /// Tells the mixer how things are at `frame`, and how they go on.
  func command(_ desk: inout Desk, at frame: FrameTime) {
    for fade in held(master, at: frame) { desk.master(fade, at: frame) }
    for fade in held(gate, at: frame) { desk.gate(fade, at: frame) }
    for fade in held(music, at: frame) { desk.volume(of: .music, fade, at: frame) }
    for fade in held(overlays, at: frame) { desk.volume(of: .overlays, fade, at: frame) }
    for fade in held(effects, at: frame) { desk.volume(of: .effects, fade, at: frame) }
  }

  /// The mixer begins a fade where the one before it is: so it is first told where that is.
  private func held(_ fade: Fade, at frame: FrameTime) -> [Fade] {
    if fade == .unity { return [] }
    if fade.start < frame { return [fade] }
    return [Fade(from: fade.from, to: fade.from, start: frame - 1, length: 0, curve: .linear), fade]
  }
}
