/// A length or a position in frames with its fraction, in units of 2⁻⁶⁴ frames. A sum doesn't depend on the order of its
/// terms, so positions that are computed in different ways are equal.
public struct ExactFrames: Hashable, Sendable {
  private var units: Int128

  private init(units: Int128) { self.units = units }

  public init(_ frames: FrameCount) { units = Int128(frames) << 64 }

  /// The length of `frames` frames at `source` hertz, in frames at `target` hertz.
  public init(_ frames: Int64, from source: Int, to target: Int) {
    let (whole, rest) = (Int128(frames) * Int128(target)).quotientAndRemainder(dividingBy: Int128(source))
    units = Int128(Int64(clamping: whole)) << 64 + (rest << 64) / Int128(source)
  }

  /// - Parameter frames: less than 2⁶², with a fraction.
  public init(nearest frames: Double) { units = Int128(frames * 0x1p64) }

  /// The frames with their fraction, as exactly as a double can state them.
  public var frames: Double { Double(units) * 0x1p-64 }

  private static let half = Int128(1) << 63

  /// The nearest frame, ties up.
  public var rounded: FrameCount {
    let (sum, overflow) = units.addingReportingOverflow(Self.half)
    return overflow ? .endless : FrameCount(sum >> 64)
  }

  /// What rounding cuts off: at least -0.5 and less than 0.5.
  public var fraction: ExactFrames { ExactFrames(units: units - Int128(rounded) << 64) }

  /// A fraction as the nearest number of parts, of which `count` are a frame.
  public func parts(_ count: Int64) -> Int64 { Int64((units * Int128(count) + Self.half) >> 64) }

  /// The sum; nil if it exceeds the range of a frame.
  public func adding(_ other: ExactFrames) -> ExactFrames? {
    let (sum, overflow) = units.addingReportingOverflow(other.units)
    return overflow ? nil : ExactFrames(units: sum)
  }

  /// How often `length` fits, rounded down; `length` is more than zero.
  public func quotient(by length: ExactFrames) -> Int64 { Int64(clamping: units / length.units) }

  /// The product; nil if it exceeds the range of a frame.
  public func multiplied(by factor: Int64) -> ExactFrames? {
    let (product, overflow) = units.multipliedReportingOverflow(by: Int128(factor))
    return overflow ? nil : ExactFrames(units: product)
  }
}
