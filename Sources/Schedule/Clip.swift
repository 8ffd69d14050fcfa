package import Signal
package import Sounds

/// The three layers of a session's sound. Each layer has its own volume; the master volume scales all three.
public enum Layer: String, Sendable, Hashable, Codable, CaseIterable {
  /// The tracks of the stages.
  case music
  /// The sounds over the music.
  case overlay
  /// The gongs.
  case effect
}

/// How far and how fast the music is lowered while a clip plays.
package struct Duck: Sendable, Hashable {
  /// Gain of the music while the clip plays.
  package var depth: Gain
  /// Frames from unity gain down to `depth`, from the clip's beginning on.
  package var attack: FrameCount
  /// Frames back to unity gain, from the clip's end on.
  package var release: FrameCount

  package init(depth: Gain, attack: FrameCount, release: FrameCount) {
    self.depth = depth
    self.attack = attack
    self.release = release
  }
}

/// The playlist entry that a music clip plays.
package struct PlaylistEntry: Sendable, Hashable {
  /// Index in the playlist, from 0.
  package var index: Int
  /// Number of completed passes of the playlist (or of the track, with `RepeatMode.track`); 0 for the first pass.
  package var pass: Int
  /// Frames for which the entry overlaps the previous entry of the same stage; 0 for a gapless join.
  package var overlap: FrameCount
}

/// Identifies a clip. A clip gets its identifier when it is planned, and keeps it when edits change its times. Two
/// clips are the same clip if and only if their identifiers are equal.
package struct ClipID: Sendable, Hashable {
  package enum Origin: Sendable, Hashable {
    /// `move`: number of navigations of the listener before the track was planned. `trackPlay`: index of the track play
    /// since that navigation. `entry`: identity of the playlist entry, so that a different track at the same index is a
    /// different clip.
    case track(move: Int, trackPlay: Int, entry: Int)
    /// `visit`: number of the visit to the stage, 0 for a session-wide cue. `cue`: number of the cue in the session.
    /// `start`: index into the cue's positions. `time`: index of the repeat of an overlay, or of the strike of a gong.
    case cue(visit: Int, cue: Int, start: Int, time: Int)
  }

  package var origin: Origin
  /// Index of the stage that it belongs to; nil for a session-wide cue.
  package var stage: Int?
  /// Number of times the clip has been paused and resumed. Each part is played by a separate voice.
  package var part = 0

  package init(_ origin: Origin, stage: Int?, part: Int = 0) {
    self.origin = origin
    self.stage = stage
    self.part = part
  }

  /// Sort key within one frame: session-wide cues first, then stage by stage, and in each stage the music before the
  /// cues. Voices are summed and events of one frame are emitted in this order.
  ///
  /// Each field has more bits than the longest session needs; a larger value counts as the largest one.
  package var ordinal: UInt128 {
    func bits(_ value: Int, _ count: Int) -> UInt128 { UInt128(min(max(0, value), 1 << count - 1)) }
    let stage = bits((stage ?? -1) + 1, 11) << 117
    return switch origin {
    case .track(let move, let trackPlay, _): stage | bits(move, 30) << 80 | bits(trackPlay, 50) << 30 | bits(part, 30)
    case .cue(let visit, let cue, let start, let time):
      stage | 1 << 116 | bits(visit, 22) << 94 | bits(cue, 22) << 72 | bits(start, 18) << 54 | bits(time, 42) << 12
        | bits(part, 12)
    }
  }

  /// The identifier of the first part. It is the same for all parts into which pauses have split a sound.
  package var firstPart: ClipID { ClipID(origin, stage: stage) }
}

