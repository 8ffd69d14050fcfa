/// How lengths of time are written: `90`, `"250ms"`, `"1m30s"`, `"4:30"`, `"1:02:03.5"`.
package enum TimeSpelling {
  /// Seconds of a text with units or colons, never negative; nil for anything else, also for a bare number.
  package static func seconds(_ text: String) -> Double? {
    withUnits(text) ?? withColons(text)
  }

  private static func withUnits(_ text: String) -> Double? {
    let units =
      #/(?:([0-9]+(?:\.[0-9]+)?)h)?(?:([0-9]+(?:\.[0-9]+)?)m)?(?:([0-9]+(?:\.[0-9]+)?)s)?(?:([0-9]+(?:\.[0-9]+)?)ms)?/#
    guard !text.isEmpty, let match = text.wholeMatch(of: units) else { return nil }
    return finite(
      number(match.1) * 3600 + number(match.2) * 60 + number(match.3) + number(match.4) / 1000)
  }

  private static func withColons(_ text: String) -> Double? {
    let clock = #/(?:([0-9]+):(?=[0-9][0-9]:))?([0-9]+):([0-5][0-9](?:\.[0-9]+)?)/#
    guard let match = text.wholeMatch(of: clock) else { return nil }
    if match.1 != nil, number(match.2) >= 60 { return nil }
    return finite(number(match.1) * 3600 + number(match.2) * 60 + number(match.3))
  }

  private static func number(_ text: Substring?) -> Double { text.flatMap { Double($0) } ?? 0 }

  private static func finite(_ seconds: Double) -> Double? { seconds.isFinite ? seconds : nil }

  /// As a message writes it: `4.5 s`, `12:30`, `1:00:00`.
  package static func text(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return "\(seconds) s" }
    let sign = seconds < 0 ? "-" : ""
    let milliseconds = Int((abs(seconds) * 1000).rounded())
    if milliseconds < 60_000 { return sign + decimal(milliseconds) + " s" }
    let (minutes, rest) = (milliseconds / 60_000, milliseconds % 60_000)
    let tail = (rest < 10_000 ? "0" : "") + decimal(rest)
    if minutes < 60 { return "\(sign)\(minutes):\(tail)" }
    return "\(sign)\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):\(tail)"
  }

  /// Thousandths, without zeros at the end.
  private static func decimal(_ thousandths: Int) -> String {
    var fraction = String(thousandths % 1000 + 1000).dropFirst()
    while fraction.hasSuffix("0") { fraction = fraction.dropLast() }
    return fraction.isEmpty ? "\(thousandths / 1000)" : "\(thousandths / 1000).\(fraction)"
  }
}
