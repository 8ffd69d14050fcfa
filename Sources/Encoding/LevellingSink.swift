import AudioFiles
import Dispatch
package import Engine
import Files
import Glibc
package import Levels
package import Signal
import Sounds
import Synchronization

/// Writes a render to a file that has a stated loudness and a largest peak, by one constant gain and a limiter.
///
/// The gain is known only at the end. The frames are therefore kept in a temporary file beside the output, as 32-bit
/// floating-point numbers, 8 bytes each. `finish` measures, encodes, decodes what it has encoded, measures again, and
/// corrects gain and ceiling until the decoded file is right: encoders raise peaks.
package final class LevellingSink: Sink {
  package let pace = Pace.players
  private let path: String
  private let isLossless: Bool
  private let delivery: Delivery
  private let makeFile: @Sendable () throws(SinkError) -> FileSink
  private let progress: @Sendable (Double) -> Void
  private let thread: WorkThreads
  /// One batch is written while the next one is filled.
  private let room = DispatchSemaphore(value: 1)
  private let state = Mutex(State())
  /// Used on the thread, and by `start` before anything is queued, so the lock is never contended.
  private let work = Mutex<Work?>(nil)
  private let written = Atomic<FrameCount>(0)

  private struct State {
    var batch: [Frame] = []
    var rate = SampleRate.studio
    /// The first error of the thread; the next call throws it.
    var failure: SinkError?
    var outcome: LevellingOutcome?
  }

  private struct Work {
    var kept: UnfinishedFile
    var meter: SoundMeter
  }

  private static let batchFrames = 131_072
  /// How often the file is encoded until its levels are right.
  private static let mostAttempts = 8
  /// How far the loudness may be from its target in LU, and how far if the first attempts have not led there.
  private static let (tolerance, promise) = (0.05, 0.09)
  private static let exactAttempts = 3

  /// - Parameters:
  ///   - makeFile: makes the encoder of the file; called once for each attempt.
  ///   - progress: called with the part of the work after the render that is done, 0 to 1, on any thread.
  /// - Throws: `noThread` if the system can't create a thread; `cannotCreate` if libebur128 can't be loaded.
  package init(
    path: String, _ delivery: Delivery, progress: @escaping @Sendable (Double) -> Void = { _ in },
    makeFile: @escaping @Sendable () throws(SinkError) -> FileSink
  ) throws(SinkError) {
    (self.path, self.delivery, self.progress, self.makeFile) = (path, delivery, progress, makeFile)
    if let failure = LoudnessMeter.failure { throw .cannotCreate(path: path, cause: "\(failure)") }
    isLossless = try makeFile().isLossless
    guard let thread = WorkThreads() else { throw .noThread }
    self.thread = thread
  }

  package var heard: FrameCount { written.load(ordering: .relaxed) }

  /// What was done to the sound; nil before `finish` has succeeded.
  package var outcome: LevellingOutcome? { state.withLock { $0.outcome } }

  /// Creates the temporary file.
  package func start(at rate: SampleRate) throws(SinkError) {
    state.withLock { $0.rate = rate }
    let channels = delivery.channels ?? 2
    let failure: SinkError? = work.withLock { [path] work in
      do {
        work = Work(
          kept: try UnfinishedFile(for: path, isNameless: true),
          meter: try SoundMeter(rate: rate.hertz, channels: channels))
        return nil
      } catch let error as ErrorNumber {
        return .cannotCreate(path: path, cause: error.message)
      } catch { return .cannotCreate(path: path, cause: "\(error)") }
    }
    if let failure { throw failure }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let (batch, failure) = state.withLock { state in
      state.batch.append(contentsOf: block)
      let isFull = Self.batchFrames <= state.batch.count
      return (isFull ? exchange(&state.batch, with: []) : [], state.failure)
    }
    if let failure { throw failure }
    if !batch.isEmpty { enqueue(batch) }
    written.add(FrameCount(block.count), ordering: .relaxed)
  }

  /// Levels and encodes what was written, and gives the file its final name.
  package func finish() throws(SinkError) {
    enqueue(state.withLock { exchange(&$0.batch, with: []) })
    let rate = state.withLock { $0.rate }
    thread.sync { [self] in
      guard state.withLock({ $0.failure == nil }) else { return }
      let result = work.withLock { work in
        captured { () throws(SinkError) -> LevellingOutcome? in
          guard let work else { return nil }
          return try level(work.kept, work.meter.finish(), at: rate)
        }
      }
      discard()
      state.withLock { state in
        switch result {
        case .success(let outcome): state.outcome = outcome
        case .failure(let error): state.failure = error
        }
      }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  package func abandon() { thread.sync { [self] in discard() } }

  private func discard() { work.withLock { $0 = nil } }

  private func enqueue(_ batch: [Frame]) {
    room.wait()
    thread.async { [self] in
      if state.withLock({ $0.failure == nil }) {
        let (isMono, path) = (delivery.channels == 1, path)
        let failure: SinkError? = work.withLock { work in
          guard let work else { return nil }
          // What is levelled is what is encoded: one channel is mixed here.
          let frames = isMono ? batch.map { Frame(mono: ($0.left + $0.right) / 2) } : batch
          work.meter.add(frames[...])
          return frames.withUnsafeBytes { Self.write($0, to: work.kept.descriptor) }.map {
            .cannotWrite(path: path, cause: ErrorNumber(code: $0).message)
          }
        }
        if let failure { state.withLock { $0.failure = failure } }
      }
      room.signal()
    }
  }

  /// Writes all bytes.
  ///
  /// - Returns: the `errno` of the first write that failed.
  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let count = Glibc.write(descriptor, base + done, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return count < 0 ? errno : ENOSPC }
      done += count
    }
    return nil
  }
}

