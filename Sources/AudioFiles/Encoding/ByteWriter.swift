import Engine

/// Writes files whose samples `EncoderBatch` has already encoded.
protocol ByteWriter: AnyObject {
  /// Writes whole frames in the sample encoding of the file.
  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError)

  /// Completes the file; nothing is written after it.
  func close() throws(SinkError)
}
