/// The positions of all frames of an MPEG audio file, found by following the headers. Only a scan gives the exact
/// length of the file, because information frames, which state a length, are often wrong or missing. Tags, garbage and
/// an incomplete last frame are omitted.
struct MPEGScan: Hashable, Sendable {
  /// In hertz.
  var rate: Int
  var channels: Int
  /// 1 to 3.
  var layer: Int
  /// Frames of sound in one MPEG frame.
  var span: Int
  /// The MPEG frames that were found, in runs with lost ones between them.
  var runs: [Run] = []
  /// The content of the information frame; nil if there is none.
  var information: MPEGInformation?
  /// The number of frames of sound that the container states; nil if it states none.
  var stated: Int64?
  /// Whether the file was truncated: frames are incomplete or overwritten, and the information frame states more frames
  /// than there are.
  var isTruncated = false

  /// Bytes of the smallest MPEG frame.
  var smallest = 0

  /// The number of MPEG frames between two entries of `Run.marks`.
  static let markStep: Int64 = 32

  /// Consecutive MPEG frames. The bytes between their segments, such as tags, don't belong to the sound.
  struct Run: Hashable, Sendable {
    /// The number of the first MPEG frame; an information frame before it is not counted.
    var first: Int64
    /// How many MPEG frames follow each other.
    var count: Int64
    /// The bytes of the frames.
    var segments: [ByteView.Segment]
    /// The byte offset, from the first frame on, of every `MPEGScan.markStep`-th MPEG frame, for seeking; empty if
    /// there are several segments.
    var marks: [Int] = []
    /// The number of the MPEG frame after the last one.
    var end: Int64 { first + count }
  }

  /// The number of MPEG frames, including lost ones between others.
  var count: Int64 { runs.last?.end ?? 0 }

  /// Frames of sound to drop at the beginning: the encoder's padding, and the delay that every decoder has.
  var delay: Int64 {
    guard let trim = information?.trim, trim.delay + trim.padding > 0 else { return 0 }
    return Int64(trim.delay) + Self.decoderDelay
  }

  /// The number of frames of sound, without padding.
  var length: Int64 {
    let all = count * Int64(span)
    guard let trim = information?.trim, trim.delay + trim.padding > 0 else {
      return stated.flatMap { !isTruncated && all - Self.mostPadding * Int64(span)...all ~= $0 ? $0 : nil } ?? all
    }
    let end = isTruncated ? all : min(all, all - Int64(trim.padding) + Self.decoderDelay)
    return max(0, end - delay)
  }

  /// The most MPEG frames of padding. A container that states more of it counts something else.
  private static let mostPadding: Int64 = 3

  /// The delay of every layer III decoder, in frames of sound.
  private static let decoderDelay: Int64 = 529
}

/// The content of an information frame ("Xing" or "Info"), which many encoders write before the first frame of sound.
struct MPEGInformation: Hashable, Sendable {
  /// Padding in frames of sound: `delay` at the beginning, `padding` at the end.
  struct Trim: Hashable, Sendable {
    var delay: Int
    var padding: Int
  }

  /// The number of MPEG frames that follow; nil if it is not stated.
  var count: Int64?
  /// The padding that the encoder added; nil if it is not stated.
  var trim: Trim?

  /// Returns nil if the frame is not an information frame.
  init?(_ frame: [UInt8], _ header: MPEGHeader) {
    let mark = header.informationOffset
    guard frame.count >= mark + 8 else { return nil }
    let name = String(decoding: frame[mark..<mark + 4], as: UTF8.self)
    guard name == "Xing" || name == "Info" else { return nil }
    let flags = frame[mark + 7]
    var offset = mark + 8
    if flags & 1 != 0, frame.count >= offset + 4 {
      count = frame[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
    }
    for (flag, size) in [(1, 4), (2, 4), (4, 100), (8, 4)] where Int(flags) & flag != 0 { offset += size }
    guard frame.count >= offset + 24, frame[offset] != 0 else { return }
    let trims = frame[offset + 21..<offset + 24].reduce(0) { $0 << 8 | Int($1) }
    trim = Trim(delay: trims >> 12, padding: trims & 0xFFF)
  }
}