extension LevellingSink {
  /// Finds the gain and the ceiling with which the encoded file is right.
  ///
  /// - Parameter levels: those of the render.
  private func level(
    _ kept: UnfinishedFile, _ levels: SoundLevels, at rate: SampleRate
  ) throws(SinkError) -> LevellingOutcome {
    let limit = delivery.truePeak ?? Delivery.standardPeak
    var gain = goal.distance(from: levels)
    guard gain.isFinite else {
      throw .cannotWrite(
        path: path, cause: "the session is silent, so no gain gives it \(goal.text); add sound, or ask for no loudness")
    }
    var (ceiling, offset, left) = (limit - margin, 0.0, 0.0)
    let isLimited = { ceiling < levels.samplePeak + gain + PeakLimiter.mostBetweenSamples }
    var steps = LevellingSteps(show: progress)
    steps.expect([.encoding, .decoding] + (isLimited() ? [.limiting, .limiting] : []))
    if isLimited() { left = try approach(&gain, ceiling, by: 0, kept, &steps, at: rate) }
    var nearest = levels
    for attempt in 0..<Self.mostAttempts {
      let file = try makeFile()
      let pass = try encode(kept, gain, ceiling, into: file, &steps, at: rate)
      let decoded = try decodedLevels(of: file, &steps)
      let (error, excess) = (goal.distance(from: decoded), (decoded.truePeak ?? -.infinity) - limit)
      if abs(error) <= (attempt < Self.exactAttempts ? Self.tolerance : Self.promise), excess <= 0 {
        try file.publish()
        return LevellingOutcome(
          levels: decoded, gain: gain, reduction: -20 * log10(pass.leastGain), reducedAt: rate.seconds(pass.leastAt),
          limitedSeconds: rate.seconds(pass.limitedFrames))
      }
      file.abandon()
      nearest = decoded
      steps.expect([.encoding, .decoding])
      if 0 < excess { ceiling -= excess + 0.02 }
      // What the encoder adds to the distance from the goal.
      offset = error - left
      if isLimited() { left = try approach(&gain, ceiling, by: offset, kept, &steps, at: rate) } else { gain += error }
    }
    throw unreachable(nearest)
  }

  /// The error for a goal that the limiter is in the way of.
  private func unreachable(_ nearest: SoundLevels) -> SinkError {
    let limit = Level.text(delivery.truePeak ?? Delivery.standardPeak)
    return .cannotWrite(
      path: path,
      cause: "the limiter can't reach \(goal.text) with peaks up to \(limit) dBTP, only \(goal.text(of: nearest)); "
        + "choose \(goal == .peak ? "" : "a lower loudness, or ")a higher peak")
  }

  /// By how much encoders raise peaks, in decibels; what is left is corrected after the first attempt.
  private var margin: Double { isLossless ? 0.05 : 0.4 }

  private var goal: LevelGoal { LevelGoal(delivery) }

  /// Finds the gain for this ceiling without an encoder. A limiter takes a part of each gain away: how large it is shows
  /// the attempt before.
  ///
  /// - Parameter offset: how much farther from the goal the encoded sound is, in decibels.
  /// - Returns: how far the sound that is to be encoded is from the goal.
  /// - Throws: `cannotWrite` if a higher gain hardly makes the sound louder.
  private func approach(
    _ gain: inout Double, _ ceiling: Double, by offset: Double, _ kept: UnfinishedFile,
    _ steps: inout LevellingSteps, at rate: SampleRate
  ) throws(SinkError) -> Double {
    var last: (gain: Double, error: Double)?
    for _ in 0..<8 {
      let levels = try limited(kept, gain, ceiling, &steps, at: rate)
      let error = goal.distance(from: levels) + offset
      if abs(error) < Self.tolerance / 2 { return error - offset }
      let slope = last.map { ($0.error - error) / (gain - $0.gain) } ?? 1
      if 0.5 < error, slope < 0.05 || LevelGoal.gains.upperBound < gain { throw unreachable(levels) }
      last = (gain, error)
      gain += error / min(1, max(0.1, slope))
    }
    // The last gain has not been tried.
    return -offset
  }

