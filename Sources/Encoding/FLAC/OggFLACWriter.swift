import AudioFiles
import CFLAC
import Engine
import Files
import Glibc
import Signal

/// Writes a FLAC stream in Ogg pages, of stereo samples with 16 bits.
final class OggFLACWriter {
  private let stream: ByteStream
  private let encoder: UnsafeMutablePointer<FLAC__StreamEncoder>
  private var samples: [Int32] = []

  init(_ stream: ByteStream, _ tags: FileTags, rate: Int) throws(SinkError) {
    self.stream = stream
    if prosper_flac_failure() != nil {
      throw .unsupported(path: stream.path, what: "libFLAC can't be loaded; install the package libsndfile1")
    }
    guard let encoder = prosper_flac_open() else {
      throw .cannotCreate(path: stream.path, cause: ErrorNumber(code: ENOMEM).message)
    }
    self.encoder = encoder
    let lines = [("TITLE", tags.title), ("ALBUM", tags.album), ("ARTIST", tags.artist)].compactMap { key, value in
      value.map { "\(key)=\($0)" }
    }
    let target = Unmanaged.passUnretained(stream).toOpaque()
    let serial = Int.random(in: 1...Int(Int32.max))
    let isOpen = prosper_flac_begin_ogg(encoder, Int32(rate), serial, lines.joined(separator: "\n"), takeBytes, target)
    guard isOpen else {
      let reason = String(cString: prosper_flac_state(encoder))
      prosper_flac_close(encoder)
      throw .unsupported(path: stream.path, what: "libFLAC can't write Ogg FLAC (\(reason)); choose .opus")
    }
  }

  deinit { prosper_flac_close(encoder) }

  /// Writes whole frames of samples with 16 bits.
  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
    let count = bytes.count / 2
    if samples.count < count { samples = Array(repeating: 0, count: count) }
    let isWritten = samples.withUnsafeMutableBufferPointer { samples in
      bytes.withUnsafeBytes {
        SampleEncoding.s16.decode($0, into: UnsafeMutableBufferPointer(rebasing: samples[..<count]))
      }
      return prosper_flac_add(encoder, samples.baseAddress, UInt32(count / 2))
    }
    if !isWritten { throw failure }
  }

  func close() throws(SinkError) { if !prosper_flac_end(encoder) { throw failure } }

  private var failure: SinkError {
    .cannotWrite(path: stream.path, cause: "libFLAC reports: \(String(cString: prosper_flac_state(encoder)))")
  }
}

/// libFLAC's callback for the bytes of pages. The stream exists as long as the writer.
private func takeBytes(
  _: UnsafePointer<FLAC__StreamEncoder>?, bytes: UnsafePointer<UInt8>?, count: Int, samples: UInt32, number: UInt32,
  target: UnsafeMutableRawPointer?
) -> FLAC__StreamEncoderWriteStatus {
  guard let target else { return FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR }
  Unmanaged<ByteStream>.fromOpaque(target).takeUnretainedValue()
    .write(UnsafeRawBufferPointer(start: bytes, count: count))
  return FLAC__STREAM_ENCODER_WRITE_STATUS_OK
}
