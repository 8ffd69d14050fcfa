/// Lengths of time as session files write them: `"250ms"`, `"1m30s"`, `"4:30"`, `"1:02:03.5"`.
package enum TimeSpelling {
  /// The seconds that a text with units or colons states, never negative; nil for any other text, including a number
  /// without a unit.
  package static func seconds(_ text: String) -> Double? {
    withUnits(text) ?? withColons(text)
  }

  /// Hours, minutes, seconds and milliseconds in this order, each at most once.
  ///
  /// The text is scanned without a regular expression, which would be too slow for a session with 100,000 positions.
  private static func withUnits(_ text: String) -> Double? {
    var units: ArraySlice<(name: String, factor: Double, divisor: Double)> = [
      ("h", 3600, 1), ("m", 60, 1), ("s", 1, 1), ("ms", 1, 1000),
    ]
    var rest = text[...]
    var total = 0.0
    repeat {
      guard let number = Digits.takeDecimal(from: &rest) else { return nil }
      let name = rest.prefix { !Digits.isDigit($0) }
      guard let index = units.firstIndex(where: { $0.name == name }) else { return nil }
      total += number * units[index].factor / units[index].divisor
      units = units[(index + 1)...]
      rest = rest.dropFirst(name.count)
    } while !rest.isEmpty
    return finite(total)
  }

  /// `M:SS` or `H:MM:SS`, with an optional fraction; only the first number may exceed 59.
  private static func withColons(_ text: String) -> Double? {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)[...]
    guard 2...3 ~= parts.count, var last = parts.popLast(), let minutes = parts.popLast() else { return nil }
    let seconds = last
    guard let rest = Digits.takeDecimal(from: &last), last.isEmpty, rest < 60 else { return nil }
    guard seconds.prefix(while: Digits.isDigit).count == 2, let whole = Digits.whole(minutes) else { return nil }
    guard let hours = parts.first else { return finite(whole * 60 + rest) }
    guard minutes.count == 2, whole < 60, let long = Digits.whole(hours) else { return nil }
    return finite(long * 3600 + whole * 60 + rest)
  }

  private static func finite(_ seconds: Double) -> Double? { seconds.isFinite ? seconds : nil }
}
