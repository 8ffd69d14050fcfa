import Signal
internal import Synchronization

/// An output beside the leading one. It gets the frames that are heard there, on a thread of its own, so that its delays
/// and failures never reach the leading output.
package final class Follower: Sendable {
  /// What an output needs of the leading one.
  package enum Need: Sendable {
    /// Every frame: a file. If it is too late for one, it fails.
    case everyFrame
    /// The sound of this moment, and silence while there is none. If it is late, frames are left out. A device plays by a
    /// clock of its own: it starts with silence of that many seconds, and again whenever it has run dry.
    case thisMoment(cushion: Double = 0)
  }

  private struct State: Sendable {
    var phase = Phase.idle
    var isAbandoned = false
    /// Why the output has not started, or has ended early.
    var failure: SinkError?
    /// When the session began without the output, in seconds of the monotonic clock; nil if it was in time.
    var lateSince: Double?
  }

  private enum Phase { case idle, starting, running }

  /// Frames that are read at a time, and seconds between two reads.
  private static let (piece, period) = (8_192, 0.04)
  /// Seconds between two reads of an output that needs every frame.
  private static let slowPeriod = 0.5
  /// Seconds by which the sound of this moment may be late.
  private static let maximumDelay = 2.0
  /// Seconds by which a device may be behind, beside its cushion.
  private static let surplus = 0.5

  /// The output, as the user named it.
  package let name: String
  let sink: any Sink
  private let need: Need
  private let report: @Sendable (OutputEvent) -> Void
  private let longOutage: @Sendable () -> SinkError?
  private let state = Mutex(State())
  private let (begun, wake, ended) = (WakeUp(), WakeUp(), WakeUp())

  /// - Parameters:
  ///   - longOutage: the error of an outage that lasts longer than a session may wait; nil if there is none.
  ///   - report: receives the loss of the output if it ends early. Called on any thread, and must not wait.
  package init(
    _ sink: any Sink, named name: String, needing need: Need,
    longOutage: @escaping @Sendable () -> SinkError? = { nil },
    report: @escaping @Sendable (OutputEvent) -> Void
  ) {
    (self.sink, self.name, self.need, self.longOutage, self.report) = (sink, name, need, longOutage, report)
  }

  /// Why the output has not started, or has ended early; nil if it has not.
  package var failure: SinkError? { state.withLock { $0.failure } }

  /// Why the session no longer waits for the output: it has failed, or its outage lasts too long. Nil while it waits.
  var givenUp: SinkError? { failure ?? longOutage() }

  /// Whether the output has not started yet, and may still do so.
  var isStarting: Bool { state.withLock { $0.phase == .starting && $0.failure == nil } }

  /// Starts the output on a thread of its own, which writes the sound after `begin`.
  ///
  /// - Parameter settled: called on that thread when the output has started, or has failed.
  func start(_ sound: HeardSound, at rate: SampleRate, settled: @escaping @Sendable () -> Void) throws(SinkError) {
    state.withLock { $0.phase = .starting }
    if OSThread.start({ [self] in run(sound, rate, settled) }) { return }
    state.withLock { $0.phase = .idle }
    throw .noThread
  }

  /// Lets the output write. One that has not started yet is reported as lost until it has.
  func begin() {
    let isLate = state.withLock { state in
      if state.phase == .starting { state.lateSince = now }
      return state.phase == .starting
    }
    if isLate { report(.lost(cause: "it does not answer")) }
    begun.call()
  }

  /// Waits until everything has been written, at most until `deadline`.
  func finish(by deadline: SuspendingClock.Instant) throws(SinkError) {
    guard state.withLock({ $0.phase != .idle }) else { return }
    wake.call()
    // A file is as complete as the disk is fast.
    if case .everyFrame = need { ended.wait() } else if !ended.wait(until: deadline) { abandon() }
    if let failure, case .everyFrame = need { throw failure }
  }

  /// Ends the output at once.
  func abandon() {
    let isRunning = state.withLock { state in
      state.isAbandoned = true
      return state.phase != .idle && state.failure == nil
    }
    begun.call()
    wake.call()
    if !isRunning { sink.abandon() }
  }

  private var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

  /// Starts the output, and reports one that comes after the beginning of the session.
  private func start(at rate: SampleRate) throws(SinkError) {
    try sink.start(at: rate)
    let lateSince = state.withLock { state in
      state.phase = .running
      return state.lateSince
    }
    if let lateSince { report(.restored(seconds: now - lateSince)) }
  }

  private func run(_ sound: HeardSound, _ rate: SampleRate, _ settled: () -> Void) {
    do throws(SinkError) {
      try start(at: rate)
    } catch {
      let isLate = state.withLock { state in
        state.failure = error
        return state.lateSince != nil
      }
      settled()
      if isLate {
        sink.abandon()
        report(.lost(cause: error.cause))
      }
      return ended.call()
    }
    settled()
    begun.wait()
    write(sound, rate)
    ended.call()
  }

  private func write(_ sound: HeardSound, _ rate: SampleRate) {
    do throws(SinkError) {
      switch need {
      case .everyFrame: try writeEveryFrame(of: sound)
      case .thisMoment(let cushion): try writeThisMoment(of: sound, rate, cushion: rate.frames(cushion))
      }
      if isAbandoned { sink.abandon() } else { try sink.finish() }
    } catch {
      sink.abandon()
      state.withLock { $0.failure = error }
      if !isAbandoned { report(.lost(cause: error.cause)) }
    }
  }

  private func writeEveryFrame(of sound: HeardSound) throws(SinkError) {
    var position: FrameTime = 0
    while !isAbandoned {
      let part = sound.read(from: position, upTo: Self.piece)
      if position < part.begin { throw .cannotWrite(path: name, cause: "the disk is too slow; choose another folder") }
      position = part.end
      try write(part.frames)
      if part.isLast { return }
      if part.frames.count < Self.piece { wake.wait(seconds: Self.slowPeriod) }
    }
  }

  private func writeThisMoment(
    of sound: HeardSound, _ rate: SampleRate, cushion: FrameCount
  ) throws(SinkError) {
    var position: FrameTime = 0
    var feed = LiveFeed(at: rate, from: now)
    var isBehind = false
    while !isAbandoned {
      let part = sound.read(from: position, upTo: Self.piece)
      isBehind = isBehind ? cushion < ahead : cushion + rate.frames(Self.surplus) < ahead
      let catchesUp = 0 < cushion && isBehind && !part.isLast
      if catchesUp || Self.maximumDelay < rate.seconds(part.heard - position) || position < part.begin {
        position = part.heard
        try write(feed.interrupted())
        if catchesUp { wake.wait(seconds: Self.period) }
        continue
      }
      position = part.end
      if 0 < cushion, ahead <= 0 {
        try write(Array(repeating: .silence, count: Int(cushion)))
      }
      try write(part.frames.isEmpty ? feed.silence(at: now) : feed.take(part.frames, at: now))
      if part.isLast { return try write(feed.end()) }
      if part.frames.count < Self.piece { wake.wait(seconds: Self.period) }
    }
  }

  /// Frames that were written.
  private let written = Atomic<FrameCount>(0)
  /// Frames that were written and not heard yet.
  private var ahead: FrameCount { written.load(ordering: .relaxed) - sink.heard }

  private func write(_ frames: [Frame]) throws(SinkError) {
    if frames.isEmpty { return }
    try frames.withUnsafeBufferPointer { (frames) throws(SinkError) in try sink.write(frames) }
    written.add(FrameCount(frames.count), ordering: .relaxed)
  }

  private var now: Double { Double(monotonicNanoseconds()) / 1e9 }
}
