import CAv
import Sounds

/// The packets of a file's sound, read by libavformat. Used by one thread at a time.
final class AvInput {
  /// The bytes that the library reads.
  let view: ByteView
  /// What an MPEG-4 or QuickTime file states about the sound; nil for other files.
  let movie: MovieTrack?
  /// The frames of a CAF file's sound, and those of the encoder's delay before it; nil if the file states only how many
  /// all packets together can have.
  let packets: (frames: Int64, delay: Int64)?
  private let io: UnsafeMutablePointer<AVIOContext>
  private var context: UnsafeMutablePointer<AVFormatContext>?
  /// The stream of packets that is decoded.
  let stream: UnsafeMutablePointer<AVStream>
  /// Whether the file is an MPEG-4 or QuickTime file.
  let isMovie: Bool
  /// The name of the file's format in libavformat.
  let name: String
  /// The packets of an Ogg file; nil for other files, and if libavformat reads it.
  private(set) var ogg: OggQueue?
  /// nil if all packets have the same number of frames.
  private var speex: SpeexPackets?
  /// The bytes of a file that consists of packets and tags only; nil for other files.
  private var frames: RawFrames?
  /// Title and artist from the tags around the sound, which libavformat does not see.
  private let tags: SoundTags

  /// The lowest certainty of a format, out of 100. Below it, a few bytes that look like a header are enough.
  private static let leastScore: Int32 = 25

  /// - Returns: nil if libavformat does not recognise the file, or only as something that is not a sound.
  static func open(_ file: RegularFile) throws(SourceError) -> AvInput? {
    // A plain header with the size that the file holds. libavformat would take the last bytes before the end of a file
    // without a size for damaged, and refuses some of them.
    let container = SoundContainer(file).flatMap { $0.isForeign ? $0 : nil }
    let view = container?.view(of: file) ?? ByteView(of: file)
    guard let io = prosper_av_input(pointer(to: view), readBytes, seekBytes) else {
      throw .unreadable(path: file.path, cause: "out of memory")
    }
    var kind: UnsafePointer<AVInputFormat>?
    let score = av_probe_input_buffer2(io, &kind, "", nil, 0, 0)
    if score < leastScore { kind = RawFrames.format(ofShort: file) }
    guard let kind, case let name = String(cString: kind.pointee.name), AvFormats.containers.contains(name) else {
      prosper_av_close_input(io)
      return nil
    }
    return try AvInput(file, view, io, kind, name, container?.tags ?? file.tags)
  }

  private init(
    _ file: RegularFile, _ view: ByteView, _ io: UnsafeMutablePointer<AVIOContext>,
    _ kind: UnsafePointer<AVInputFormat>,
    _ name: String, _ tags: SoundTags
  ) throws(SourceError) {
    (self.view, self.io, self.name, self.tags) = (view, io, name, tags)
    isMovie = name.hasPrefix("mov,")
    let tracks = isMovie ? MovieTrack.all(in: file) : []
    var context = prosper_av_context(io)
    var options = Self.options(for: kind, tracks)
    let status = avformat_open_input(&context, "", kind, &options)
    av_dict_free(&options)
    guard status == 0, let opened = context, let stream = Self.sound(of: opened) else {
      avformat_close_input(&context)
      prosper_av_close_input(io)
      throw Self.refusal(file, status)
    }
    (self.context, self.stream) = (opened, stream)
    movie = tracks.first { $0.id == Int64(stream.pointee.id) }
    packets = name == "caf" ? Self.packets(of: file) : nil
    ogg = name == "ogg" ? OggQueue(file) : nil
    if ogg != nil, let parameters = stream.pointee.codecpar?.pointee {
      speex = SpeexPackets(
        head: UnsafeBufferPointer(start: parameters.extradata, count: Int(parameters.extradata_size)))
    }
    frames = AvFormats.raw.contains(name) ? RawFrames(file) : nil
  }

  deinit {
    avformat_close_input(&context)
    prosper_av_close_input(io)
  }

  private static func options(for kind: UnsafePointer<AVInputFormat>, _ tracks: [MovieTrack]) -> OpaquePointer? {
    var options: OpaquePointer?
    av_dict_set(&options, "format_whitelist", kind.pointee.name, 0)
    av_dict_set(&options, "codec_whitelist", AvFormats.decoders, 0)
    av_dict_set(&options, "protocol_whitelist", "none", 0)
    av_dict_set(&options, "max_streams", "100", 0)
    // The edit of one piece only says where the sound begins and ends, and libavformat would round its end.
    if tracks.allSatisfy(\.isPlain) { av_dict_set(&options, "advanced_editlist", "0", 0) }
    return options
  }

