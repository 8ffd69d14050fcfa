public import Engine
public import Signal

/// The three layers of a session's sound; each has its own volume, and the master scales them all.
public enum Layer: String, Sendable, Hashable, Codable, CaseIterable {
  case music, overlay, effect
}

/// The music steps back while a placement sounds.
public struct Duck: Sendable, Hashable {
  public var depth: Gain
  public var attack: FrameCount
  public var release: FrameCount

  public init(depth: Gain, attack: FrameCount, release: FrameCount) {
    self.depth = depth
    self.attack = attack
    self.release = release
  }
}

/// Which entry of its stage's playlist a placement plays.
public struct PlaylistEntry: Sendable, Hashable, Codable {
  public var index: Int
  /// 0 for the first time round.
  public var pass: Int
  /// How long it and its predecessor in the same stage sound together.
  public var overlap: FrameCount

  public init(index: Int, pass: Int, overlap: FrameCount) {
    self.index = index
    self.pass = pass
    self.overlap = overlap
  }
}

/// One sound at its place in the session: everything the engine needs to play it to the frame.
///
/// All times are session frames. The gain at a frame is `gain` times the product of the fades.
public struct Placement: Sendable, Hashable {
  public var layer: Layer
  public var source: SoundSource
  public var title: String
  /// Index of the stage that it belongs to; nil for a session-wide cue.
  public var stage: Int?
  public var at: FrameTime
  /// Where it is entered in its middle, behind `at`; nil for at its beginning.
  public var enters: FrameTime?
  /// Of one playing of it, whatever becomes of its times; 0 before it has been commanded.
  public var serial = 0
  /// The listener has set it aside: its end is not one.
  var isSetAside = false
  /// It goes on where it was set aside: its beginning is not one.
  var isTakenUp = false
  /// Frames of the source that are left out before the first one that sounds.
  public var offset: FrameCount
  /// Frames from `at` to its end, be it the source's or that of its last fade; `.endless` when nothing ends it.
  public var length: FrameCount
  public var gain: Gain
  /// At its beginning, into the following one, and when its stage ends or something replaces it.
  public var fadeIn: Fade?
  public var fadeOut: Fade?
  public var leave: Fade?
  /// Where it is entered in its middle: so that it doesn't click.
  public var ramp: Fade?
  public var duck: Duck?
  /// Of an overlay: its own fade-out, under which it leaves when it is stopped; nil for none.
  public var exit: FadeShape?
  /// Of an overlay in the plan that repeats: which one it is, the same number for all its playings.
  public var repetition: Int?
  /// Of a session-wide cue: its place counts from the session's end.
  public var countsFromEnd = false
  /// Frames from the first strike of a gong, or the first playing of an overlay, to this one. The series counts as one
  /// cue: once its first has begun, the others follow, even after the session's last stage has ended.
  public var offsetInSeries: FrameCount = 0
  /// Of an overlay: it sounds beside the one that is already there, instead of replacing it.
  public var isLayer = false
  /// Of music; nil for a cue.
  public var entry: PlaylistEntry?
  /// The entry's place in the playlist as the listener knows it, where others were left out of it; else nil.
  public var number: Int?

  public init(
    layer: Layer, source: SoundSource, title: String, stage: Int?, at: FrameTime, length: FrameCount,
    gain: Gain = .unity, fadeIn: Fade? = nil, fadeOut: Fade? = nil, leave: Fade? = nil, duck: Duck? = nil
  ) {
    self.layer = layer
    self.source = source
    self.title = title
    self.stage = stage
    self.at = at
    self.offset = 0
    self.length = length
    self.gain = gain
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.leave = leave
    self.duck = duck
  }

  /// The frame at which it begins to sound.
  public var begin: FrameTime { max(at, enters ?? at) }

  /// The frame at which its series begins.
  public var seriesBegin: FrameTime { at - offsetInSeries }

  /// The frame after its last; `.endless` when nothing ends it.
  public var end: FrameTime { length == .endless ? .endless : at + length }
}

extension Placement {
  /// The same, that many frames later.
  func shifted(by frames: FrameCount) -> Placement {
    var moved = self
    moved.at += frames
    moved.enters = enters.map { $0 + frames }
    moved.fadeIn = fadeIn?.shifted(by: frames)
    moved.fadeOut = fadeOut?.shifted(by: frames)
    moved.leave = leave?.shifted(by: frames)
    moved.ramp = ramp?.shifted(by: frames)
    return moved
  }

  /// Goes from `frame` on, from the gain that its leaving has come to, and ends when it is silent.
  mutating func leave(at frame: FrameTime, over shape: FadeShape) {
    let length = min(shape.length, end - frame)
    let from = leave?.gain(at: frame) ?? 1
    if let leave, leave.start <= frame, leave.end <= frame + length { return }
    leave = Fade(from: from, to: 0, start: frame, length: length, curve: shape.curve)
    self.length = frame + length - at
    if let fadeOut, end <= fadeOut.start { self.fadeOut = nil }
  }

  /// Whether both play the same frames of the same sound at the same time.
  func isAlignedWith(_ other: Placement) -> Bool {
    layer == other.layer && source == other.source && at - offset == other.at - other.offset
  }
}

extension Fade {
  func shifted(by frames: FrameCount) -> Fade {
    var moved = self
    moved.start += frames
    return moved
  }
}
