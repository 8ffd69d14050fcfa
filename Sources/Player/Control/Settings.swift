import Engine
import Signal

/// What a listener has set, in closed form: it is told to the mixer anew whenever the render has been taken back.
struct Settings: Sendable {
  var master: Fade
  /// Closes for pauses and for the end.
  var gate = Fade.unity
  var music = Fade.unity
  var overlays = Fade.unity
  var effects = Fade.unity

  init(master: Gain) {
    self.master = Fade(from: master.linear, to: master.linear, start: .min / 2, length: 0, curve: .linear)
  }

  /// A fade that begins at `frame` where this one is then.
  static func moved(_ fade: Fade, to target: Float, at frame: FrameTime, over length: FrameCount) -> Fade {
    Fade(from: fade.gain(at: frame), to: target, start: frame, length: length, curve: .sCurve)
  }

  /// Moves the volume of a layer, or of all.
  mutating func move(_ layer: Layer?, to gain: Gain, at frame: FrameTime, over length: FrameCount) {
    let move = { (fade: Fade) in Self.moved(fade, to: gain.linear, at: frame, over: length) }
    switch layer {
    case nil: master = move(master)
    case .music: music = move(music)
    case .overlay: overlays = move(overlays)
    case .effect: effects = move(effects)
    }
  }

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