  /// The stream of the sound; nil if there is none. Packets of others are not read.
  private static func sound(of context: UnsafeMutablePointer<AVFormatContext>) -> UnsafeMutablePointer<AVStream>? {
    context.pointee.skip_estimate_duration_from_pts = 1
    discard(in: context) { $0.pointee.codecpar.pointee.codec_type != AVMEDIA_TYPE_AUDIO }
    guard 0 <= avformat_find_stream_info(context, nil) else { return nil }
    let best = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
    discard(in: context) { $0.pointee.index != best }
    return 0 <= best ? context.pointee.streams[Int(best)] : nil
  }

  private static func packets(of file: RegularFile) -> (frames: Int64, delay: Int64)? {
    let table = SoundChunks(of: file, .caf)?.details.first { $0.name == "pakt" }
    guard let bytes = table?.bytes, 24 <= bytes.count else { return nil }
    let (frames, delay, rest) = (bytes[8..<16].number(.big), bytes[16..<20].number(.big), bytes[20..<24].number(.big))
    return 0 < frames && frames < mostFrames && 0 < delay + rest ? (frames, delay) : nil
  }

  private static func discard(
    in context: UnsafeMutablePointer<AVFormatContext>, where isUnwanted: (UnsafeMutablePointer<AVStream>) -> Bool
  ) {
    for index in 0..<Int(context.pointee.nb_streams) {
      guard let stream = context.pointee.streams[index] else { continue }
      stream.pointee.discard = isUnwanted(stream) ? AVDISCARD_ALL : AVDISCARD_DEFAULT
    }
  }

  /// The error for a recognised file that can't be opened.
  private static func refusal(_ file: RegularFile, _ status: Int32) -> SourceError {
    if status == 0 { return .unsupported(path: file.path, what: "contains no sound; give the path of a sound file") }
    if status == prosper_av_unsupported {
      return .unsupported(path: file.path, what: "its encoding is not supported; convert it to FLAC or WAV")
    }
    return .damaged(path: file.path, atSecond: 0, cause: "its headers are incomplete")
  }

  /// A text of the container or of the stream.
  func text(_ key: String) -> String? {
    for tags in [context?.pointee.metadata, stream.pointee.metadata] {
      guard let entry = av_dict_get(tags ?? nil, key, nil, 0), let value = entry.pointee.value else { continue }
      if case let text = String(cString: value), !text.isEmpty { return text }
    }
    return key == "title" ? tags.title : key == "artist" ? tags.artist : nil
  }

  /// The length in seconds that the container states for the sound; nil if it states none.
  var declaredSeconds: Double? {
    guard let context, context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM else { return nil }
    let (time, base) = (stream.pointee.duration, stream.pointee.time_base)
    if time != prosper_av_no_time, 0 < time { return Double(time) * Double(base.num) / Double(base.den) }
    guard context.pointee.nb_streams == 1, 0 < context.pointee.duration else { return nil }
    return Double(context.pointee.duration) / Double(AV_TIME_BASE)
  }

  /// The bytes before the last packet that are no packet, in a file that consists of packets only.
  var skipped: Int64 { frames?.skipped ?? 0 }
  /// Whether the file ends within a packet, as far as its bytes show it.
  var breaksOff: Bool { frames?.breaksOff ?? false }

  /// Reads the next packet of the sound. Returns false at the end, and after errors that don't end.
  func read(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    if ogg != nil { return readOgg(packet) }
    var tries = 0
    while tries < 1_000, let context {
      av_packet_unref(packet)
      let status = av_read_frame(context, packet)
      if status == prosper_av_end { return false }
      if status == 0, packet.pointee.stream_index == stream.pointee.index, 0 < packet.pointee.size {
        return frames?.take(packet) ?? true
      }
      if status < 0 { tries += 1 }
    }
    return false
  }

  private func readOgg(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    av_packet_unref(packet)
    guard let next = ogg?.next(), case let bytes = speex?.completed(next) ?? next, !bytes.isEmpty,
      av_new_packet(packet, Int32(bytes.count)) == 0, let data = packet.pointee.data
    else { return false }
    data.update(from: bytes, count: bytes.count)
    return true
  }

  /// Moves to a packet that begins at a time or before.
  func seek(to time: Int64) -> Bool {
    0 <= av_seek_frame(context, stream.pointee.index, time, AVSEEK_FLAG_BACKWARD)
  }
}

private func readBytes(_ view: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<UInt8>?, _ count: Int32)
  -> Int32
{
  guard let view, let target, 0 < count else { return prosper_av_end }
  let done = byteView(of: view).read(into: target, count: Int(count))
  return done == 0 ? prosper_av_end : Int32(done)
}

private func seekBytes(_ view: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
  guard let view = view.map(byteView) else { return -1 }
  return whence & AVSEEK_SIZE != 0 ? view.length : view.seek(offset, whence & 3)
}
