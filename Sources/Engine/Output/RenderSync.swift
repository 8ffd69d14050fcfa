package import Signal
import Synchronization

/// The state that the control thread and the render loop share.
///
/// The control thread plans: it sends the commands up to a frame, and then lets the loop render up to there. To change
/// what was planned, it halts the loop, sends the commands again, and lets the loop continue. Every value is an atomic
/// with one writer, except `planned` and `isHaltWanted`, which both threads store in turn. All frames are session
/// frames.
package final class RenderSync: Sendable {
  /// The frame up to which control has sent all commands. The loop sets it back when it halts.
  private let planned: Atomic<FrameTime>
  /// See `mixedFrame`.
  private let mixed: Atomic<FrameTime>
  /// See `renderedFrame`.
  private let rendered: Atomic<FrameTime>
  /// See `waitingFrame`.
  private let waiting = Atomic<FrameTime>(.min)
  /// The end of the render; `.endless` while it is unknown.
  private let last = Atomic<FrameTime>(.endless)
  /// The frame at which a live session is paused; `.endless` while it plays.
  private let pausedAt = Atomic<FrameTime>(.endless)
  /// Whether control has ended the loop.
  private let isStopped = Atomic<Bool>(false)
  /// Whether the loop has ended.
  private let over = Atomic<Bool>(false)
  /// Whether control waits in `halt`.
  private let isHaltWanted = Atomic<Bool>(false)
  /// The frame of the last halt.
  private let haltedAt: Atomic<FrameTime>
  /// The session frames of the output's frames. The lock is held for short times only.
  private let times: Mutex<TimeMap>
  /// See `leastGain` and `limitedFrames`.
  private let gain = Atomic<UInt64>(Double(1).bitPattern)
  private let limitedCount = Atomic<FrameCount>(0)
  /// Wakes the thread of a live render when control has planned or wants it to stop or halt, and when the sound for
  /// which it waits has been decoded.
  let wake = WakeUp()
  /// Wakes control when the loop has halted or ended.
  private let halted = WakeUp()
  /// Wakes the control thread when it may have something to do.
  package let progress = WakeUp()

  init(from start: FrameTime) {
    planned = Atomic(start)
    mixed = Atomic(start)
    rendered = Atomic(start)
    haltedAt = Atomic(start)
    times = Mutex(TimeMap(from: start))
  }

  /// The session frame that the mixer has reached or is about to reach. It is ahead of `renderedFrame` by up to a block
  /// and the limiter's delay.
  package var mixedFrame: FrameTime { mixed.load(ordering: .acquiring) }

  /// The session frame up to which sound has been written to the sink.
  package var renderedFrame: FrameTime { rendered.load(ordering: .acquiring) }
  /// The session frame at which the render waits until control plans more; everything before it has been mixed and
  /// reported. `.min` while frames are rendered.
  package var waitingFrame: FrameTime { waiting.load(ordering: .acquiring) }
  /// The session frame at which the render ends; `.endless` while it is unknown.
  package var endFrame: FrameTime { last.load(ordering: .acquiring) }
  /// The lowest gain of the limiter so far, as a factor.
  package var leastGain: Double { Double(bitPattern: gain.load(ordering: .relaxed)) }
  /// How many frames the limiter has lowered so far. What a command has replaced counts, too.
  package var limitedFrames: FrameCount { limitedCount.load(ordering: .relaxed) }
  /// Whether `stop` was called.
  package var hasStopped: Bool { isStopped.load(ordering: .acquiring) }

  /// The session frame that is heard at a frame of the output.
  package func session(at output: FrameCount) -> FrameTime { times.withLock { $0.session(at: output) } }
}

/// Called on the control thread.
extension RenderSync {
  /// Lets the loop render up to `frame`: all commands for earlier frames have been sent.
  package func advance(to frame: FrameTime) {
    // Without this check, control and loop would wake each other forever.
    if planned.exchange(frame, ordering: .acquiringAndReleasing) != frame { wake.call() }
  }

