/// The identification header of an Opus stream (RFC 7845, section 5.1).
struct OpusHeader {
  let channels: Int
  /// How much a decoder drops at the beginning, in units of 1/48,000 s.
  let skip: Int64
  /// The gain of the output in 1/256 dB.
  let gain: Int
  /// The number of Opus streams in each packet, and how many of them are stereo.
  let (streams, coupled): (Int, Int)
  /// For each channel, the decoded channel that it is.
  let mapping: [UInt8]

  private static let mark = Array("OpusHead".utf8)

  /// - Parameter packet: the first packet of the stream. Returns nil if it is no such header, or an incomplete one.
  init?(_ packet: [UInt8]) {
    guard packet.starts(with: Self.mark), 19 <= packet.count else { return nil }
    channels = Int(packet[9])
    skip = Int64(packet[10]) | Int64(packet[11]) << 8
    gain = Int(Int16(bitPattern: UInt16(packet[16]) | UInt16(packet[17]) << 8))
    if packet[18] == 0 {
      guard 1...2 ~= channels else { return nil }
      (streams, coupled, mapping) = (1, channels - 1, [0, 1])
    } else {
      guard 21 + channels <= packet.count else { return nil }
      (streams, coupled, mapping) = (Int(packet[19]), Int(packet[20]), Array(packet[21..<21 + channels]))
    }
  }
}
