import Markup

/// Recognizes what is given in place of a session by mistake, by its first bytes and its name, so that the error says
/// what it is.
enum ForeignFile {
  /// The error for a file that is another kind of file than a session; nil for one that may be a session.
  static func refusal(_ bytes: [UInt8], path: String) -> Diagnostic? {
    let refusal = { (kind: String, fix: String) in
      Diagnostic(.notASession, SourceLocation(file: path), "this is \(kind), not a session", fix: fix)
    }
    if isSound(bytes) {
      return refusal(
        "a sound file",
        "name it in a session, as in \"tracks\": [\"bell.flac\"]; start from an example")
    }
    if let kind = binary(bytes) { return refusal(kind, "give the path of a session, a JSON or YAML file") }
    let head = String(decoding: bytes.prefix(65_536), as: UTF8.self)
    if head.contains("prosper") || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return nil }
    let name = path.lowercased()
    let lines = head.split(whereSeparator: \.isNewline).map { $0.drop { $0.isWhitespace || $0 == "\u{FEFF}" } }
    if let (kind, fix) = list(lines, name) { return refusal(kind, fix) }
    let isNamed = [".yaml", ".yml", ".json"].contains(where: name.hasSuffix)
    let isData = lines.first.map { "{[".contains($0.prefix(1)) || keys.contains(where: $0.hasPrefix) } ?? true
    return isNamed || isData ? nil : refusal("a text", "a session is a JSON or YAML file")
  }

  /// With one of these a file begins that is meant as a session.
  private static let keys = ["title:", "stages:", "sounds:", "description:", "---", "%YAML"]

  /// A list of sounds or tones, by its name or its first lines.
  private static func list(_ lines: [Substring], _ name: String) -> (kind: String, fix: String)? {
    let first = lines.first?.lowercased() ?? ""
    let starts = ["#extm3u", "[playlist]", "<asx", "<?wpl"]
    if [".m3u", ".m3u8", ".pls", ".xspf", ".asx", ".wpl"].contains(where: name.hasSuffix)
      || starts.contains(where: first.hasPrefix) || lines.prefix(5).contains(where: { $0.contains("<playlist") })
    {
      let isM3U = name.hasSuffix(".m3u") || name.hasSuffix(".m3u8") || first.hasPrefix(starts[0])
      return ("a playlist", isM3U ? "make a session of it" : "write its sounds as the tracks of a session")
    }
    if name.hasSuffix(".cue") || lines.contains(where: { $0.wholeMatch(of: #/TRACK\s+\d+\s+AUDIO\s*/#) != nil }) {
      return ("a cue sheet", "make a session of it")
    }
    if name.hasSuffix(".sbg")
      || lines.contains(where: { $0.firstMatch(of: #/^(NOW|\+?\d\d:\d\d(:\d\d)?)\s+[\w<-]/#) != nil })
    {
      return ("a file for SBaGen (.sbg)", "make a session of it")
    }
    return nil
  }

  /// What begins with the signature of another format than sound; nil if it is unknown.
  private static func binary(_ bytes: [UInt8]) -> String? {
    let signatures: [([UInt8], String)] = [
      (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"), ([0x1F, 0x8B], "a gzip file"), (Array("BZh".utf8), "a bzip2 file"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz file"), ([0x28, 0xB5, 0x2F, 0xFD], "a zstd file"),
      (Array("Rar!".utf8), "a RAR archive"), ([0x37, 0x7A, 0xBC, 0xAF], "a 7z archive"), (Array("%PDF".utf8), "a PDF"),
      ([0x89, 0x50, 0x4E, 0x47], "a picture"), ([0xFF, 0xD8, 0xFF], "a picture"), (Array("GIF8".utf8), "a picture"),
      (Array("<!DOCTYPE html".utf8), "a web page"), (Array("<html".utf8), "a web page"),
      ([0x7F, 0x45, 0x4C, 0x46], "a program"),
    ]
    if let (_, kind) = signatures.first(where: { bytes.starts(with: $0.0) }) { return kind }
    return bytes.dropFirst(257).starts(with: Array("ustar".utf8)) ? "a tar archive" : nil
  }

  private static let sounds = [
    "RIFF", "RIFX", "RF64", "riff", "FORM", "caff", "fLaC", "OggS", "ID3", "wvpk", "MAC ", ".snd", "#!AMR", "TTA1",
    "MThd", "DSD ",
  ].map { Array($0.utf8) }

  /// Whether the bytes start with the signature of a sound file.
  private static func isSound(_ bytes: [UInt8]) -> Bool {
    if sounds.contains(where: bytes.starts) { return true }
    // MP4, Matroska and WMA.
    if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) || bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3])
      || bytes.starts(with: [0x30, 0x26, 0xB2, 0x75])
    {
      return true
    }
    // An MPEG stream has no signature, but each frame starts with eleven set bits. If the second byte is 0xFE or 0xFF,
    // the two bytes are the byte order mark of UTF-16, or no frame.
    return 2 <= bytes.count && bytes[0] == 0xFF && 0xE0 <= bytes[1] && bytes[1] < 0xFE
  }
}
