/// The four bytes at the beginning of each MPEG audio frame.
struct MPEGHeader {
  let bits: UInt32
  /// In hertz.
  let rate: Int
  let channels: Int
  /// 1 to 3.
  let layer: Int
  /// Frames of sound in one MPEG frame.
  let span: Int
  /// The size of the MPEG frame in bytes, including its header.
  let size: Int
  /// The average size in bytes of frames with this bit rate.
  let exactSize: Double

  /// Returns nil if the bits are not a header of layer I to III with a known bit rate.
  init?(_ bits: UInt32) {
    let version = Int(bits >> 19 & 3)
    let layer = 4 - Int(bits >> 17 & 3)
    let bitrate = Int(bits >> 12 & 15)
    let rateIndex = Int(bits >> 10 & 3)
    guard bits >> 21 == 0x7FF, version != 1, layer < 4, 0 < bitrate, bitrate < 15, rateIndex < 3 else { return nil }
    let isFirst = version == 3
    (self.bits, self.layer) = (bits, layer)
    rate = [44_100, 48_000, 32_000][rateIndex] >> (isFirst ? 0 : version == 2 ? 1 : 2)
    channels = bits >> 6 & 3 == 3 ? 1 : 2
    span = layer == 1 ? 384 : layer == 3 && !isFirst ? 576 : 1_152
    let speed = Self.kilobits(isFirst, layer)[bitrate] * 1_000
    exactSize = Double(span / 8 * speed) / Double(rate)
    let slots = span / (layer == 1 ? 32 : 8) * speed / rate
    size = (slots + Int(bits >> 9 & 1)) * (layer == 1 ? 4 : 1)
  }

  /// Whether both headers can belong to the same stream: same version, layer, sample rate and number of channels.
  func continues(_ other: MPEGHeader) -> Bool {
    bits & 0xFFFE_0C00 == other.bits & 0xFFFE_0C00 && channels == other.channels
  }

  /// Bytes from the frame's beginning to the signature of an information frame: header and side information.
  var informationOffset: Int {
    4 + (isFirstVersion ? (channels == 1 ? 17 : 32) : (channels == 1 ? 9 : 17))
  }

  private var isFirstVersion: Bool { bits >> 19 & 3 == 3 }
  private var checksumBytes: Int { bits >> 16 & 1 == 0 ? 2 : 0 }

  /// The bit reservoir: how many bytes of earlier frames a layer III frame needs, and how many of its own bytes it and
  /// later frames can use.
  ///
  /// - Parameter bytes: the first bytes of the frame, at least eight.
  func reservoir(_ bytes: [UInt8]) -> (needed: Int, own: Int) {
    guard layer == 3, bytes.count >= 8 else { return (0, 0) }
    let side = 4 + checksumBytes
    let needed = isFirstVersion ? Int(bytes[side]) << 1 | Int(bytes[side + 1] >> 7) : Int(bytes[side])
    return (needed, size - informationOffset - checksumBytes)
  }

  /// The bit rates of a version and layer, by their index in the header.
  private static func kilobits(_ isFirst: Bool, _ layer: Int) -> [Int] {
    switch (isFirst, layer) {
    case (true, 1): [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
    case (true, 2): [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    case (true, _): [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case (false, 1): [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
    case (false, _): [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    }
  }
}
