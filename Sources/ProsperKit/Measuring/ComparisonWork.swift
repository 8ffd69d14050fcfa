import Encoding
import Engine
import Levels
import Signal
import Sounds

/// The passes of a comparison. The first one finds the differences; if a shift may explain some, the second one looks
/// for it, and the third one measures what it leaves.
struct ComparisonWork: Sendable {
  private let pair: ComparedPair
  private let limit: Double
  private let diffPath: String?
  private let explains: Bool

  init(_ pair: ComparedPair, limit: Double, diffPath: String?, explains: Bool) {
    (self.pair, self.limit, self.diffPath, self.explains) = (pair, limit, diffPath, explains)
  }

  /// The differences of the output and of the layers, and the sounds that were damaged. Waits for all passes.
  func perform() throws(ComparisonError) -> (differences: [SoundDifference], damage: [SourceError]) {
    let rate = pair.rate.hertz
    let count = pair.hasLayers ? 1 + Comparison.layerNames.count : 1
    let comparisons = (0..<count).map { SoundComparison(rate: rate, limit: limit, comparesLengths: $0 == 0) }
    let writer = try diffPath.map { path throws(ComparisonError) in
      try DifferenceWriter(path, pair.rate, length: pair.length)
    }
    let damage = try read(.differences) { a, b throws(ComparisonError) in
      FrameBlock.forEachTrack(a, b) { track, a, b in if track < count { comparisons[track].add(a, b) } }
      try writer?.write(a, b)
    }
    try writer?.finish()
    var differences = comparisons.map { $0.finish() }
    if explains { try explain(&differences, of: comparisons) }
    return (differences, damage)
  }

  private func explain(
    _ differences: inout [SoundDifference], of comparisons: [SoundComparison]
  ) throws(ComparisonError) {
    let searches = zip(comparisons, differences).map { ShiftSearch($0, $1) }
    if searches.allSatisfy({ $0 == nil }) { return }
    try readTracks(.shift) { track, a, b in searches[track]?.add(a, b) }
    let checks = searches.map { search in
      search.flatMap { search in search.lag.map { ShiftCheck(search, rate: pair.rate.hertz, lag: $0) } }
    }
    if checks.allSatisfy({ $0 == nil }) { return }
    try readTracks(.rest) { track, a, b in checks[track]?.add(a, b) }
    for (track, check) in checks.enumerated() {
      if let explanation = check?.explanation { differences[track].explanation = explanation }
    }
  }

  private func readTracks(
    _ pass: Comparison.Pass, _ body: (Int, UnsafeBufferPointer<Frame>, UnsafeBufferPointer<Frame>) -> Void
  ) throws(ComparisonError) {
    let count = pair.hasLayers ? 1 + Comparison.layerNames.count : 1
    _ = try read(pass) { a, b throws(ComparisonError) in
      FrameBlock.forEachTrack(a, b) { track, a, b in if track < count { body(track, a, b) } }
    }
  }

  private func read(
    _ pass: Comparison.Pass, _ body: (FrameBlock, FrameBlock) throws(ComparisonError) -> Void
  ) throws(ComparisonError) -> [SourceError] {
    do { return try pair.read(pass, body) } catch let error as MeasuringError { throw .measuring(error) } catch {
      throw error as? ComparisonError ?? .measuring(.library("\(error)"))
    }
  }
}

/// Writes A−B to a sound file. A file that is not finished is removed.
private final class DifferenceWriter {
  private let sink: FileSink
  private var isFinished = false

  /// - Parameter length: that of the longer sound in frames.
  init(_ path: String, _ rate: SampleRate, length: FrameCount?) throws(ComparisonError) {
    do throws(SinkError) {
      sink = try Self.sink(path, length)
      try sink.start(at: rate)
    } catch { throw .output(error) }
  }

  /// A difference may exceed full scale, which only floating-point numbers can.
  private static func sink(_ path: String, _ length: FrameCount?) throws(SinkError) -> FileSink {
    let jobs = Processors.available
    do throws(SinkError) { return try FileSink(path: path, encoding: .f32, expectedFrames: length, jobs: jobs) } catch {
      guard case .unsupported = error else { throw error }
      return try FileSink(path: path, expectedFrames: length, jobs: jobs)
    }
  }

  deinit { if !isFinished { sink.abandon() } }

  func write(_ a: FrameBlock, _ b: FrameBlock) throws(ComparisonError) {
    let frames = FrameBlock.difference(a, b)
    do throws(SinkError) {
      try frames.withUnsafeBufferPointer { (frames) throws(SinkError) in try sink.write(frames) }
    } catch { throw .output(error) }
  }

  func finish() throws(ComparisonError) {
    do throws(SinkError) { try sink.finish() } catch { throw .output(error) }
    isFinished = true
  }
}
