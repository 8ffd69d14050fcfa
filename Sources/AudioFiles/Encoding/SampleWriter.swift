import Engine

/// Encodes samples in one format and writes them to an `OutputFile`.
protocol SampleWriter: AnyObject {
  /// Writes interleaved stereo samples; full scale is ±1.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SinkError)

  /// Completes the file; nothing is written after it.
  func close() throws(SinkError)
}