  /// The levels of what the limiter makes of the sound.
  private func limited(
    _ kept: UnfinishedFile, _ gain: Double, _ ceiling: Double, _ steps: inout LevellingSteps, at rate: SampleRate
  ) throws(SinkError) -> SoundLevels {
    let meter: SoundMeter
    do { meter = try SoundMeter(rate: rate.hertz, channels: delivery.channels ?? 2) } catch {
      throw .cannotWrite(path: path, cause: "\(error)")
    }
    var limiter = PeakLimiter(rate: rate, gain: gain, ceiling: ceiling)
    steps.begin(.limiting)
    try replay(kept, through: &limiter, steps) { (frames) throws(SinkError) in meter.add(frames) }
    return meter.finish()
  }

  /// Encodes the sound into a file, which does not get its name yet.
  private func encode(
    _ kept: UnfinishedFile, _ gain: Double, _ ceiling: Double, into file: FileSink, _ steps: inout LevellingSteps,
    at rate: SampleRate
  ) throws(SinkError) -> (leastGain: Double, leastAt: FrameTime, limitedFrames: FrameCount) {
    var limiter = PeakLimiter(rate: rate, gain: gain, ceiling: ceiling)
    steps.begin(.encoding)
    try file.start(at: rate)
    do throws(SinkError) {
      try replay(kept, through: &limiter, steps) { (frames) throws(SinkError) in try file.write(frames) }
      try file.complete()
    } catch {
      file.abandon()
      throw error
    }
    return (limiter.leastGain, limiter.leastAt, limiter.limitedFrames)
  }

  /// Passes the kept frames through the limiter.
  private func replay(
    _ kept: UnfinishedFile, through limiter: inout PeakLimiter, _ steps: LevellingSteps,
    _ take: (UnsafeBufferPointer<Frame>) throws(SinkError) -> Void
  ) throws(SinkError) {
    var buffer = [Frame](repeating: .silence, count: 65_536)
    let size = MemoryLayout<Frame>.stride
    let total = Int(heard) * size
    var offset = 0
    while offset < total {
      let count = buffer.withUnsafeMutableBytes { bytes in
        pread(kept.descriptor, bytes.baseAddress, min(bytes.count, total - offset), offset)
      }
      if count < 0, errno == EINTR { continue }
      // A part of a frame is read again.
      let frames = max(0, count) / size
      if frames == 0 { throw .cannotWrite(path: path, cause: ErrorNumber(code: count < 0 ? errno : EIO).message) }
      try buffer.withUnsafeBufferPointer { (buffer) throws(SinkError) in
        try limiter.process(UnsafeBufferPointer(rebasing: buffer[..<frames]), take)
      }
      offset += frames * size
      steps.note(Double(offset) / Double(max(1, total)))
    }
    let silence = [Frame](repeating: .silence, count: limiter.delay)
    try silence.withUnsafeBufferPointer { (silence) throws(SinkError) in try limiter.process(silence, take) }
  }

  /// The levels of an encoded file that has no name yet.
  private func decodedLevels(
    of file: FileSink, _ steps: inout LevellingSteps
  ) throws(SinkError) -> SoundLevels {
    steps.begin(.decoding)
    let source = SoundSource(.file(path: file.unfinishedPath))
    do {
      let library = AudioFileLibrary()
      let rate = try library.probe(source, at: .studio).rate.flatMap(SampleRate.init(hertz:)) ?? .studio
      let decoder = try library.open(source, at: rate, from: 0)
      return try SoundLevels(
        of: decoder, rate: rate.hertz, channels: delivery.channels ?? 2, findsPeak: true
      ) { [steps, total = rate.seconds(heard)] in steps.note(Double($0) / Double(rate.hertz) / max(0.001, total)) }
    } catch {
      file.abandon()
      throw .cannotWrite(path: path, cause: "what was written can't be measured: \(error)")
    }
  }
}

/// What was done to a file so that it has its loudness.
package struct LevellingOutcome: Sendable {
  /// The levels of the decoded file.
  package var levels: SoundLevels
  /// The constant gain in decibels.
  package var gain: Double
  /// The largest reduction by the limiter in decibels, 0 or more.
  package var reduction: Double
  /// The second of the file at which it was.
  package var reducedAt: Double
  /// Seconds that it lowered.
  package var limitedSeconds: Double
}
