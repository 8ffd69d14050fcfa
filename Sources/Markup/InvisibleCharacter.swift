/// A character that looks like a space or like nothing. Web pages, word processors and keyboards put them in place of
/// spaces; YAML takes them for text.
struct InvisibleCharacter {
  let scalar: Unicode.Scalar
  let location: SourceLocation
  /// Whether the character stands where only a space can be meant: at the begin of a line, or after a sign of YAML.
  private let isAfterSign: Bool

  /// Nil if the character can be seen, or is a normal space.
  init?(_ scalar: Unicode.Scalar, at location: SourceLocation, isAfterSign: Bool = true) {
    guard Self.isInvisible(scalar) else { return nil }
    (self.scalar, self.location, self.isAfterSign) = (scalar, location, isAfterSign)
  }

  static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xA0, 0xAD, 0x1680, 0x180E, 0x2000...0x200D, 0x202F, 0x205F...0x2064, 0x3000: true
    default: false
    }
  }

  /// All of a text, in order.
  static func all(in text: String, file: String) -> [InvisibleCharacter] {
    // In UTF-8, all of them begin with one of these bytes.
    guard text.utf8.contains(where: { [0xC2, 0xE1, 0xE2, 0xE3].contains($0) }) else { return [] }
    var (found, location, isAfterSign) = ([InvisibleCharacter](), SourceLocation(file: file), true)
    for scalar in text.unicodeScalars {
      if let character = InvisibleCharacter(scalar, at: location, isAfterSign: isAfterSign) {
        found.append(character)
      } else if scalar != " " {
        isAfterSign = "\n\r:-,[{?".unicodeScalars.contains(scalar)
      }
      let isEnd = scalar == "\n" || scalar == "\r"
      (location.line, location.column) = isEnd ? (location.line + 1, 1) : (location.line, location.column + 1)
    }
    return found
  }

  /// Whether an unquoted word contains such a character where it can't be meant as text: at an end, after a key, or
  /// between a number and its unit.
  static func isMisplaced(in word: String) -> Bool {
    guard let first = word.unicodeScalars.first, let last = word.unicodeScalars.last,
      word.unicodeScalars.contains(where: isInvisible)
    else { return false }
    if isInvisible(first) || isInvisible(last) { return true }
    let parts = word.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: isInvisible)
      .map { String($0) }
    let (start, rest) = (parts[0], parts.dropFirst())
    let isKey =
      1 < start.count && start.last == ":"
      && start.dropLast().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    let digits = start.first == "-" || start.first == "+" ? start.dropFirst() : start[...]
    let isNumber = !digits.isEmpty && digits.allSatisfy { "0123456789.:".contains($0) }
    let isUnit =
      rest.dropLast().allSatisfy(\.isEmpty)
      && rest.joined().allSatisfy { $0.isASCII && $0.isLetter || $0 == "%" }
    return isKey || isNumber && isUnit
      || parts.joined().utf8.allSatisfy { $0 < 0x80 } && word.unicodeScalars.contains { isInvisible($0) && !$0.isSpace }
  }

  var error: Diagnostic {
    let kind =
      switch scalar.value {
      case 0xA0, 0x202F, 0x2007: "a no-break space"
      case 0x200B: "a zero-width space"
      case 0xAD: "a soft hyphen"
      case _ where scalar.isSpace: "an unusual space"
      default: "an invisible character"
      }
    let fix = scalar.isSpace ? "replace it with a normal space" : "remove it"
    return Diagnostic(
      .encoding, location, "\(kind), \(name(of: scalar)), outside of quotes", fix: "\(fix), or quote the text")
  }

  /// The error of the last one up to two lines before another error, which it has probably caused; nil if there is none.
  static func cause(of error: Diagnostic, in text: String) -> Diagnostic? {
    let line = error.location.line
    return all(in: text, file: error.location.file).last { $0.isAfterSign && line - 2...line ~= $0.location.line }?
      .error
  }
}

extension Unicode.Scalar {
  /// Whether the character has a width, like a space.
  fileprivate var isSpace: Bool { properties.generalCategory == .spaceSeparator }
}
