import COpus

/// A decoder of libopus. Used by one thread at a time.
final class OpusDecoder {
  private let handle: OpaquePointer

  /// The rate of the decoded frames in hertz. The header also states that of the recording before it was encoded.
  static let rate = 48_000
  /// The maximum length of a packet's sound, in frames: 120 ms.
  static let longestPacket = 5_760

  /// Returns nil if libopus rejects the header.
  init?(_ header: OpusHeader) {
    var status: Int32 = 0
    let handle = opus_multistream_decoder_create(
      Int32(Self.rate), Int32(header.channels), Int32(header.streams), Int32(header.coupled), header.mapping, &status)
    guard let handle else { return nil }
    self.handle = handle
    guard prosper_opus_set_gain(handle, Int32(header.gain)) == OPUS_OK else { return nil }
  }

  deinit { opus_multistream_decoder_destroy(handle) }

  /// The number of frames that a packet contains; 0 if it is damaged.
  static func length(of packet: [UInt8]) -> Int {
    max(0, Int(opus_packet_get_nb_samples(packet, Int32(packet.count), Int32(rate))))
  }

  /// Decodes a packet to interleaved samples. Returns the number of frames; 0 if the packet can't be decoded.
  ///
  /// - Parameter room: the number of frames for which there is room.
  func decode(_ packet: [UInt8], into samples: UnsafeMutablePointer<Float>, room: Int) -> Int {
    max(0, Int(opus_multistream_decode_float(handle, packet, Int32(packet.count), samples, Int32(room), 0)))
  }
}
