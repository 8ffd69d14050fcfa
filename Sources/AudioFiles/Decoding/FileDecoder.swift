import Engine
import Signal

/// Decodes a file, or a part of one, to stereo frames at the session's rate.
///
/// `@unchecked Sendable` holds because `Decoder` permits reads by only one thread at a time. `entry` and `branch`, which
/// other threads call meanwhile, access nothing that a read changes.
final class FileDecoder: Decoder, @unchecked Sendable {
  private let source: PartReader
  /// nil if the file has the session's rate.
  private let conversion: Conversion?
  /// Samples of a mono file, before they are copied to both channels.
  private var scratch: [Float]
  /// The first frame that is delivered, from the part's beginning, at the session's rate.
  private let offset: FrameCount
  private let rates: Conversion.Rates

  private static let scratchFrames = 4_096

  /// Starts at `offset`, in frames at the session's rate. Returns nil if there is not enough memory.
  init?(_ source: PartReader, _ rates: Conversion.Rates, from offset: FrameCount) {
    self.source = source
    self.rates = rates
    self.offset = offset
    if rates.source == rates.session {
      conversion = nil
      source.seek(to: offset)
    } else {
      source.firstDelivered = FrameCount(Int128(offset) * Int128(rates.source) / Int128(rates.session))
      guard let conversion = Conversion(rates, of: source, from: offset) else { return nil }
      self.conversion = conversion
    }
    scratch = source.width == 1 ? Array(repeating: 0, count: Self.scratchFrames) : []
  }

  /// The first damage that was found. Its position counts from the first delivered frame, at the session's rate.
  var damage: SoundDamage? {
    source.damage.map { damage in
      let frame = resampledLength(damage.frame, from: rates.source, to: rates.session)
      return SoundDamage(damage.error, atFrame: max(0, frame - offset))
    }
  }

  func entry(from frame: FrameCount) -> FrameCount? {
    guard source.isExact else { return nil }
    // One thread reads plain samples as fast as they are mixed; another one would only need more reads.
    if rates.source == rates.session { return source.isPlain ? nil : frame }
    return Conversion.entry(from: offset + frame, rates).map { $0 - offset }
  }

  func branch(at frame: FrameCount) -> (any Decoder)? {
    guard source.isExact, let part = source.another() else { return nil }
    return FileDecoder(part, rates, from: offset + frame)
  }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    guard let base = frames.baseAddress, frames.count > 0 else { return 0 }
    return source.width == 1 ? readMono(base, frames.count) : readStereo(base, frames.count)
  }

  private func readStereo(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> Int {
    frames.withMemoryRebound(to: Float.self, capacity: 2 * count) { pull($0, count) }
  }

  private func readMono(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> Int {
    scratch.withUnsafeMutableBufferPointer { scratch in
      guard let base = scratch.baseAddress else { return 0 }
      var done = 0
      while done < count {
        let wanted = min(scratch.count, count - done)
        let got = pull(base, wanted)
        for index in 0..<got { frames[done + index] = Frame(mono: base[index]) }
        done += got
        if got < wanted { break }
      }
      return done
    }
  }

  /// Reads frames of one or two channels at the session's rate.
  private func pull(_ samples: UnsafeMutablePointer<Float>, _ count: Int) -> Int {
    conversion?.read(from: source, into: samples, frames: count) ?? source.read(into: samples, frames: count)
  }
}
