public import Signal

/// What a listener has set, in closed form: it is told to the mixer anew whenever the render has been taken back.
public struct Settings: Sendable {
  public var master: Fade
  /// Closes for pauses and for the end.
  public var gate = Fade.unity
  public var music = Fade.unity
  public var overlays = Fade.unity
  public var effects = Fade.unity

  public init(master: Gain) {
    self.master = Fade(from: master.linear, to: master.linear, start: .min / 2, length: 0, curve: .linear)
  }

  /// A fade that begins at `frame` where this one is then.
  public static func moved(_ fade: Fade, to target: Float, at frame: FrameTime, over length: FrameCount) -> Fade {
    Fade(from: fade.gain(at: frame), to: target, start: frame, length: length, curve: .sCurve)
  }

  /// Moves the volume of a layer, or of all.
  public mutating func move(_ layer: Layer?, to gain: Gain, at frame: FrameTime, over length: FrameCount) {
    let move = { (fade: Fade) in Self.moved(fade, to: gain.linear, at: frame, over: length) }
    switch layer {
    case nil: master = move(master)
    case .music: music = move(music)
    case .overlay: overlays = move(overlays)
    case .effect: effects = move(effects)
    }
  }
}
