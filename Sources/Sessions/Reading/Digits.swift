/// Decimal numbers as session files write them: ASCII digits, and digits on both sides of a point.
enum Digits {
  static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character && character.isASCII }

  /// The number at the beginning of `text`, which then begins behind it; nil where there is none.
  static func takeDecimal(from text: inout Substring) -> Double? {
    let whole = text.prefix(while: isDigit)
    guard !whole.isEmpty else { return nil }
    var length = whole.count
    let behind = text.dropFirst(length)
    if behind.first == "." {
      let fraction = behind.dropFirst().prefix(while: isDigit)
      if !fraction.isEmpty { length += 1 + fraction.count }
    }
    let number = Double(text.prefix(length))
    text = text.dropFirst(length)
    return number
  }

  /// A text of nothing but digits; nil for any other.
  static func whole(_ text: Substring) -> Double? {
    text.isEmpty || !text.allSatisfy(isDigit) ? nil : Double(text)
  }
}