  /// Makes the render end at `frame`.
  package func end(at frame: FrameTime) { last.store(frame, ordering: .releasing) }

  /// Pauses a live session at `frame`: from there on, the loop writes silence. `.endless` resumes the session.
  package func pause(at frame: FrameTime) { pausedAt.store(frame, ordering: .releasing) }

  /// Ends the loop after the current piece, whatever is planned.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    wake.call()
    halted.call()
  }

  /// Halts the loop: it rewinds the sound that has not been heard, and waits for `advance`. Waits until it has halted.
  ///
  /// - Parameter interrupt: interrupts the loop if it waits for the sink; halts it if control renders itself.
  /// - Returns: the session frame from which all commands must be sent again; nil if the loop has ended.
  package func halt(interrupting interrupt: () -> Void) -> FrameTime? {
    if hasStopped || isOver { return nil }
    isHaltWanted.store(true, ordering: .releasing)
    wake.call()
    interrupt()
    while isHaltRequested {
      if hasStopped || isOver { return nil }
      halted.wait(seconds: 0.01)
    }
    return haltedAt.load(ordering: .acquiring)
  }
}

/// Called by the render loop.
extension RenderSync {
  /// Whether the loop has ended: it can't halt any more.
  var isOver: Bool { over.load(ordering: .acquiring) }
  /// Whether control waits for a halt.
  var isHaltRequested: Bool { isHaltWanted.load(ordering: .acquiring) }
  /// The session frame at which the session is paused; `.endless` while it plays.
  var pauseFrame: FrameTime { pausedAt.load(ordering: .acquiring) }

  /// Records that the sound before `frame` has been written to the sink.
  func wrote(upTo frame: FrameTime) { rendered.store(frame, ordering: .releasing) }

  /// Records the lowest gain of the limiter, and how many frames it has lowered.
  func limited(to leastGain: Double, frames: FrameCount) {
    gain.store(leastGain.bitPattern, ordering: .relaxed)
    limitedCount.store(frames, ordering: .relaxed)
  }

  /// Records that the session is paused at `frame`, from a frame of the output on.
  func paused(at frame: FrameTime, from output: FrameCount) { times.withLock { $0.pause(at: frame, from: output) } }

  /// Whether the session is paused at a frame of the output.
  func isPaused(at output: FrameCount) -> Bool { times.withLock { $0.isPaused(at: output) } }

  /// How many of the next `count` frames may be rendered now, because control has planned them. If there are none, the
  /// render waits at `position`.
  func planned(_ count: FrameCount, at position: FrameTime) -> FrameCount {
    let ahead = max(0, planned.load(ordering: .acquiring) - position)
    mixed.store(position, ordering: .releasing)
    waiting.store(0 < ahead ? .min : position, ordering: .releasing)
    return min(count, ahead)
  }

  /// Records that the frames before `frame` are about to be rendered.
  func willRender(upTo frame: FrameTime) {
    waiting.store(.min, ordering: .releasing)
    mixed.store(frame, ordering: .releasing)
  }

  /// Records that the loop has halted at `frame`, and wakes control. Nothing is planned from there on.
  func halted(at frame: FrameTime) {
    mixed.store(frame, ordering: .releasing)
    planned.store(frame, ordering: .releasing)
    haltedAt.store(frame, ordering: .releasing)
    waiting.store(frame, ordering: .releasing)
    isHaltWanted.store(false, ordering: .releasing)
    halted.call()
  }

  /// Records that the session continues at `frame`, from a frame of the output on.
  func resumed(at frame: FrameTime, from output: FrameCount) { times.withLock { $0.resume(at: frame, from: output) } }

  /// Records that the loop has ended: a call of `halt` returns nil from now on.
  func close() {
    over.store(true, ordering: .releasing)
    halted.call()
  }
}
