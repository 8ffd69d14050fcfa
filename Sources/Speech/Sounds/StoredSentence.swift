import AudioFiles
import Signal

/// A sentence in the cache.
struct StoredSentence: Hashable, Sendable {
  let path: String
  /// The length at its own rate.
  let frames: Int64
  /// Hertz.
  let rate: Int

  /// The length in frames at a session's rate.
  func length(at rate: SampleRate) -> FrameCount { resampledLength(frames, from: self.rate, to: rate.hertz) }
}

/// The WAV file of a sentence. Beside the sound it states what it contains, because different sentences can have the
/// same hash, and with it the same file name.
struct SentenceFile {
  private static let formatSize = 16
  /// The bytes before the key.
  private static let headSize = 12 + 8 + formatSize + 8

  /// The bytes of the file.
  static func bytes(of sound: EngineSound, key: String) -> [UInt8] {
    let key = padded(key)
    let size = headSize - 8 + key.count + 8 + sound.samples.count
    let width = 2 * sound.channels
    let head =
      Array("RIFF".utf8) + number(size, 4) + Array("WAVEfmt ".utf8) + number(formatSize, 4) + number(1, 2)
      + number(sound.channels, 2) + number(sound.rate, 4) + number(sound.rate * width, 4) + number(width, 2)
      + number(16, 2)
    return head + Array("text".utf8) + number(key.count, 4) + key + Array("data".utf8) + number(sound.samples.count, 4)
      + sound.samples
  }

  /// The sentence in a file; nil if the file has another one, or is not complete.
  ///
  /// - Parameters:
  ///   - head: the beginning of the file, at least `headLength(key:)` bytes.
  ///   - size: the size of the file.
  static func sentence(at path: String, head: [UInt8], size: Int, key: String) -> StoredSentence? {
    let key = padded(key)
    let end = headSize + key.count + 8
    guard head.count == end, head[headSize..<headSize + key.count].elementsEqual(key) else { return nil }
    let value = { Int(EngineSound.number(head, at: $0, bytes: $1)) }
    let (channels, rate, bytes) = (value(22, 2), value(24, 4), value(end - 4, 4))
    guard head[..<4].elementsEqual("RIFF".utf8), head[(end - 8)..<(end - 4)].elementsEqual("data".utf8),
      value(16, 4) == formatSize, value(headSize - 4, 4) == key.count, 1...2 ~= channels, 0 < rate, 0 < bytes,
      size == end + bytes
    else { return nil }
    return StoredSentence(path: path, frames: Int64(bytes / (2 * channels)), rate: rate)
  }

  /// The bytes before the samples.
  static func headLength(key: String) -> Int { headSize + padded(key).count + 8 }

  /// The chunks of a WAV file begin at even bytes.
  private static func padded(_ key: String) -> [UInt8] {
    let bytes = Array(key.utf8)
    return bytes.count % 2 == 0 ? bytes : bytes + [0]
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
