/// Reads decimal numbers as session files write them: ASCII digits, and digits on both sides of a decimal point.
package enum Digits {
  /// Whether a character is an ASCII digit. `Character.isNumber` also accepts digits of other scripts, which `Double`
  /// can't read.
  package static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character && character.isASCII }

  /// Removes a number from the start of `text` and returns it; returns nil and leaves `text` unchanged if there is
  /// none.
  package static func takeDecimal(from text: inout Substring) -> Double? {
    let whole = text.prefix(while: isDigit)
    guard !whole.isEmpty else { return nil }
    var length = whole.count
    let after = text.dropFirst(length)
    if after.first == "." {
      let fraction = after.dropFirst().prefix(while: isDigit)
      if !fraction.isEmpty { length += 1 + fraction.count }
    }
    let number = Double(text.prefix(length))
    text = text.dropFirst(length)
    return number
  }

  /// The value of a text that consists of digits only; nil for any other text.
  package static func whole(_ text: Substring) -> Double? {
    text.isEmpty || !text.allSatisfy(isDigit) ? nil : Double(text)
  }
}
