import Glibc

/// The names of files, arguments and environment variables, which on Linux are any bytes, as text.
///
/// Bytes that are not UTF-8 become characters of a private range, U+10EE01 to U+10EEFF, and become bytes again wherever
/// a name is given to the system. So a name in any encoding can be stored, compared, sent and written to a session file
/// as text. A name that contains one of these characters itself is converted byte by byte.
extension String {
  /// The text for the bytes of a name.
  package init(ofSystem bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self), !text.holdsBytes {
      self = text
      return
    }
    var (scalars, rest) = (String.UnicodeScalarView(), Array(bytes)[...])
    while let first = rest.first {
      let character = rest.prefix(UTF8.width(ofFirst: first))
      if let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first, !scalar.isByte {
        scalars.append(scalar)
        rest = rest.dropFirst(character.count)
      } else {
        scalars.append(Unicode.Scalar(privateOf: first))
        rest = rest.dropFirst()
      }
    }
    self.init(scalars)
  }

  /// The text for a name that the system returned.
  package init(ofSystem name: UnsafePointer<CChar>) {
    self.init(ofSystem: UnsafeRawBufferPointer(start: name, count: strlen(name)))
  }

  /// The bytes of the name, with a zero at the end, for a call of the system.
  package var forSystem: [CChar] { systemBytes.map { CChar(bitPattern: $0) } + [0] }

  /// The bytes of the name.
  package var systemBytes: [UInt8] {
    if !holdsBytes { return Array(utf8) }
    return unicodeScalars.flatMap { $0.isByte ? [UInt8(truncatingIfNeeded: $0.value)] : Array(String($0).utf8) }
  }

  /// The name for people: with U+FFFD in place of each byte that is no text.
  package var readable: String {
    if !holdsBytes { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.isByte ? "\u{FFFD}" : $0 }))
  }

  /// The same name with bytes in place of characters that a text can't contain, such as control characters.
  package func withBytes(for isExcluded: (Unicode.Scalar) -> Bool) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if isExcluded(scalar) {
        for byte in String(scalar).utf8 { scalars.append(Unicode.Scalar(privateOf: byte)) }
      } else {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// Whether the text contains bytes that are not UTF-8. All of the private range begins with the byte F4.
  private var holdsBytes: Bool { utf8.contains(0xF4) && unicodeScalars.contains { $0.isByte } }
}

extension Unicode.Scalar {
  /// Whether the character stands for a byte of a name that is not UTF-8.
  package var isByte: Bool { 0x10_EE01...0x10_EEFF ~= value }

  /// The character for a byte of a name, which is never zero.
  fileprivate init(privateOf byte: UInt8) { self = Unicode.Scalar(0x10_EE00 + UInt32(byte)) ?? "\u{FFFD}" }
}

extension UTF8 {
  /// The length in bytes of the character that begins with this byte.
  fileprivate static func width(ofFirst byte: UInt8) -> Int {
    byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
  }
}
