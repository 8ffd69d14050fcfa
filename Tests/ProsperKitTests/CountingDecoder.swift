import ProsperKit
import Synchronization

/// Decodes files that do not exist: `NUMBER.count` has that many frames, and frame n has the samples n/2^20 and
/// −n/2^20.
struct CountingDecoder: AudioDecoder {
  /// The frame at which reading throws; nil for none.
  var brokenAt: Int64?
  /// The rate of the files, in hertz.
  var rate = 16_000
  /// Receives the arguments of each call.
  var opened: @Sendable (String, Int) -> Void = { _, _ in }

  /// The decoder can't open `broken.count`.
  struct Unreadable: Error, CustomStringConvertible {
    var description: String { "the counter is broken" }
  }

  func open(path: String, sampleRate: Int) throws -> (any AudioSource)? {
    guard path.hasSuffix(".count"), let name = path.split(separator: "/").last?.dropLast(6) else { return nil }
    opened(path, sampleRate)
    if name == "broken" { throw Unreadable() }
    return name == "endless" ? Source(nil, self) : Int64(name).map { Source($0, self) }
  }

  /// The samples of frame n.
  static func frame(_ n: Int64) -> StereoFrame { StereoFrame(left: Float(n) / 1_048_576, right: -Float(n) / 1_048_576) }

  private final class Source: AudioSource {
    let frameCount: Int64?
    let nativeSampleRate: Int?
    private let brokenAt: Int64?
    private let position = Mutex<Int64>(0)

    init(_ count: Int64?, _ decoder: CountingDecoder) {
      (frameCount, nativeSampleRate, brokenAt) = (count, decoder.rate, decoder.brokenAt)
    }

    func seek(toFrame frame: Int64) { position.withLock { $0 = frame } }

    /// Fills at most 100 frames at a time.
    func read(into frames: inout MutableSpan<StereoFrame>) throws -> Int {
      let first = position.withLock { $0 }
      let end = min(frameCount ?? .max, brokenAt ?? .max)
      if let brokenAt, brokenAt <= first { throw Unreadable() }
      let count = Int(min(Int64(min(100, frames.count)), end - first))
      for index in 0..<count { frames[index] = CountingDecoder.frame(first + Int64(index)) }
      position.withLock { $0 += Int64(count) }
      return count
    }
  }
}
