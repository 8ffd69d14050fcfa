import Engine
import Signal
import Synchronization

/// Run time in seconds since the player started, pauses included.
///
/// A live player reads the computer's clock. A render uses a virtual clock that advances with its frames. A pause has
/// no frames in a render, so `jump` sets the clock forward.
struct RunClock: Sendable {
  private let rate: SampleRate
  /// The start of a live player, on a clock that stops while the computer sleeps and on one that continues; nil in a
  /// render.
  private let start: (suspending: SuspendingClock.Instant, continuous: ContinuousClock.Instant)?
  /// A run time of a render and the frame heard at it.
  private var anchor: (run: Double, frame: FrameTime)

  init(rate: SampleRate, pace: Pace, from frame: FrameTime) {
    self.rate = rate
    start = pace == .listener ? (SuspendingClock().now, ContinuousClock().now) : nil
    anchor = (0, frame)
  }

  /// The run time at which a render reaches `frame`; for a live player the run time now.
  func run(at frame: FrameTime) -> Double {
    if let start { return (SuspendingClock().now - start.suspending) / .seconds(1) }
    return anchor.run + rate.seconds(frame - anchor.frame)
  }

  /// Like `run`, but includes the time that the computer has slept, because the age of a paused crossfade includes it.
  func age(at frame: FrameTime) -> Double {
    if let start { return (ContinuousClock().now - start.continuous) / .seconds(1) }
    return run(at: frame)
  }

  /// The frame of a render that is nearest to a run time, but not before the last jump.
  func frame(atRun run: Double) -> FrameTime { anchor.frame + max(0, rate.frames(run - anchor.run)) }

  /// Sets the clock of a render that has reached `frame` forward to a run time. The clock never goes back.
  mutating func jump(to run: Double, at frame: FrameTime) { anchor = (max(run, self.run(at: frame)), frame) }
}

/// Run time in nanoseconds, for other threads. In a render it is the run time of the last event or of the last commands
/// of a script.
final class RunTime: Sendable {
  private let isVirtual: Bool
  private let virtual = Atomic<Int64>(0)

  init(pace: Pace) { isVirtual = pace == .players }

  var nanoseconds: Int64 { isVirtual ? virtual.load(ordering: .relaxed) : monotonicNanoseconds() }

  /// Sets the clock of a render, in seconds. Live it is not read.
  func set(_ run: Double) { virtual.store(Int64(run * 1e9), ordering: .relaxed) }
}
