package import Signal

/// The volumes, and the fades of pauses and of the end, as fades over session frames. As values they can be sent to the
/// mixer again after a rewind.
package struct Settings: Sendable {
  /// Multiplies the whole mix. It fades to 0 for a pause, and to 1 when the session resumes.
  package var transportFade = Fade.unity
  /// Multiplies the whole mix. It fades to 0 when a command ends the session, even while a resumed session fades in.
  package var closingFade = Fade.unity
  /// The volumes that have been set; nil stands for the master volume.
  private var fades: [Layer?: Fade]

  package init(master: Gain) {
    // The fade has ended at every frame. Half of the minimum keeps differences between frames from overflowing.
    fades = [nil: Fade(from: master.linear, to: master.linear, start: .min / 2, length: 0, curve: .linear)]
  }

  /// The volume of a layer, or the master volume if `layer` is nil.
  package subscript(layer: Layer?) -> Fade {
    get { fades[layer] ?? .unity }
    set { fades[layer] = newValue }
  }
}

extension Fade {
  /// Replaces the fade by one to `target` that starts at `frame` with the gain that the fade has there.
  package mutating func move(to target: Float, at frame: FrameTime, over length: FrameCount) {
    self = Fade(from: gain(at: frame), to: target, start: frame, length: length, curve: .sCurve)
  }
}
