import Signal

/// The encoding of a sample in files and raw streams: always little-endian.
public enum SampleEncoding: String, Sendable, Hashable, CaseIterable {
  /// Signed integers of 16 bits.
  case s16
  /// Signed integers of 24 bits.
  case s24
  /// Floating-point numbers of 32 bits; full scale is ±1.
  case f32
}

extension Signal.SampleEncoding {
  init(_ encoding: SampleEncoding) {
    self =
      switch encoding {
      case .s16: .s16
      case .s24: .s24
      case .f32: .f32
      }
  }
}
