import Engine

/// Turns frames into the bytes of one format.
protocol SampleWriter: AnyObject {
  /// Interleaved stereo.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SinkError)

  /// Completes the file; nothing is written after it.
  func close() throws(SinkError)
}
