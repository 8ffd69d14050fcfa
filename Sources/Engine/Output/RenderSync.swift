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
  /// Whether the loop has returned.
  private let isOver = Atomic<Bool>(false)
  /// Whether control waits in `halt`.
  private let isHaltWanted = Atomic<Bool>(false)
  /// The frame of the last halt.
  private let haltedAt: Atomic<FrameTime>
  /// The session frames of the output's frames. The lock is held for short times only.
  private let times: Mutex<TimeMap>
  /// Wakes the loop when control has planned or wants it to stop or halt.
  private let planning = WakeUp()
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
    if planned.exchange(frame, ordering: .acquiringAndReleasing) != frame { planning.call() }
  }

  /// Makes the render end at `frame`.
  package func end(at frame: FrameTime) { last.store(frame, ordering: .releasing) }

  /// Pauses a live session at `frame`: from there on, the loop writes silence. `.endless` resumes the session.
  package func pause(at frame: FrameTime) { pausedAt.store(frame, ordering: .releasing) }

  /// Ends the loop after the current piece, whatever is planned.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    planning.call()
    halted.call()
  }

  /// Halts the loop: it rewinds the sound that has not been heard, and waits for `advance`. Waits until it has halted.
  ///
  /// - Parameter interrupt: interrupts the loop if it waits for the sink or for a feed.
  /// - Returns: the session frame from which all commands must be sent again; nil if the loop has ended.
  package func halt(interrupting interrupt: () -> Void) -> FrameTime? {
    isHaltWanted.store(true, ordering: .releasing)
    planning.call()
    interrupt()
    while isHaltWanted.load(ordering: .acquiring) {
      if hasStopped || isOver.load(ordering: .acquiring) { return nil }
      halted.wait(seconds: 0.01)
    }
    return haltedAt.load(ordering: .acquiring)
  }
}

/// Called on the thread that renders: the render loop's, or in an offline render the control thread.
extension RenderSync {
  /// Whether control waits for a halt.
  var isHaltRequested: Bool { isHaltWanted.load(ordering: .acquiring) }
  /// The session frame at which the session is paused; `.endless` while it plays.
  var pauseFrame: FrameTime { pausedAt.load(ordering: .acquiring) }

  /// Records that the sound before `frame` has been written to the sink.
  func wrote(upTo frame: FrameTime) { rendered.store(frame, ordering: .releasing) }

  /// Records that the session is paused at `frame`, from a frame of the output on.
  func paused(at frame: FrameTime, from output: FrameCount) { times.withLock { $0.pause(at: frame, from: output) } }

  /// Waits until control has planned frames from `position` on, for at most `seconds`. After that, it permits all
  /// `count` frames, because a live output must not run out of sound.
  ///
  /// - Returns: how many of the next `count` frames may be rendered now; 0 if the loop must stop or halt first.
  func wait(seconds: Double, at position: FrameTime, wanting count: Int) -> Int {
    while true {
      if hasStopped || isHaltRequested { return 0 }
      let ahead = planned.load(ordering: .acquiring) - position
      if 0 < ahead { return grantNow(Int(min(FrameCount(count), ahead)), at: position) }
      mixed.store(position, ordering: .releasing)
      waiting.store(position, ordering: .releasing)
      progress.call()
      if !planning.wait(seconds: seconds) { return grantNow(count, at: position) }
    }
  }

  /// Records that the next `count` frames are about to be rendered.
  private func grantNow(_ count: Int, at position: FrameTime) -> Int {
    waiting.store(.min, ordering: .releasing)
    mixed.store(position + FrameCount(count), ordering: .releasing)
    return count
  }

  /// Reports that the loop has halted at `frame`, and waits until control lets it continue.
  func waitForPlan(haltedAt frame: FrameTime) {
    halted(at: frame)
    while planned.load(ordering: .acquiring) <= frame, !isInterrupted { planning.wait() }
  }

  /// Records that the render has halted at `frame`, and wakes control. Nothing is planned from there on.
  func halted(at frame: FrameTime) {
    mixed.store(frame, ordering: .releasing)
    planned.store(frame, ordering: .releasing)
    haltedAt.store(frame, ordering: .releasing)
    waiting.store(frame, ordering: .releasing)
    isHaltWanted.store(false, ordering: .releasing)
    halted.call()
  }

  /// How many of the next `count` frames an offline render may render now; 0 if control has to act first. Never waits.
  func grant(_ count: Int, at position: FrameTime) -> Int {
    let ahead = planned.load(ordering: .acquiring) - position
    if hasStopped { return 0 }
    if 0 < ahead { return grantNow(Int(min(FrameCount(count), ahead)), at: position) }
    mixed.store(position, ordering: .releasing)
    waiting.store(position, ordering: .releasing)
    return 0
  }

  /// Withdraws the last grant: its frames, from `position` on, have not been rendered.
  func retract(to position: FrameTime) { mixed.store(position, ordering: .releasing) }

  /// Waits for at most `seconds`, or until control wants the loop to stop or halt.
  func waitForRequest(seconds: Double) {
    if isInterrupted { return }
    planning.wait(seconds: seconds)
  }

  /// Records that the session continues at `frame`, from a frame of the output on.
  func resumed(at frame: FrameTime, from output: FrameCount) { times.withLock { $0.resume(at: frame, from: output) } }

  /// Whether the loop must stop or halt, and therefore not wait for a feed.
  var isInterrupted: Bool { hasStopped || isHaltRequested }

  /// Records that the loop has ended: a call of `halt` returns nil from now on.
  func close() {
    isOver.store(true, ordering: .releasing)
    halted.call()
  }
}
