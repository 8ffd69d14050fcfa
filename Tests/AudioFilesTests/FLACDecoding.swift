import CFLAC

/// What libFLAC's decoder, which checks all sums, finds in a file.
final class FLACDecoding {
  /// Interleaved samples.
  private(set) var samples: [Int32] = []
  private(set) var rate = 0
  /// Whether there was no damage.
  private(set) var isComplete = true
  /// Whether the sum of the samples matches, or the file has none.
  private(set) var isSumRight = false

  init(_ path: String) throws {
    guard let decoder = FLAC__stream_decoder_new() else { throw FixtureError(cause: "no memory") }
    defer { FLAC__stream_decoder_delete(decoder) }
    FLAC__stream_decoder_set_md5_checking(decoder, 1)
    let status = FLAC__stream_decoder_init_file(
      decoder, path, takeSamples, takeInformation, noteDamage, Unmanaged.passUnretained(self).toOpaque())
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else { throw FixtureError(cause: "\(status)") }
    if FLAC__stream_decoder_process_until_end_of_stream(decoder) == 0 { isComplete = false }
    isSumRight = FLAC__stream_decoder_finish(decoder) != 0
  }

  fileprivate func append(_ frame: FLAC__Frame, _ channels: UnsafePointer<UnsafePointer<Int32>?>) {
    for index in 0..<Int(frame.header.blocksize) {
      for channel in 0..<2 { if let samples = channels[channel] { self.samples.append(samples[index]) } }
    }
  }

  fileprivate func set(rate: Int) { self.rate = rate }
  fileprivate func setDamaged() { isComplete = false }
}

private func decoding(_ data: UnsafeMutableRawPointer) -> FLACDecoding {
  Unmanaged<FLACDecoding>.fromOpaque(data).takeUnretainedValue()
}

private func takeSamples(
  _: UnsafePointer<FLAC__StreamDecoder>?, frame: UnsafePointer<FLAC__Frame>?,
  channels: UnsafePointer<UnsafePointer<Int32>?>?, data: UnsafeMutableRawPointer?
) -> FLAC__StreamDecoderWriteStatus {
  guard let frame, let channels, let data else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
  decoding(data).append(frame.pointee, channels)
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
}

private func takeInformation(
  _: UnsafePointer<FLAC__StreamDecoder>?, metadata: UnsafePointer<FLAC__StreamMetadata>?, data: UnsafeMutableRawPointer?
) {
  guard let metadata, let data, metadata.pointee.type == FLAC__METADATA_TYPE_STREAMINFO else { return }
  decoding(data).set(rate: Int(metadata.pointee.data.stream_info.sample_rate))
}

private func noteDamage(
  _: UnsafePointer<FLAC__StreamDecoder>?, _: FLAC__StreamDecoderErrorStatus, data: UnsafeMutableRawPointer?
) {
  if let data { decoding(data).setDamaged() }
}
