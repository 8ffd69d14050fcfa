import CAv
import Engine

/// Decodes the sound of a file with libavcodec, packet by packet. Used by one thread at a time.
final class AvLine {
  enum Step {
    /// A frame of libavcodec with at least one frame of sound.
    case sound
    /// A packet that can't be decoded.
    case damage
    case end
  }

  let input: AvInput
  private var codec: UnsafeMutablePointer<AVCodecContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private(set) var frame: UnsafeMutablePointer<AVFrame>?
  /// The number of frames of sound that the packet was expected to have which was read last.
  private(set) var packetLength: Int64 = 0

  /// How many steps have neither read a packet nor decoded sound. A decoder that only fails is not asked for ever.
  private var failures = 0
  private static let mostFailures = 100
  /// The maximum number of frames of sound in a packet.
  private static let mostSamples: Int64 = 8 << 20

  /// - Returns: nil if libavformat does not recognise the file as sound.
  init?(_ file: RegularFile) throws(SourceError) {
    guard let input = try AvInput.open(file) else { return nil }
    self.input = input
    guard let parameters = input.stream.pointee.codecpar,
      let decoder = avcodec_find_decoder(parameters.pointee.codec_id)
    else {
      throw Self.unsupported(file, input)
    }
    (codec, packet, frame) = (avcodec_alloc_context3(decoder), av_packet_alloc(), av_frame_alloc())
    guard let codec, packet != nil, frame != nil, 0 <= avcodec_parameters_to_context(codec, parameters) else {
      throw .unreadable(path: file.path, cause: "out of memory")
    }
    codec.pointee.pkt_timebase = input.stream.pointee.time_base
    codec.pointee.thread_count = 1
    codec.pointee.max_samples = Self.mostSamples
    codec.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
    var options: OpaquePointer?
    av_dict_set(&options, "codec_whitelist", AvFormats.decoders, 0)
    defer { av_dict_free(&options) }
    guard avcodec_open2(codec, decoder, &options) == 0 else { throw Self.unsupported(file, input) }
  }

  deinit {
    av_frame_free(&frame)
    av_packet_free(&packet)
    avcodec_free_context(&codec)
  }

  private static func unsupported(_ file: RegularFile, _ input: AvInput) -> SourceError {
    let codec = input.stream.pointee.codecpar.map { String(cString: avcodec_get_name($0.pointee.codec_id)) } ?? "none"
    return .unsupported(
      path: file.path, what: "its encoding (\(codec)) can't be decoded; convert it to FLAC or WAV")
  }

  /// The name of the decoder.
  var decoder: String { codec?.pointee.codec.flatMap { String(cString: $0.pointee.name) } ?? "" }

  /// The frames of sound in every packet; 0 if that varies.
  var fixedLength: Int64 { Int64(codec?.pointee.frame_size ?? 0) }

  /// Decodes the next frame.
  func step() -> Step {
    guard let codec, let packet, let frame, failures < Self.mostFailures else { return .end }
    failures += 1
    while true {
      switch avcodec_receive_frame(codec, frame) {
      case 0:
        if frame.pointee.nb_samples <= 0 { continue }
        failures = 0
        return frame.pointee.flags & AV_FRAME_FLAG_CORRUPT == 0 ? .sound : .damage
      case prosper_av_end: return .end
      case prosper_av_again: break
      default: return .damage
      }
      guard input.read(packet) else {
        guard avcodec_send_packet(codec, nil) == 0 else { return .end }
        continue
      }
      failures = 0
      packetLength = length(of: packet)
      let isDamaged = packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
      if isDamaged || avcodec_send_packet(codec, packet) < 0 { return .damage }
    }
  }

  /// How many frames of sound a packet should have.
  private func length(of packet: UnsafeMutablePointer<AVPacket>) -> Int64 {
    if 0 < fixedLength { return fixedLength }
    let (time, base) = (packet.pointee.duration, input.stream.pointee.time_base)
    guard 0 < time, time < 1 << 32, 0 < base.den, let rate = codec?.pointee.sample_rate else { return 1 }
    return max(1, (time * Int64(base.num) * Int64(rate) + Int64(base.den) / 2) / Int64(base.den))
  }

  /// Moves to a packet that begins at a time of the stream or before.
  func seek(to time: Int64) -> Bool {
    guard let codec, input.seek(to: time) else { return false }
    avcodec_flush_buffers(codec)
    return true
  }
}
