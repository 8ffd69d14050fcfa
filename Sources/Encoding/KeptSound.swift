import Engine
import Files
import Glibc
import Levels
import Signal

/// A rendered sound that waits for its gain in a temporary file beside the output, as 32-bit floating-point numbers, 8
/// bytes a frame. It is measured while it is written.
final class KeptSound: BatchTarget {
  let rate: SampleRate
  private let path: String
  private let channels: Int
  private let file: UnfinishedFile
  private let meter: SoundMeter
  private var count = 0

  private static let frameBytes = MemoryLayout<Frame>.stride

  /// Creates the temporary file.
  init(beside path: String, channels: Int, at rate: SampleRate) throws(SinkError) {
    (self.path, self.channels, self.rate) = (path, channels, rate)
    do {
      file = try UnfinishedFile(for: path, isNameless: true)
      meter = try SoundMeter(rate: rate.hertz, channels: channels)
    } catch let error as ErrorNumber {
      throw .cannotCreate(path: path, cause: error.message)
    } catch { throw .cannotCreate(path: path, cause: "\(error)") }
  }

  func write(_ batch: EncoderBatch) throws(SinkError) {
    // What is levelled is what is encoded: one channel is mixed here.
    let frames = channels == 1 ? batch.frames.map { Frame(mono: ($0.left + $0.right) / 2) } : batch.frames
    meter.add(frames[...])
    count += frames.count
    do throws(ErrorNumber) { try file.append(frames) } catch { throw cannotWrite(error.code) }
  }

  func abandon() { file.discard() }

  /// The levels of the whole sound.
  func levels() -> SoundLevels { meter.finish() }

  /// Passes the frames through a limiter, which it returns.
  func replay(
    _ gain: Double, _ ceiling: Double, _ steps: LevellingSteps,
    _ take: (UnsafeBufferPointer<Frame>) throws(SinkError) -> Void
  ) throws(SinkError) -> PeakLimiter {
    var limiter = PeakLimiter(rate: rate, gain: gain, ceiling: ceiling)
    var buffer = [Frame](repeating: .silence, count: 65_536)
    let total = count * Self.frameBytes
    var offset = 0
    while offset < total {
      let count = buffer.withUnsafeMutableBytes { bytes in
        pread(file.descriptor, bytes.baseAddress, min(bytes.count, total - offset), offset)
      }
      if count < 0, errno == EINTR { continue }
      // A part of a frame is read again.
      let frames = max(0, count) / Self.frameBytes
      if frames == 0 { throw cannotWrite(count < 0 ? errno : EIO) }
      try buffer.withUnsafeBufferPointer { (buffer) throws(SinkError) in
        try limiter.process(UnsafeBufferPointer(rebasing: buffer[..<frames]), take)
      }
      offset += frames * Self.frameBytes
      steps.note(Double(offset) / Double(max(1, total)))
    }
    let silence = [Frame](repeating: .silence, count: limiter.delay)
    try silence.withUnsafeBufferPointer { (silence) throws(SinkError) in try limiter.process(silence, take) }
    return limiter
  }

  private func cannotWrite(_ code: Int32) -> SinkError {
    .cannotWrite(path: path, cause: ErrorNumber(code: code).message)
  }
}
