/// A key that the listener may press while a session plays.
enum Key: Hashable {
  case letter(Character)
  case up, down, left, right
}

/// Converts the bytes of a terminal into keys. Arrow keys arrive as escape sequences of several bytes.
struct KeyDecoder {
  private enum State {
    case plain
    /// After the escape character, and after the bracket that follows it.
    case escape, sequence
  }

  private var state = State.plain

  /// Decodes one byte.
  ///
  /// - Returns: nil if the key is not complete yet, or if prosper does not use it.
  mutating func take(_ byte: UInt8) -> Key? {
    switch (state, byte) {
    case (_, 0x1B):
      state = .escape
      return nil
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
      state = .sequence
      return nil
    case (.sequence, 0x40...0x7E):
      state = .plain
      return Self.arrow(byte)
    case (.sequence, _): return nil
    case (.plain, 0x20...0x7E), (.escape, 0x20...0x7E):
      state = .plain
      return .letter(Character(Unicode.Scalar(byte)))
    default:
      state = .plain
      return nil
    }
  }

  private static func arrow(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    default: nil
    }
  }
}
