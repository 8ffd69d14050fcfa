/// Where the frames of an MPEG audio file lie, found by going from header to header: the only length that such a file has.
///
/// Headers that promise a length are often wrong or missing. Tags, garbage and a torn last frame are left out.
struct MPEGScan: Hashable, Sendable {
  var rate: Int
  var channels: Int
  /// Sample frames in one MPEG frame.
  var span: Int
  /// The frames that are there, in runs with lost ones between them.
  var runs: [Run] = []
  /// What the information frame says.
  var information: MPEGInformation?
  /// Whether frames are torn or overwritten and the information frame promised more than the runs go to: the file was cut.
  var isCut = false

  /// Frames that follow each other. What stands between their stretches is no part of the sound.
  struct Run: Hashable, Sendable {
    /// The number of the first one; an information frame in front of them is not counted.
    var first: Int64
    var count: Int64
    var stretches: [ByteView.Stretch]
    var end: Int64 { first + count }
  }

  /// MPEG frames of sound, with those that are lost between others.
  var count: Int64 { runs.last?.end ?? 0 }

  /// Sample frames to drop in front: what the encoder put there, and the delay of every decoder.
  var delay: Int64 {
    guard let trim = information?.trim, trim.delay + trim.padding > 0 else { return 0 }
    return Int64(trim.delay) + Self.decoderDelay
  }

  /// Sample frames of the sound itself.
  var length: Int64 {
    let all = count * Int64(span)
    guard let trim = information?.trim, trim.delay + trim.padding > 0 else { return all }
    let end = isCut ? all : min(all, all - Int64(trim.padding) + Self.decoderDelay)
    return max(0, end - delay)
  }

  private static let decoderDelay: Int64 = 529
}

/// What the first frame of many files holds in place of sound.
struct MPEGInformation: Hashable, Sendable {
  struct Trim: Hashable, Sendable {
    var delay: Int
    var padding: Int
  }

  /// MPEG frames that follow; nil where it is left out.
  var count: Int64?
  /// Sample frames that the encoder added in front and behind.
  var trim: Trim?

  /// Nil when the frame holds sound.
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
