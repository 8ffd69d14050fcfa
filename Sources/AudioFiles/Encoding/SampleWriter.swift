import Engine

/// Encodes samples in one format and writes them to an `OutputFile`.
protocol SampleWriter: AnyObject {
  /// Writes interleaved stereo samples; full scale is ±1.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SinkError)

  /// Writes whole frames that are already encoded as samples of the file. Only called if `OutputFormat.directEncoding`
  /// returns an encoding.
  func write(encoded bytes: ArraySlice<UInt8>) throws(SinkError)

  /// Completes the file; nothing is written after it.
  func close() throws(SinkError)
}

extension SampleWriter {
  func write(encoded bytes: ArraySlice<UInt8>) throws(SinkError) {}
}
