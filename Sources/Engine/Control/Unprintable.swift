extension Unicode.Scalar {
  /// Whether the character controls a terminal or the direction of writing, or is invisible. A text with it could look
  /// different from its content.
  ///
  /// Joiners are printable: emoji and some scripts need them.
  package var isUnprintable: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}
