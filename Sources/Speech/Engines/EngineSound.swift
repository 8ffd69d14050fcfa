import Sounds

/// The sound of a sentence as an engine writes it, without the silence at both ends: 16 bits, one or two channels.
struct EngineSound {
  /// Hertz.
  let rate: Int
  let channels: Int
  /// The samples of all channels, in the order of WAV files: bytes of little-endian numbers.
  let samples: ArraySlice<UInt8>

  /// Samples below this level, -66 dB, are silence: they are not heard.
  private static let silence: Int16 = 16

  /// Reads a WAV file. Engines that write to a pipe state no valid size, so the samples reach to the end of the file.
  init(wave bytes: [UInt8]) throws(SpeechFailure.Fault) {
    if bytes.isEmpty { throw .silent }
    guard bytes.count >= 12, bytes[0..<4].elementsEqual("RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8) else {
      throw .notASound(cause: "it does not begin like one")
    }
    var index = 12
    var format: (rate: Int, channels: Int)?
    while index + 8 <= bytes.count {
      let (name, size) = (bytes[index..<index + 4], Int(Self.number(bytes, at: index + 4, bytes: 4)))
      index += 8
      if name.elementsEqual("fmt ".utf8) { format = try Self.format(in: bytes, at: index, size: size) }
      if name.elementsEqual("data".utf8) {
        guard let format else { throw .notASound(cause: "it states no format before its samples") }
        (rate, channels) = format
        let end = min(bytes.count, index + size)
        samples = try Self.trimmed(bytes[index..<end], width: 2 * format.channels)
        return
      }
      index += size + size % 2
    }
    throw .notASound(cause: "it has no samples")
  }

  private static func format(
    in bytes: [UInt8], at index: Int, size: Int
  ) throws(SpeechFailure.Fault) -> (rate: Int, channels: Int) {
    guard 16 <= size, index + 16 <= bytes.count else { throw .notASound(cause: "it is cut in its header") }
    let value = { number(bytes, at: index + $0, bytes: $1) }
    let (code, channels, rate, bits) = (value(0, 2), Int(value(2, 2)), Int(value(4, 4)), value(14, 2))
    guard code == 1 || code == 0xFFFE, bits == 16, 1...2 ~= channels, 4_000...192_000 ~= rate else {
      throw .notASound(cause: "its samples have \(bits) bits at \(rate) Hz in \(channels) channels, format \(code)")
    }
    return (rate, channels)
  }

  /// The samples from the first audible one to the last one.
  ///
  /// - Parameter width: the bytes of a frame.
  private static func trimmed(_ bytes: ArraySlice<UInt8>, width: Int) throws(SpeechFailure.Fault) -> ArraySlice<UInt8> {
    let frames = bytes.count / width
    let isAudible = { (frame: Int) in
      stride(from: 0, to: width, by: 2).contains { offset in
        let index = bytes.startIndex + frame * width + offset
        return silence <= Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8).magnitude
      }
    }
    guard let first = (0..<frames).first(where: isAudible), let last = (0..<frames).last(where: isAudible) else {
      throw .silent
    }
    return bytes[bytes.startIndex + first * width..<bytes.startIndex + (last + 1) * width]
  }

  /// A little-endian number.
  static func number(_ bytes: some RandomAccessCollection<UInt8>, at index: Int, bytes count: Int) -> UInt32 {
    let start = bytes.index(bytes.startIndex, offsetBy: index)
    return bytes[start...].prefix(count).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
