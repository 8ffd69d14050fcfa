import CAv
import Sounds

/// Decodes the sound of a file with libavcodec, packet by packet. Used by one thread at a time.
final class AvLine {
  let input: AvInput
  /// The frames of sound that are missing before the last decoded ones, as far as the packets show it.
  private(set) var lost: Int64 = 0
  /// Whether a packet after the last decoded frames can't be decoded.
  private(set) var isBroken = false
  private var codec: UnsafeMutablePointer<AVCodecContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  /// The frames of sound that the last packet should have, and all packets since the last decoded frames.
  private var (packetLength, expected): (Int64, Int64) = (0, 0)

  /// How many calls have neither read a packet nor decoded sound. A decoder that only fails is not asked for ever.
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

  /// Decodes the next frames, and passes over packets that can't be decoded. Returns nil at the end.
  ///
  /// The result is valid until the next call.
  func next() -> UnsafePointer<AVFrame>? {
    guard let codec, let packet, let frame else { return nil }
    while failures < Self.mostFailures {
      failures += 1
      switch avcodec_receive_frame(codec, frame) {
      case 0 where frame.pointee.nb_samples <= 0: break
      case 0 where isIntact(frame):
        lost = isBroken ? max(1, expected - packetLength) : 0
        (failures, expected, isBroken) = (0, 0, false)
        return UnsafePointer(frame)
      case prosper_av_again: if !send(packet, to: codec) { return nil }
      case prosper_av_end: return nil
      default:
        // The rest of a packet, of which something was decoded.
        if expected == 0 { expected = packetLength }
        isBroken = true
      }
    }
    return nil
  }

  /// Treats the last decoded frames as lost.
  func reject() { (isBroken, expected) = (true, lost + packetLength) }

  /// Some decoders deliver what they could decode of a damaged packet.
  private func isIntact(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
    frame.pointee.flags & AV_FRAME_FLAG_CORRUPT == 0 && frame.pointee.decode_error_flags == 0
  }

  /// Gives the decoder the next packet, or tells it that there is none. Returns false if that fails at the end.
  private func send(_ packet: UnsafeMutablePointer<AVPacket>, to codec: UnsafeMutablePointer<AVCodecContext>) -> Bool {
    guard input.read(packet) else { return avcodec_send_packet(codec, nil) == 0 }
    failures = 0
    packetLength = length(of: packet)
    expected += packetLength
    if 0 < input.skipped {
      isBroken = true
      let size = Int64(packet.pointee.size)
      expected += min((input.skipped + size / 2) / size, 1 << 20) * packetLength
    }
    let isDamaged = packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
    if isDamaged || avcodec_send_packet(codec, packet) < 0 { isBroken = true }
    return true
  }

  /// How many frames of sound a packet should have.
  private func length(of packet: UnsafeMutablePointer<AVPacket>) -> Int64 {
    if 0 < fixedLength { return fixedLength }
    let (time, base) = (packet.pointee.duration, input.stream.pointee.time_base)
    guard 0 < time, 0 < base.den, let rate = codec?.pointee.sample_rate else { return 1 }
    let frames = (Double(time) * Double(base.num) * Double(rate) / Double(base.den)).rounded()
    return frames <= Double(Self.mostSamples) ? max(1, Int64(frames)) : 1
  }

  /// Moves to a packet that begins at a time of the stream or before.
  func seek(to time: Int64) -> Bool {
    guard let codec, input.seek(to: time) else { return false }
    avcodec_flush_buffers(codec)
    (expected, isBroken) = (0, false)
    return true
  }
}
