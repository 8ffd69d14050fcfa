/// The marks at the front of sound files, by which one is known that is given in place of a session.
enum SoundMarks {
  private static let marks = ["RIFF", "RIFX", "RF64", "riff", "FORM", "caff", "fLaC", "OggS", "ID3"].map {
    Array($0.utf8)
  }

  static func begin(_ bytes: [UInt8]) -> Bool {
    if marks.contains(where: bytes.starts) { return true }
    // MPEG sound has no mark but the eleven bits that begin each of its frames.
    return 2 <= bytes.count && bytes[0] == 0xFF && 0xE0 <= bytes[1] && bytes[1] < 0xFE
  }
}
