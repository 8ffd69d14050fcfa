/// Recognizes sound files by their first bytes, so that the error is clear if one is given in place of a session.
enum SoundSignatures {
  private static let signatures = ["RIFF", "RIFX", "RF64", "riff", "FORM", "caff", "fLaC", "OggS", "ID3"].map {
    Array($0.utf8)
  }

  /// Whether the bytes start with the signature of a sound file.
  static func match(_ bytes: [UInt8]) -> Bool {
    if signatures.contains(where: bytes.starts) { return true }
    // An MPEG stream has no signature, but each frame starts with eleven set bits. If the second byte is 0xFE or 0xFF,
    // the two bytes are the byte order mark of UTF-16, or no frame.
    return 2 <= bytes.count && bytes[0] == 0xFF && 0xE0 <= bytes[1] && bytes[1] < 0xFE
  }
}
