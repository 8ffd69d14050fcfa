package import Signal

/// What control asks of the mixer at a frame: plain data, copied through a ring.
struct RenderCommand: BitwiseCopyable {
  enum Action: BitwiseCopyable {
    case start(VoiceStart)
    /// The music steps back for an owner, or comes forward again.
    case duck(owner: Int32, Fade)
    /// The volume of one bus.
    case volume(Bus, Fade)
    case master(Fade)
    /// Of a pause: closes before the session stands still, and opens when it goes on.
    case gate(Fade)
  }

  /// The session frame before which it takes effect.
  var at: FrameTime
  var action: Action

  /// The voice that it starts, if any.
  var started: Int32? {
    @_noLocks get { if case .start(let part) = action { part.voice } else { nil } }
  }
}

/// A voice's whole part: where it begins, how long it lasts, and its gain as a product of closed forms.
package struct VoiceStart: BitwiseCopyable, Sendable {
  package var voice: Int32
  /// Voices are summed in this order, whichever slots they lie in, so that a mix has the same bits every time.
  package var ordinal: Int64
  package var bus: Bus
  /// The frame at which its first one sounds.
  package var begin: FrameTime
  /// From `begin` on.
  package var length: FrameCount
  /// It has begun before the frame of the command: the render was taken back to there.
  package var isUnderWay: Bool
  package var gain: Float
  package var fadeIn: Fade
  package var fadeOut: Fade
  package var leave: Fade
  package var ramp: Fade

  package init(
    voice: Int32, ordinal: Int64, bus: Bus, begin: FrameTime, length: FrameCount, isUnderWay: Bool = false,
    gain: Float, fadeIn: Fade, fadeOut: Fade, leave: Fade, ramp: Fade = .unity
  ) {
    self.voice = voice
    self.ordinal = ordinal
    self.bus = bus
    self.begin = begin
    self.length = length
    self.isUnderWay = isUnderWay
    self.gain = gain
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.leave = leave
    self.ramp = ramp
  }
}

/// The three sums of a session's sound. Only music is ducked.
package enum Bus: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  case music, overlays, effects
}

/// What the mixer tells control: plain data, copied through a ring.
package enum RenderReport: BitwiseCopyable, Sendable {
  case started(voice: Int32, at: FrameTime)
  /// - missing: frames of its planned length that its feed did not have.
  case ended(voice: Int32, at: FrameTime, missing: FrameCount)
  /// A feed had nothing in time: the listener has heard that many frames of silence in its place.
  case starved(voice: Int32, at: FrameTime, frames: FrameCount)
  /// A feed has had nothing for so long that it may never have anything.
  case stalled(voice: Int32, at: FrameTime)
  /// A command came after its frame had been rendered, and was carried out at once.
  ///
  /// - voice: the one that it starts, if any.
  case late(voice: Int32?, at: FrameTime, by: FrameCount)
}
