extension Unicode.Scalar {
  /// Whether it is a control character or changes the writing direction. A terminal could show a text with it differently
  /// from its content.
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// Whether it is such a character, or is invisible.
  ///
  /// Joiners are printable: emoji and some scripts need them.
  package var isUnprintable: Bool {
    switch value {
    case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E...0x200F, 0x2060...0x206F, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: isControl
    }
  }
}
