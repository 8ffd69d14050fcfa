package import Signal

/// A command to the mixer for a certain frame: plain data, copied through a ring.
struct RenderCommand: BitwiseCopyable {
  enum Action: BitwiseCopyable {
    /// Starts a voice, or continues it after a rewind.
    case start(VoiceStart)
    /// Ducks the music on behalf of an owner, or ends that; see `DuckFades`.
    case duck(owner: UInt128, Fade)
    /// Fades the volume of one bus.
    case volume(Bus, Fade)
    /// Fades the master volume.
    case master(Fade)
    /// Fades everything out before a pause, and in when the session resumes.
    case transportFade(Fade)
    /// Fades everything out when a command ends the session.
    case closingFade(Fade)
  }

  /// The session frame at which the command takes effect.
  var at: FrameTime
  var action: Action

  /// The slot of the voice that the command starts; nil for other actions.
  var started: Int32? {
    @_noLocks get { if case .start(let part) = action { part.voice } else { nil } }
  }
}

/// What a voice plays and when. Its gain is the product of `gain` and the four fades, each a closed form of the frame.
package struct VoiceStart: BitwiseCopyable, Sendable {
  /// The slot of the voice.
  package var voice: Int32
  /// Voices are summed in ascending order of this number, whichever slots they have, so that a mix has the same bits
  /// every time.
  package var ordinal: UInt128
  package var bus: Bus
  /// The session frame of the sound's first frame.
  package var begin: FrameTime
  /// Frames from `begin` to the end; `.endless` if only the sound's own end ends the voice.
  package var length: FrameCount
  /// Whether the voice began before the frame of the command, because the render was rewound into the middle of its
  /// sound.
  package var isUnderWay: Bool
  /// Linear gain; 1 leaves the sound unchanged.
  package var gain: Float
  /// The fade at the clip's beginning.
  package var fadeIn: Fade
  /// The fade into the clip that follows it.
  package var fadeOut: Fade
  /// The fade-out when the clip's stage ends, or when another clip replaces it.
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
  /// A voice has started; `at` is its first frame.
  case started(voice: Int32, at: FrameTime)
  /// A voice has ended; `at` is the frame after its last one.
  ///
  /// - missing: frames of its planned length that its sound did not have.
  case ended(voice: Int32, at: FrameTime, missing: FrameCount)
  /// An underrun of a voice has ended: its feed was late, and `frames` frames of its sound were not heard.
  case starved(voice: Int32, at: FrameTime, frames: FrameCount)
  /// An underrun of a voice has lasted so long that it may never end.
  case stalled(voice: Int32, at: FrameTime)
  /// A command for frame `at` arrived after that frame had been rendered, and was executed at once, `by` frames late.
  ///
  /// - voice: the voice that the command starts; nil for other commands.
  case late(voice: Int32?, at: FrameTime, by: FrameCount)
  /// `count` of the reports `starved`, `stalled` and `late` are missing, because control did not read in time; `at` is
  /// the frame at which the first one was lost.
  case lost(count: Int32, at: FrameTime)
}
