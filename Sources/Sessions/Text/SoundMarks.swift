/// Recognizes sound files by their first bytes, for a clear error when one is given in place of a session.
enum SoundMarks {
  private static let marks = ["RIFF", "RIFX", "RF64", "riff", "FORM", "caff", "fLaC", "OggS", "ID3"].map {
    Array($0.utf8)
  }

  /// Whether the bytes start like those of a sound file.
  static func begin(_ bytes: [UInt8]) -> Bool {
    if marks.contains(where: bytes.starts) { return true }
    // An MPEG stream has no signature, only the eleven set bits that start each frame. 0xFE and 0xFF would be a UTF-16
    // mark.
    return 2 <= bytes.count && bytes[0] == 0xFF && 0xE0 <= bytes[1] && bytes[1] < 0xFE
  }
}