/// One playback of one sound, with everything that the engine needs to play it at the exact frame.
///
/// All times are session frames. The gain at a frame is `gain` multiplied by the gains of all fades.
package struct Clip: Sendable, Hashable {
  package var id: ClipID
  package var layer: Layer
  package var source: SoundSource
  package var title: String
  /// The session frame of the sound's first frame. It can be negative after a seek into the middle of a track.
  package var at: FrameTime
  /// The session frame at which playback starts in the middle of the sound, after `at`; nil if it starts at `at`.
  package var entryFrame: FrameTime?
  /// Frames from `at` to the end of the sound or of the fade that ends it; `.endless` if neither ends.
  package var length: FrameCount
  package var gain: Gain
  /// `fadeIn` starts the clip. `fadeOut` is the crossfade into the next track, or an overlay's own fade-out. `leave`
  /// ends the clip when its stage ends, or when a command ends or replaces it.
  package var fadeIn: Fade?
  package var fadeOut: Fade?
  package var leave: Fade?
  /// How the sound joins its neighbours, if it is converted together with them.
  package var join: SoundJoin?
  /// Prevents a click where playback starts in the middle of the sound.
  package var ramp: Fade?
  package var duck: Duck?
  /// The clip ends because it is paused; another part may follow.
  package var isPaused = false
  /// For overlays: the clip plays in addition to the current overlay instead of replacing it.
  package var isLayer = false
  /// The playlist entry of a music clip; nil for a cue.
  package var entry: PlaylistEntry?
  /// The playback that a seek continues with this clip; nil if the clip begins one.
  var playback: TrackID?
  /// Index of the entry in the playlist as the session file lists it, if unplayable entries were removed; otherwise
  /// nil.
  package var number: Int?
  /// For music: the tags of the source.
  package var tags = SoundTags()
  /// What is said when, in order, counted from `at`.
  package var captions: [Caption] = []

  package init(
    _ id: ClipID, layer: Layer, source: SoundSource, title: String, at: FrameTime, length: FrameCount,
    gain: Gain = .unity
  ) {
    self.id = id
    self.layer = layer
    self.source = source
    self.title = title
    self.at = at
    self.length = length
    self.gain = gain
  }

  /// Index of the stage that it belongs to; nil for a session-wide cue.
  package var stage: Int? { id.stage }

  /// The playback of a track to which it belongs; nil for a cue.
  package var trackID: TrackID? {
    guard case .track(let move, let trackPlay, let entry) = id.origin else { return nil }
    return playback ?? TrackID(move: move, stage: id.stage ?? 0, trackPlay: trackPlay, entry: entry)
  }

  /// The first frame that is heard.
  package var begin: FrameTime { max(at, entryFrame ?? at) }

  /// The frame after the last one; `.endless` if nothing ends the clip.
  package var end: FrameTime { length == .endless ? .endless : at + length }

  /// Whether the clip resumes one that was paused.
  package var isContinued: Bool { 0 < id.part }
}

extension Clip {
  /// The clip, which starts in its middle if it has begun by `frame`.
  package func entered(at frame: FrameTime) -> Clip {
    var entered = self
    if begin < frame { entered.entryFrame = frame }
    return entered
  }

  /// A copy of the clip that is `frames` later, with its fades.
  func shifted(by frames: FrameCount) -> Clip {
    var moved = self
    moved.at += frames
    moved.entryFrame = entryFrame.map { $0 + frames }
    moved.fadeIn = fadeIn?.shifted(by: frames)
    moved.fadeOut = fadeOut?.shifted(by: frames)
    moved.leave = leave?.shifted(by: frames)
    moved.ramp = ramp?.shifted(by: frames)
    return moved
  }

  /// Fades the clip out from `frame`, starting at the current gain of `leave`, and ends it with that fade. An earlier
  /// `leave` to silence that ends sooner is kept. Music with fewer frames left fades out over those; an overlay plays to
  /// its own end within the fade, as at the end of a stage.
  mutating func leave(at frame: FrameTime, over shape: FadeShape) {
    let remaining = layer == .overlay ? .endless : end - frame
    let length = CrossfadeOrchestrator.strategy(remaining: remaining, wanted: shape.length).fadeOut
    let from = leave?.gain(at: frame) ?? 1
    if let leave, leave.to == 0, leave.start <= frame, leave.end <= frame + length { return }
    leave = Fade(from: from, to: 0, start: frame, length: length, curve: shape.curve)
    self.length = min(self.length, frame + length - at)
    // A crossfade into a track that no longer follows would fade the track twice.
    let first = layer == .music ? frame : end
    if let fadeOut, first <= fadeOut.start { self.fadeOut = nil }
  }

  /// Whether a fade to silence has started by `frame`.
  package func isFadingOut(at frame: FrameTime) -> Bool {
    [fadeOut, leave].contains { $0.map { $0.start <= frame && $0.to == 0 } ?? false }
  }

  /// Applies `change` to the fade-outs that have started by `frame`, and ends the clip where the first of them ends.
  mutating func changeFadeOuts(at frame: FrameTime, _ change: (Fade) -> Fade) {
    if let fade = fadeOut, fade.start <= frame { fadeOut = change(fade) }
    if let fade = leave, fade.start <= frame { leave = change(fade) }
    let ends = [fadeOut, leave].compactMap { $0 }.filter { $0.to == 0 }.map(\.end)
    if let end = ends.min() { length = min(length, end - at) }
  }

  /// The part that resumes a paused clip at `frame`.
  ///
  /// - Parameters:
  ///   - shift: the length of the pause in frames; if it is 0, the clip is returned unchanged.
  ///   - length: frames of the ramp that prevents a click.
  func continued(at frame: FrameTime, later shift: FrameCount, ramp length: FrameCount) -> Clip {
    if shift == 0 { return self }
    var clip = shifted(by: shift)
    clip.id.part += 1
    clip.entryFrame = frame
    clip.ramp = .rising(at: frame, over: length, .sCurve)
    return clip
  }
}

extension Fade {
  func shifted(by frames: FrameCount) -> Fade {
    var moved = self
    moved.start += frames
    return moved
  }
}
