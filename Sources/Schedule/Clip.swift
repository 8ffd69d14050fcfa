public import Engine
public import Signal

/// The three layers of a session's sound; each has its own volume, and the master volume scales them all.
public enum Layer: String, Sendable, Hashable, Codable, CaseIterable {
  case music, overlay, effect
}

/// The music is lowered while a clip sounds.
public struct Duck: Sendable, Hashable {
  /// Gain of the music meanwhile.
  public var depth: Gain
  public var attack: FrameCount
  public var release: FrameCount

  public init(depth: Gain, attack: FrameCount, release: FrameCount) {
    self.depth = depth
    self.attack = attack
    self.release = release
  }
}

/// Which entry of its stage's playlist a clip plays.
public struct PlaylistEntry: Sendable, Hashable, Codable {
  /// Position in the playlist, from 0.
  public var index: Int
  /// 0 for the first time round.
  public var pass: Int
  /// Frames for which it and its predecessor in the same stage sound together.
  public var overlap: FrameCount

  public init(index: Int, pass: Int, overlap: FrameCount) {
    self.index = index
    self.pass = pass
    self.overlap = overlap
  }
}

/// The name of a clip: given when it is planned, and kept whatever becomes of its times. Two clips are the same if and
/// only if their names are.
public struct ClipID: Sendable, Hashable {
  public enum Origin: Sendable, Hashable {
    /// `move`: how often the listener had gone elsewhere; `turn`: how many turns of the stage came before it since then;
    /// `entry`: the playlist entry's identity, so that another track in the same turn is another clip.
    case track(move: Int, turn: Int, entry: Int)
    /// `start`: which of a cue's positions; `time`: which repeat or strike.
    case cue(visit: Int, cue: Int, start: Int, time: Int)
  }

  public var origin: Origin
  /// Index of the stage that it belongs to; nil for a session-wide cue.
  public var stage: Int?
  /// How often it has been paused and continued: each part has a voice of its own.
  public var part = 0

  public init(_ origin: Origin, stage: Int?, part: Int = 0) {
    self.origin = origin
    self.stage = stage
    self.part = part
  }

  /// Voices are summed in this order, and what begins in one frame is told in it: session-wide cues first, then stage by
  /// stage, the music before the cues.
  public var ordinal: Int {
    func bits(_ value: Int, _ count: Int) -> Int { value & (1 << count - 1) }
    let stage = bits((stage ?? -1) + 1, 10) << 52
    return switch origin {
    case .track(let move, let turn, _): stage | bits(move, 14) << 37 | bits(turn, 31) << 6 | bits(part, 6)
    case .cue(let visit, let cue, let start, let time):
      stage | 1 << 51 | bits(visit, 8) << 43 | bits(cue, 17) << 26 | bits(start, 10) << 16 | bits(time, 12) << 4
        | bits(part, 4)
    }
  }

  /// The name of its first part.
  public var playing: ClipID { ClipID(origin, stage: stage) }

  /// Whether both are parts of one playing, which pauses may have cut in pieces.
  public func isSamePlaying(as other: ClipID) -> Bool { origin == other.origin && stage == other.stage }
}

/// One sounding of one sound: everything the engine needs to play it to the frame.
///
/// All times are session frames. The gain at a frame is `gain` times the product of the fades.
public struct Clip: Sendable, Hashable {
  public var id: ClipID
  public var layer: Layer
  public var source: SoundSource
  public var title: String
  /// Where the sound's first frame lies.
  public var at: FrameTime
  /// Where it is entered in its middle, behind `at`; nil for at its beginning.
  public var enters: FrameTime?
  /// Frames from `at` to its end, be it the sound's or that of its last fade; `.endless` when nothing ends it.
  public var length: FrameCount
  public var gain: Gain
  /// At its beginning, into the following one, and when its stage ends or something replaces it.
  public var fadeIn: Fade?
  public var fadeOut: Fade?
  public var leave: Fade?
  /// Where it is entered in its middle: so that it doesn't click.
  public var ramp: Fade?
  public var duck: Duck?
  /// It is paused at its end, and another part of it may follow.
  public var isPaused = false
  /// Of an overlay: it sounds beside the one that is already there, instead of replacing it.
  public var isLayer = false
  /// Of music; nil for a cue.
  public var entry: PlaylistEntry?
  /// The entry's place in the playlist as the listener knows it, where others were left out of it; else nil.
  public var number: Int?
  /// Of music: what its source says of itself.
  public var tags = SoundTags()

  public init(
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
  public var stage: Int? { id.stage }

  /// The frame at which it begins to sound.
  public var begin: FrameTime { max(at, enters ?? at) }

  /// The frame after its last; `.endless` when nothing ends it.
  public var end: FrameTime { length == .endless ? .endless : at + length }

  /// Whether it is another part of one that was paused.
  public var isContinued: Bool { 0 < id.part }
}

extension Clip {
  /// The same, that many frames later.
  func shifted(by frames: FrameCount) -> Clip {
    var moved = self
    moved.at += frames
    moved.enters = enters.map { $0 + frames }
    moved.fadeIn = fadeIn?.shifted(by: frames)
    moved.fadeOut = fadeOut?.shifted(by: frames)
    moved.leave = leave?.shifted(by: frames)
    moved.ramp = ramp?.shifted(by: frames)
    return moved
  }

  /// Fades out from `frame` on, from the gain that its leaving has come to, and ends when it is silent.
  mutating func leave(at frame: FrameTime, over shape: FadeShape) {
    let length = min(shape.length, end - frame)
    let from = leave?.gain(at: frame) ?? 1
    if let leave, leave.to == 0, leave.start <= frame, leave.end <= frame + length { return }
    leave = Fade(from: from, to: 0, start: frame, length: length, curve: shape.curve)
    self.length = frame + length - at
    if let fadeOut, end <= fadeOut.start { self.fadeOut = nil }
  }

  /// Whether it is on its way out.
  public func isLeaving(at frame: FrameTime) -> Bool {
    [fadeOut, leave].contains { $0.map { $0.start <= frame && $0.to == 0 } ?? false }
  }

  /// Changes the fades that lead it out, and ends it where they do.
  mutating func changeLeaving(at frame: FrameTime, _ change: (Fade) -> Fade) {
    if let fade = fadeOut, fade.start <= frame { fadeOut = change(fade) }
    if let fade = leave, fade.start <= frame { leave = change(fade) }
    let ends = [fadeOut, leave].compactMap { $0 }.filter { $0.to == 0 }.map(\.end)
    if let end = ends.min() { length = min(length, end - at) }
  }

  /// Continues at `frame` where it was paused, that many frames later.
  func continued(at frame: FrameTime, later shift: FrameCount, ramp length: FrameCount) -> Clip {
    if shift == 0 { return self }
    var clip = shifted(by: shift)
    clip.id.part += 1
    clip.enters = frame
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
