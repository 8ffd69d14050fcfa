import CFLAC
import Sounds

/// Reads FLAC with samples of more than 24 bits, which libsndfile refuses, and libavcodec decodes only since ffmpeg 6.
///
/// libFLAC reports damaged blocks, and numbers the frames of intact ones.
final class LongFLACReader: SampleReader {
  let format: SampleFormat
  private let file: RegularFile
  private let blocks: FLACOutput
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  /// The frame that is read next.
  private var position: Int64 = 0
  private var hasEnded = false

  /// - Returns: nil if libsndfile supports the file, or it is not a FLAC file.
  init?(_ file: RegularFile) {
    guard let stream = FLACStreamInfo(file), 24 < stream.bits, prosper_flac_failure() == nil else { return nil }
    blocks = FLACOutput(ByteView(of: file), stream)
    guard let decoder = blocks.decoder() else { return nil }
    (self.file, self.decoder) = (file, decoder)
    format = SampleFormat(
      rate: stream.rate, channels: stream.channels, frames: stream.total,
      roles: ChannelRole.standard(channels: stream.channels))
  }

  deinit { prosper_flac_close_decoder(decoder) }

  var isExact: Bool { file.download == nil }

  var reopen: @Sendable () -> (any SampleReader)? {
    { [file] in file.isUnchanged ? LongFLACReader(file) : nil }
  }

  func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var done = 0
    while done < frames {
      if blocks.end <= position {
        guard advance() else { break }
        continue
      }
      guard blocks.start <= position else { break }
      let count = Int(min(Int64(frames - done), blocks.end - position))
      blocks.copy(to: target + done * format.channels, from: position, count: count)
      position += Int64(count)
      done += count
    }
    return done
  }

  func seek(to frame: Int64) -> Bool {
    (position, hasEnded) = (frame, false)
    blocks.clear()
    blocks.isDamaged = false
    guard prosper_flac_seek(decoder, UInt64(clamping: frame)) else { return false }
    if blocks.isDamaged { blocks.clear() }
    while blocks.end <= frame, advance() {}
    return blocks.start <= frame && frame < blocks.end
  }

  func resume(after frame: Int64) -> Int64? {
    while blocks.end <= frame, !hasEnded { _ = advance() }
    guard frame < blocks.end, !blocks.view.isOverwritten else { return nil }
    position = max(frame, blocks.start)
    return position
  }

  /// Decodes the next block. Returns false at the end, and if it is damaged.
  private func advance() -> Bool {
    blocks.isDamaged = false
    hasEnded = hasEnded || !prosper_flac_decode(decoder)
    if blocks.isDamaged { blocks.clear() }
    return !hasEnded && !blocks.isDamaged
  }
}

/// What libFLAC has decoded last. libFLAC has a pointer to it.
private final class FLACOutput {
  let view: ByteView
  /// The samples of a block, interleaved, and its frames.
  private var samples: [Float] = []
  private(set) var (start, end): (Int64, Int64) = (0, 0)
  /// Whether libFLAC has reported damage.
  var isDamaged = false
  private let channels: Int
  private let rate: Int
  private let scale: Float

  init(_ view: ByteView, _ stream: FLACStreamInfo) {
    self.view = view
    (channels, rate) = (stream.channels, stream.rate)
    scale = 1 / Float(sign: .plus, exponent: stream.bits - 1, significand: 1)
  }

  func clear() { (start, end) = (0, 0) }

  func copy(to target: UnsafeMutablePointer<Float>, from frame: Int64, count: Int) {
    let first = Int(frame - start) * channels
    samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      target.update(from: base + first, count: count * channels)
    }
  }

  /// A block of other channels or another rate is damaged.
  fileprivate func take(_ frame: FLAC__Frame, _ planes: UnsafePointer<UnsafePointer<FLAC__int32>?>) {
    let count = Int(frame.header.blocksize)
    guard Int(frame.header.channels) == channels, Int(frame.header.sample_rate) == rate else {
      isDamaged = true
      return
    }
    if samples.count < count * channels { samples = Array(repeating: 0, count: count * channels) }
    for channel in 0..<channels {
      guard let plane = planes[channel] else { continue }
      for index in 0..<count { samples[index * channels + channel] = Float(plane[index]) * scale }
    }
    start = Int64(clamping: frame.header.number.sample_number)
    end = start + Int64(count)
  }

  /// A decoder that writes to this object, at the first block.
  func decoder() -> UnsafeMutablePointer<FLAC__StreamDecoder>? {
    var input = ProsperFLACInput()
    input.read = { _, target, count, client in
      guard let target, let count, let output = output(client) else { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
      count.pointee = output.view.read(into: target, count: count.pointee)
      return count.pointee == 0
        ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
    }
    input.seek = { _, offset, client in
      let isDone = output(client).map { $0.view.seek(Int64(clamping: offset), 0) >= 0 } ?? false
      return isDone ? FLAC__STREAM_DECODER_SEEK_STATUS_OK : FLAC__STREAM_DECODER_SEEK_STATUS_ERROR
    }
    input.tell = { _, offset, client in
      offset?.pointee = UInt64(output(client)?.view.position ?? 0)
      return FLAC__STREAM_DECODER_TELL_STATUS_OK
    }
    input.length = { _, length, client in
      length?.pointee = UInt64(output(client)?.view.length ?? 0)
      return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
    }
    input.eof = { _, client in output(client).map { $0.view.length <= $0.view.position ? 1 : 0 } ?? 1 }
    input.write = { _, frame, planes, client in
      guard let frame, let planes, let output = output(client) else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
      output.take(frame.pointee, planes)
      return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
    }
    input.error = { _, _, client in output(client)?.isDamaged = true }
    return prosper_flac_decoder(&input, Unmanaged.passUnretained(self).toOpaque())
  }
}

/// The object for libFLAC's pointer. Its owner closes the decoder first.
private func output(_ client: UnsafeMutableRawPointer?) -> FLACOutput? {
  client.map { Unmanaged<FLACOutput>.fromOpaque($0).takeUnretainedValue() }
}
