import ProsperKit

/// A text as a word for any POSIX shell, with quotes if it needs them. `printf` makes control characters, and bytes of a
/// name that are no text; cron's shell knows no other way.
func shellWord(_ text: String) -> String {
  if text.wholeMatch(of: #/[A-Za-z0-9_.\/+,:@%-]+/#) != nil { return text }
  if text == text.withoutControls { return "'" + text.replacing("'", with: "'\\''") + "'" }
  let bytes = text.systemBytes.map { byte in
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "\\"): String(repeating: Character(Unicode.Scalar(byte)), count: 2)
    case 0x20..<0x7F where byte != UInt8(ascii: "'"): String(Character(Unicode.Scalar(byte)))
    default: "\\" + [6, 3, 0].map { String(byte >> $0 & 7) }.joined()
    }
  }
  return "\"$(printf '" + bytes.joined() + "')\""
}

/// A path as a word for a shell. One that begins with a hyphen would be read as an option.
func shellWord(ofPath path: String) -> String { shellWord(path.hasPrefix("-") ? "./" + path : path) }

/// A byte as two digits.
func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
