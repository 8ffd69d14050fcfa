package import Signal

/// A command to the mixer for a certain frame: plain data, copied through a ring.
struct RenderCommand: BitwiseCopyable {
  enum Action: BitwiseCopyable {
    /// Starts a voice, or continues it after a rewind.
    case start(VoiceStart)
    /// Lowers the music for an owner, or returns it to its level.
    case duck(owner: Int32, Fade)
    /// Moves the volume of one bus.
    case volume(Bus, Fade)
    /// Moves the master volume.
    case master(Fade)
    /// Closes everything before a pause, and opens it when the session resumes.
    case gate(Fade)
  }

  /// The session frame at which it takes effect.
  var at: FrameTime
  var action: Action

  /// The voice that it starts; nil for other actions.
  var started: Int32? {
    @_noLocks get { if case .start(let part) = action { part.voice } else { nil } }
  }
}

/// What a voice plays: its span, and its gain as a product of closed forms.
package struct VoiceStart: BitwiseCopyable, Sendable {
  /// The slot.
  package var voice: Int32
  /// Voices are summed in this order, whichever slots they have, so that a mix has the same bits every time.
  package var ordinal: UInt128
  package var bus: Bus
  /// The session frame of the sound's first frame.
  package var begin: FrameTime
  /// Frames from `begin` to the end; `.endless` if only the sound's own end ends the voice.
  package var length: FrameCount
  /// The voice began before the frame of the command: the render was rewound into the middle of its sound.
  package var isUnderWay: Bool
  /// Linear.
  package var gain: Float
  /// The fade at its beginning.
  package var fadeIn: Fade
  /// The fade into the clip that follows it.
  package var fadeOut: Fade
  /// The fade when its stage ends or something replaces it.
  package var leave: Fade
  /// The short fade that avoids a click where the sound starts in its middle.
  package var ramp: Fade

  package init(
    voice: Int32, ordinal: UInt128, bus: Bus, begin: FrameTime, length: FrameCount, isUnderWay: Bool = false,
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

/// The three groups of voices with a volume of their own. Only music is ducked.
package enum Bus: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  case music, overlays, effects
}

/// What the mixer reports to control: plain data, copied through a ring.
package enum RenderReport: BitwiseCopyable, Sendable {
  /// A voice has started at a frame.
  case started(voice: Int32, at: FrameTime)
  /// A voice has ended before a frame.
  ///
  /// - missing: frames of its planned length that its feed did not deliver.
  case ended(voice: Int32, at: FrameTime, missing: FrameCount)
  /// A gap is over: the feed was late, and the listener heard that many frames of silence instead of the voice.
  case starved(voice: Int32, at: FrameTime, frames: FrameCount)
  /// A gap has lasted so long that it may never end.
  case stalled(voice: Int32, at: FrameTime)
  /// A command arrived after its frame had been rendered, and was executed at once, `by` frames late.
  ///
  /// - voice: the voice that it starts; nil for other commands.
  case late(voice: Int32?, at: FrameTime, by: FrameCount)
}
