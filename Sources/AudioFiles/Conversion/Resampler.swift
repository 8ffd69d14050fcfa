import CSoxr

/// Converts the sample rate of a stream with soxr at 20-bit quality. The first output frame belongs to the first input
/// frame: soxr compensates for the delay of its filter.
///
/// Used by one thread at a time.
package final class Resampler {
  private let handle: OpaquePointer

  /// - Returns: nil if there is not enough memory or the rates are out of soxr's range.
  package init?(from source: Int, to target: Int, channels: Int) {
    var quality = soxr_quality_spec(UInt(SOXR_20_BITQ), 0)
    guard let handle = soxr_create(Double(source), Double(target), UInt32(channels), nil, nil, &quality, nil) else {
      return nil
    }
    self.handle = handle
  }

  deinit { soxr_delete(handle) }

  /// The numbers of frames of one call.
  package struct Progress {
    /// Input frames that were consumed.
    package var used: Int
    /// Output frames that were produced.
    package var made: Int
  }

  /// Converts interleaved frames of `input` into up to `capacity` frames of `output`. An `input` of nil marks the end
  /// of the stream.
  package func process(
    _ input: UnsafePointer<Float>?, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) -> Progress {
    var progress = Progress(used: 0, made: 0)
    _ = soxr_process(handle, input, input == nil ? 0 : frames, &progress.used, output, capacity, &progress.made)
    return progress
  }
}
