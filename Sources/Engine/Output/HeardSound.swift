import Signal
import Synchronization

/// The sound of the leading output, for the outputs that follow it.
///
/// The render writes each block here before the leading output gets it. A command may take back what has not been heard,
/// so followers read a frame once it has been heard: then it is final. Each of them reads at its own position.
final class HeardSound: Sendable {
  private struct State: Sendable {
    var replay: Replay
    /// The position after the last frame of the session; nil while it plays.
    var end: FrameTime?
  }

  /// Seconds of sound that are kept: more than any output buffers, and as much again for a follower that is late.
  private static let kept = 20.0
  private let state: Mutex<State>
  private let leader: any Sink

  init(of leader: any Sink, at rate: SampleRate) {
    self.leader = leader
    state = Mutex(State(replay: Replay(seconds: Self.kept, at: rate)))
  }

  /// Adds a block that the leading output is about to get. On the render thread.
  func append(_ block: UnsafeBufferPointer<Frame>) { state.withLock { $0.replay.append(block) } }

  /// The next block replaces the frames from `position` on. On the render thread.
  func rewind(to position: FrameTime) { state.withLock { $0.replay.rewind(to: position, sent: position) } }

  /// The leading output fades out what it has not played, and drops the rest.
  func retract(over ramp: FrameCount) {
    let heard = leader.heard
    state.withLock { state in
      let (first, last) = (max(heard, state.replay.oldest), min(heard + max(0, ramp), state.replay.furthest))
      if first < last { state.replay.fadeOut(over: first..<last) }
    }
  }

  /// Nothing follows: the leading output has played everything.
  func close(isRetracted: Bool) {
    let heard = leader.heard
    state.withLock { $0.end = isRetracted ? min(heard, $0.replay.end) : $0.replay.end }
  }

  /// What a follower can read.
  struct Part: Sendable {
    /// The position of its first frame. It is later than that asked for if the follower was too late for it.
    var begin: FrameTime
    var frames: [Frame]
    /// The position up to which frames are final.
    var heard: FrameTime
    /// Whether nothing follows.
    var isLast: Bool

    var end: FrameTime { begin + FrameTime(frames.count) }
  }

  /// The next final frames from `position` on, at most `count`. From any thread.
  func read(from position: FrameTime, upTo count: Int) -> Part {
    let heard = leader.heard
    return state.withLock { state in
      let final = state.end ?? min(heard, state.replay.end)
      let begin = min(max(position, state.replay.oldest), max(position, final))
      let end = min(final, begin + FrameTime(count))
      let frames = begin < end ? state.replay[begin..<end] : []
      return Part(begin: begin, frames: frames, heard: final, isLast: state.end != nil && final <= end)
    }
  }
}
