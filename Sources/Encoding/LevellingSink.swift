import AudioFiles
package import Engine
import Glibc
package import Levels
package import Signal
import Sounds
import Synchronization

/// Writes a render to a file that has a stated loudness and a largest peak, by one constant gain and a limiter.
///
/// The gain is known only at the end, so the frames are kept until then. `finish` encodes, decodes what it has encoded,
/// measures it, and corrects gain and ceiling until the decoded file is right: encoders raise peaks.
package final class LevellingSink: Sink {
  package let pace = Pace.players
  private let path: String
  private let isLossless: Bool
  private let delivery: Delivery
  private let makeFile: @Sendable () throws(SinkError) -> FileSink
  private let progress: @Sendable (Double) -> Void
  private let batches: BatchThread<KeptSound>
  private let result = Mutex<LevellingOutcome?>(nil)

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
    batches = try BatchThread()
  }

  package var heard: FrameCount { batches.count }

  /// What was done to the sound; nil before `finish` has succeeded.
  package var outcome: LevellingOutcome? { result.withLock { $0 } }

  /// Creates the temporary file.
  package func start(at rate: SampleRate) throws(SinkError) {
    try batches.start(EncoderBatch(capacity: Self.batchFrames)) { () throws(SinkError) in
      try KeptSound(beside: path, channels: delivery.channels ?? 2, at: rate)
    }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) { try batches.write(block) }

  /// Levels and encodes what was written, and gives the file its final name.
  package func finish() throws(SinkError) {
    try batches.finish { [self] (kept) throws(SinkError) in
      let outcome = try level(kept)
      result.withLock { $0 = outcome }
    }
  }

  package func abandon() { batches.abandon() }
}

extension LevellingSink {
  /// Finds the gain and the ceiling with which the encoded file is right.
  private func level(_ kept: KeptSound) throws(SinkError) -> LevellingOutcome {
    let levels = kept.levels()
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
    if isLimited() { left = try approach(&gain, ceiling, by: 0, kept, &steps) }
    var nearest = levels
    for attempt in 0..<Self.mostAttempts {
      let file = try makeFile()
      let pass = try encode(kept, gain, ceiling, into: file, &steps)
      let decoded = try decodedLevels(of: file, &steps)
      let (error, excess) = (goal.distance(from: decoded), (decoded.truePeak ?? -.infinity) - limit)
      if abs(error) <= (attempt < Self.exactAttempts ? Self.tolerance : Self.promise), excess <= 0 {
        try file.publish()
        return LevellingOutcome(
          levels: decoded, gain: gain, reduction: -20 * log10(pass.leastGain),
          reducedAt: kept.rate.seconds(pass.leastAt), limitedSeconds: kept.rate.seconds(pass.limitedFrames))
      }
      file.abandon()
      nearest = decoded
      steps.expect([.encoding, .decoding])
      if 0 < excess { ceiling -= excess + 0.02 }
      // What the encoder adds to the distance from the goal.
      offset = error - left
      if isLimited() { left = try approach(&gain, ceiling, by: offset, kept, &steps) } else { gain += error }
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
    _ gain: inout Double, _ ceiling: Double, by offset: Double, _ kept: KeptSound,
    _ steps: inout LevellingSteps
  ) throws(SinkError) -> Double {
    var last: (gain: Double, error: Double)?
    for _ in 0..<8 {
      let levels = try limited(kept, gain, ceiling, &steps)
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
    _ kept: KeptSound, _ gain: Double, _ ceiling: Double, _ steps: inout LevellingSteps
  ) throws(SinkError) -> SoundLevels {
    let meter: SoundMeter
    do { meter = try SoundMeter(rate: kept.rate.hertz, channels: delivery.channels ?? 2) } catch {
      throw .cannotWrite(path: path, cause: "\(error)")
    }
    steps.begin(.limiting)
    _ = try kept.replay(gain, ceiling, steps) { (frames) throws(SinkError) in meter.add(frames) }
    return meter.finish()
  }

  /// Encodes the sound into a file, which does not get its name yet.
  private func encode(
    _ kept: KeptSound, _ gain: Double, _ ceiling: Double, into file: FileSink, _ steps: inout LevellingSteps
  ) throws(SinkError) -> PeakLimiter {
    steps.begin(.encoding)
    try file.start(at: kept.rate)
    do throws(SinkError) {
      let limiter = try kept.replay(gain, ceiling, steps) { (frames) throws(SinkError) in try file.write(frames) }
      try file.complete()
      return limiter
    } catch {
      file.abandon()
      throw error
    }
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
