import Engine
import Signal

/// A file, or a part of one, on its way to a voice: stereo at the session's rate.
///
/// `@unchecked Sendable` holds because a decoder has one reading thread at a time, which the protocol demands of its owner.
final class FileDecoder: Decoder, @unchecked Sendable {
  private let source: PartReader
  private let conversion: Conversion?
  private var scratch: [Float]
  /// Frames of the part, at the session's rate, before the first that is delivered.
  private let offset: FrameCount
  private let rates: Conversion.Rates

  private static let scratchFrames = 4_096

  /// Nil when memory is short.
  init?(_ source: PartReader, _ rates: Conversion.Rates, from offset: FrameCount) {
    self.source = source
    self.rates = rates
    self.offset = offset
    if rates.source == rates.session {
      conversion = nil
      source.seek(to: offset)
    } else {
      source.heard = FrameCount(Int128(offset) * Int128(rates.source) / Int128(rates.session))
      guard let conversion = Conversion(rates, of: source, from: offset) else { return nil }
      self.conversion = conversion
    }
    scratch = source.width == 1 ? Array(repeating: 0, count: Self.scratchFrames) : []
  }

  var damage: SoundDamage? {
    source.damage.map { damage in
      let frame = resampledLength(damage.frame, from: rates.source, to: rates.session)
      return SoundDamage(damage.error, atFrame: max(0, frame - offset))
    }
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

  private func pull(_ samples: UnsafeMutablePointer<Float>, _ count: Int) -> Int {
    conversion?.read(from: source, into: samples, frames: count) ?? source.read(into: samples, frames: count)
  }
}
