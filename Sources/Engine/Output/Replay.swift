package import Signal

/// The last frames that were written to a live output, by their position in the output. From it, an output sends again
/// what was not heard when an outage is over, and fades out sound that is already on its way to the listener.
package struct Replay {
  private var frames: [Frame]
  /// The position after the frame that was written last.
  package private(set) var end: FrameTime = 0
  /// The position after the last frame that was ever written. After a rewind, the frames between `next` and this
  /// position are older ones, which the output plays unless they are replaced.
  package private(set) var furthest: FrameTime = 0
  /// The first position whose frame is still stored.
  package private(set) var oldest: FrameTime = 0
  /// The position at which the next frames replace older ones; nil if they are appended.
  private var rewound: FrameTime?
  /// The fade-in after an interruption; `unity` before the first one.
  private var fadeIn = Fade.unity
  /// The crossfade from replaced frames to those that replace them; `unity` if these are heard from the first one on.
  private var crossfade = Fade.unity
  /// Of both fades.
  private let fadeLength: FrameCount

  /// - Parameter seconds: how much sound is stored.
  package init(seconds: Double, at rate: SampleRate) {
    frames = Array(repeating: .silence, count: max(1, Int(rate.frames(seconds))))
    fadeLength = rate.frames(0.02)
  }

  /// The position of the next frame that is written.
  package var next: FrameTime { rewound ?? end }
  /// Whether the next frames replace older ones.
  package var isRewound: Bool { rewound != nil }

  /// Stores frames from `next` on.
  package mutating func append(_ block: UnsafeBufferPointer<Frame>) {
    cut()
    store(block)
  }

  private mutating func store(_ block: UnsafeBufferPointer<Frame>) {
    var rest = block[...]
    while !rest.isEmpty {
      let first = Int(end % FrameTime(frames.count))
      let part = rest.prefix(frames.count - first)
      frames.replaceSubrange(first..<first + part.count, with: part)
      rest = rest.dropFirst(part.count)
      end += FrameTime(part.count)
    }
    furthest = max(furthest, end)
    oldest = max(oldest, furthest - FrameTime(frames.count))
  }

  /// Makes the next frames replace those from `position` on, as far as they are stored. Until then, `end` stays.
  ///
  /// - Parameter sent: the position up to which the output has received frames, or silence after the last one. That
  ///   silence can't be replaced before `position`.
  package mutating func rewind(to position: FrameTime, sent: FrameTime) {
    let first = max(position, oldest)
    if end < first, first <= sent {
      Array(repeating: Frame.silence, count: Int(first - end)).withUnsafeBufferPointer { store($0) }
    }
    rewound = min(first, end)
    crossfade = .unity
  }

  /// Discards the frames that would have been replaced: nothing replaces them any more.
  package mutating func cut() { if let start = rewound.take() { end = start } }

  /// Makes the sound fade in from `position` on.
  package mutating func fadeIn(at position: FrameTime) {
    fadeIn = .rising(at: position, over: fadeLength, .sCurve)
  }

  /// The next frames, after a rewind, are too late to be heard before `position`: there the output crossfades from the
  /// replaced frames, which it plays until then, to the new ones.
  package mutating func crossfade(at position: FrameTime) {
    crossfade = .rising(at: position, over: fadeLength, .sCurve)
  }

  /// Frames for `next`, with the crossfade; nil if it does not change them. They are stored like this.
  package func crossfaded(_ block: UnsafeBufferPointer<Frame>) -> [Frame]? {
    guard next < crossfade.end else { return nil }
    return block.enumerated().map { offset, frame in
      let position = next + FrameTime(offset)
      let gain = crossfade.gain(at: position)
      let replaced = position < furthest ? frames[Int(position % FrameTime(frames.count))] : .silence
      return replaced * (1 - gain) + frame * gain
    }
  }

  /// Frames for a position, with the fade-in; nil if it does not change them.
  package func faded(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) -> [Frame]? {
    position < fadeIn.end ? frames.enumerated().map { $1 * fadeIn.gain(at: position + FrameTime($0)) } : nil
  }

  /// The position from which the sound continues after an outage.
  package func restart(heard: FrameTime) -> FrameTime { max(min(heard, next), oldest) }

  /// The frames that an output has to play again from `position` on, after an outage. What was to be replaced is
  /// discarded. The sound fades in, unless nothing has been heard yet: the session then starts with its own fade-in.
  package mutating func unheard(from position: FrameTime) -> [Frame] {
    cut()
    furthest = end
    crossfade = .unity
    if position == 0 { fadeIn = .unity } else { fadeIn(at: position) }
    return self[position..<max(position, end)]
  }

  /// The frames in a range of positions.
  ///
  /// - Precondition: the range is between `oldest` and `furthest`.
  package subscript(range: Range<FrameTime>) -> [Frame] { range.map { frames[Int($0 % FrameTime(frames.count))] } }

  /// Applies a fade-out to a range of positions. A second fade-out may be applied to frames that have been faded
  /// before.
  ///
  /// - Precondition: the range is between `oldest` and `furthest`.
  package mutating func fadeOut(over range: Range<FrameTime>) {
    let fade = Fade.falling(at: range.lowerBound, over: FrameCount(range.count), .sCurve)
    for position in range {
      let index = Int(position % FrameTime(frames.count))
      frames[index] = frames[index] * fade.gain(at: position)
    }
  }
}
