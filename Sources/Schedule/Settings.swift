package import Signal

/// The volumes and the fade of starts and pauses, as fades over session frames. As values they can be sent to the mixer
/// again after a rewind.
package struct Settings: Sendable {
  package var master: Fade
  /// Multiplies the whole mix. It fades to 0 for a pause and at the end.
  package var transportFade = Fade.unity
  package var music = Fade.unity
  package var overlays = Fade.unity
  package var effects = Fade.unity

  package init(master: Gain) {
    // The fade has ended at every frame. Half of the minimum keeps differences between frames from overflowing.
    self.master = Fade(from: master.linear, to: master.linear, start: .min / 2, length: 0, curve: .linear)
  }

  /// A fade to `target` that starts at `frame` with the gain that `fade` has there.
  package static func moved(_ fade: Fade, to target: Float, at frame: FrameTime, over length: FrameCount) -> Fade {
    Fade(from: fade.gain(at: frame), to: target, start: frame, length: length, curve: .sCurve)
  }

  /// The volume of a layer, or the master volume if `layer` is nil.
  package func fade(of layer: Layer?) -> Fade {
    switch layer {
    case nil: master
    case .music: music
    case .overlay: overlays
    case .effect: effects
    }
  }

  /// Moves the volume of a layer, or the master volume if `layer` is nil, over `length` frames.
  package mutating func move(_ layer: Layer?, to gain: Gain, at frame: FrameTime, over length: FrameCount) {
    let move = { (fade: Fade) in Self.moved(fade, to: gain.linear, at: frame, over: length) }
    switch layer {
    case nil: master = move(master)
    case .music: music = move(music)
    case .overlay: overlays = move(overlays)
    case .effect: effects = move(effects)
    }
  }
}
