import Engine
import Signal

/// A file, or a part of one, on its way to a voice: stereo at the session's rate.
///
/// `@unchecked Sendable` holds because a decoder has one reading thread at a time, which the protocol demands of its owner.
final class FileDecoder: Decoder, @unchecked Sendable {
  private let source: PartReader
  private let conversion: Conversion?
  private var scratch: [Float]
  private var delivered: FrameCount = 0
  private(set) var damage: SoundDamage?

  private static let scratchFrames = 4_096

  init(_ source: PartReader, _ conversion: Conversion?) {
    self.source = source
    self.conversion = conversion
    scratch = source.width == 1 ? Array(repeating: 0, count: Self.scratchFrames) : []
  }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    guard let base = frames.baseAddress, frames.count > 0 else { return 0 }
    let done = source.width == 1 ? readMono(base, frames.count) : readStereo(base, frames.count)
    delivered += FrameCount(done)
    if damage == nil, let error = source.damage { damage = SoundDamage(error, atFrame: delivered) }
    return done
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
