import CFLAC
import Signal

/// How libFLAC encodes a stereo stream: the settings with which libsndfile uses it.
struct FLACSettings {
  /// Frames of sound in a FLAC frame.
  static let blockFrames = 4_096
  /// libFLAC's default, from 0 (fastest) to 8 (smallest). At this level, the encoding of a frame doesn't depend on the
  /// frames before it, so pieces that are encoded apart give the same frames as the whole stream.
  private static let level: Int32 = 5

  /// Whether libFLAC can be used directly. Otherwise `SndFileWriter` writes the same files, with one encoder.
  static let areAvailable = prosper_flac_failure() == nil

  /// The sample rate in hertz.
  var rate: Int
  /// 16 or 24 bits per sample.
  var encoding: SampleEncoding

  var bits: Int { 8 * encoding.bytesPerSample }

  /// Encodes a piece, and adds its FLAC frames to `frames`. Each call uses an encoder of its own, so pieces can be
  /// encoded at the same time.
  ///
  /// - Parameters:
  ///   - bytes: interleaved samples in `encoding`.
  ///   - first: the number of the piece's first FLAC frame in the stream.
  /// - Returns: what failed, in libFLAC's words; nil on success.
  func encode(_ bytes: UnsafeRawBufferPointer, into frames: inout FLACFrames, first: Int64) -> String? {
    guard let encoder = prosper_flac_open() else { return "there is not enough memory" }
    defer { prosper_flac_close(encoder) }
    let target = FLACTarget(first: first)
    // Swapped, so that only one variable refers to the memory of the frames, and none is copied.
    swap(&target.frames, &frames)
    defer { swap(&target.frames, &frames) }
    let isDone = withExtendedLifetime(target) {
      begin(encoder, Unmanaged.passUnretained(target).toOpaque()) && add(bytes, to: encoder)
        && prosper_flac_end(encoder)
    }
    return isDone ? nil : String(cString: prosper_flac_state(encoder))
  }

  /// Passes samples to an encoder, one block at a time, which stays in the processor's cache.
  private func add(_ bytes: UnsafeRawBufferPointer, to encoder: UnsafeMutablePointer<FLAC__StreamEncoder>) -> Bool {
    let size = Self.blockFrames * encoding.bytesPerFrame
    var samples = [Int32](repeating: 0, count: 2 * Self.blockFrames)
    return samples.withUnsafeMutableBufferPointer { samples in
      stride(from: 0, to: bytes.count, by: size).allSatisfy { start in
        let block = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
        let part = UnsafeMutableBufferPointer(rebasing: samples[..<(block.count / encoding.bytesPerSample)])
        encoding.decode(block, into: part)
        return prosper_flac_add(encoder, part.baseAddress, UInt32(part.count / 2))
      }
    }
  }

  /// Applies the settings. The sum of the samples belongs to the whole stream, so the encoder of a piece calculates none.
  private func begin(_ encoder: UnsafeMutablePointer<FLAC__StreamEncoder>, _ target: UnsafeMutableRawPointer) -> Bool {
    let block = Int32(Self.blockFrames)
    return prosper_flac_begin(encoder, Self.level, block, Int32(bits), Int32(rate), takeFrame, target)
  }
}

/// Where libFLAC's callback puts the frames of a piece. It exists during `FLACSettings.encode`.
private final class FLACTarget {
  var frames = FLACFrames()
  /// The number of the first frame in the stream.
  let first: Int64

  init(first: Int64) { self.first = first }
}

/// libFLAC's callback for encoded bytes. Bytes without samples are metadata, which `FLACMetadata` writes instead.
private func takeFrame(
  _: UnsafePointer<FLAC__StreamEncoder>?, bytes: UnsafePointer<UInt8>?, count: Int, samples: UInt32, number: UInt32,
  target: UnsafeMutableRawPointer?
) -> FLAC__StreamEncoderWriteStatus {
  guard 0 < samples, let target else { return FLAC__STREAM_ENCODER_WRITE_STATUS_OK }
  let place = Unmanaged<FLACTarget>.fromOpaque(target).takeUnretainedValue()
  let frame = UnsafeBufferPointer(start: bytes, count: count)
  let isComplete = place.frames.append(frame, number: place.first + Int64(number))
  return isComplete ? FLAC__STREAM_ENCODER_WRITE_STATUS_OK : FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR
}
