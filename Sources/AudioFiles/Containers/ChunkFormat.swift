/// How a container divides its file into chunks.
struct ChunkFormat {
  enum Family {
    case wave, aiff, caf
  }

  var family = Family.wave
  var order = ByteOrder.little
  /// Bytes of a chunk's name and of its size.
  var nameBytes = 4
  var sizeBytes = 4
  /// Where chunks begin: at multiples of this many bytes.
  var alignment: Int64 = 2
  /// Whether the size of a chunk counts its name and its size, too.
  var countsHeads = false
  /// Bytes before the first chunk.
  var start: Int64 = 12
  /// The chunks that describe the format and contain the sound.
  var format = "fmt "
  var sound = "data"
  /// Chunks that a decoder needs in addition.
  var details: Set<String> = ["fact"]
  /// Chunks that are found even if the one before has a wrong length.
  var others: Set<String> = [
    "LIST", "JUNK", "junk", "PAD ", "FLLR", "bext", "iXML", "axml", "cue ", "smpl", "inst", "PEAK", "DISP", "acid",
    "cart", "ds64", "id3 ", "ID3 ",
  ]

  var headBytes: Int { nameBytes + sizeBytes }

  func isKnown(_ name: String) -> Bool {
    name == format || name == sound || details.contains(name) || others.contains(name)
  }

  static let riff = ChunkFormat()
  static let rifx = ChunkFormat(order: .big)
  static let w64 = ChunkFormat(nameBytes: 16, sizeBytes: 8, alignment: 8, countsHeads: true, start: 40)
  static let aiff = ChunkFormat(
    family: .aiff, order: .big, format: "COMM", sound: "SSND", details: ["FVER", "CHAN"],
    others: ["MARK", "INST", "COMT", "NAME", "AUTH", "ANNO", "(c) ", "APPL", "MIDI", "ID3 ", "id3 "])
  static let caf = ChunkFormat(
    family: .caf, order: .big, sizeBytes: 8, alignment: 1, start: 8, format: "desc", details: ["chan", "kuki", "pakt"],
    others: ["info", "free", "uuid", "mark", "regn", "peak", "ovvw", "strg"])
  /// The texts in a `LIST` chunk.
  static let texts = ChunkFormat(
    start: 4, format: "INAM", sound: "IART", details: [],
    others: ["ISFT", "ICMT", "ICRD", "IGNR", "IPRD", "ITRK", "IPRT", "ICOP", "IENG", "ISBJ", "IKEY", "ISRC"])
}

extension ChunkFormat {
  /// The chunks of a file that is a container; nil for other files.
  init?(_ file: RegularFile) {
    let head = file.bytes(at: 0, count: 28)
    guard 12 <= head.count else { return nil }
    let kind = String(decoding: head[8..<12], as: UTF8.self)
    switch (String(decoding: head[..<4], as: UTF8.self), kind) {
    case ("RIFF", "WAVE"), ("RF64", "WAVE"), ("BW64", "WAVE"): self = .riff
    case ("RIFX", "WAVE"): self = .rifx
    case ("FORM", "AIFF"), ("FORM", "AIFC"): self = .aiff
    case ("caff", _): self = .caf
    case ("riff", _) where head.dropFirst(24).elementsEqual("wave".utf8): self = .w64
    default: return nil
    }
  }
}
