import CSoxr

/// Changes the rate of a stream by soxr, whose output begins where its input begins: nothing is moved in time.
final class Resampler {
  private let handle: OpaquePointer

  /// Nil when memory is short or the rates are absurd.
  init?(from source: Int, to target: Int, channels: Int) {
    var quality = soxr_quality_spec(UInt(SOXR_20_BITQ), 0)
    guard let handle = soxr_create(Double(source), Double(target), UInt32(channels), nil, nil, &quality, nil) else {
      return nil
    }
    self.handle = handle
  }

  deinit { soxr_delete(handle) }

  struct Progress {
    var used: Int
    var made: Int
  }

  /// Takes frames from `input`, nil once they have ended, and puts up to `capacity` frames into `output`.
  func process(
    _ input: UnsafePointer<Float>?, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) -> Progress {
    var progress = Progress(used: 0, made: 0)
    _ = soxr_process(handle, input, input == nil ? 0 : frames, &progress.used, output, capacity, &progress.made)
    return progress
  }
}
