import Engine
import Signal
import Synchronization

/// Run time: of a live player the computer's clock, of a render a virtual one that the frames move on. A pause of a
/// render takes none of its frames: the clock is set on over it.
struct RunClock: Sendable {
  private let rate: SampleRate
  /// Of a live player.
  private let begun: SuspendingClock.Instant?
  /// The same moment by the clock that goes on while the computer sleeps.
  private let born: ContinuousClock.Instant?
  private var anchor: (run: Double, frame: FrameTime)

  init(rate: SampleRate, pace: Pace, from start: FrameTime) {
    self.rate = rate
    begun = pace == .listener ? SuspendingClock().now : nil
    born = pace == .listener ? ContinuousClock().now : nil
    anchor = (0, start)
  }

  /// Seconds since the player started, when `frame` is heard.
  func run(at frame: FrameTime) -> Double {
    if let begun { return (SuspendingClock().now - begun).inSeconds }
    return anchor.run + rate.seconds(frame - anchor.frame)
  }

  /// As `run`, but for the time that the computer has slept, which counts: what is kept grows old meanwhile.
  func age(at frame: FrameTime) -> Double {
    if let born { return (ContinuousClock().now - born).inSeconds }
    return run(at: frame)
  }

  /// The first frame of a render that is heard at that run time or later.
  func frame(atRun run: Double) -> FrameTime { anchor.frame + max(0, rate.frames(run - anchor.run)) }

  /// The render stands still at `frame` until that run time.
  mutating func jump(to run: Double, at frame: FrameTime) { anchor = (max(run, self.run(at: frame)), frame) }
}

/// Run time for those who measure on other threads: of a render, that of the event told last.
final class RunTime: Sendable {
  private final class Box: Sendable {
    let now = Atomic<Int64>(0)
  }

  private let virtual: Box?
  let nanoseconds: @Sendable () -> Int64

  init(pace: Pace) {
    guard pace == .players else {
      virtual = nil
      nanoseconds = AsyncOperationQueue.monotonicClock
      return
    }
    let box = Box()
    virtual = box
    nanoseconds = { @Sendable in box.now.load(ordering: .relaxed) }
  }

  func set(_ run: Double) { virtual?.now.store(Int64(run * 1e9), ordering: .relaxed) }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
