/// Whether a file is shorter than its header states. libsndfile and libavformat read such a file to its end without an
/// error. Some writers count a few bytes too many.
func isCutShort(_ file: RegularFile) -> Bool {
  let end = statedEnd(of: file) ?? 0
  return file.size < end - 16 && !StatedSize.isPlaceholder(end)
}

/// Whether the program that wrote an AVI or RealMedia file could not go back to its header, whose length is then one that
/// was written in advance.
func statesNoLength(_ file: RegularFile) -> Bool {
  let head = file.bytes(at: 0, count: 48)
  guard head.count == 48 else { return false }
  if head.starts(with: "RIFF".utf8) { return StatedSize.isPlaceholder(head[4..<8].number(.little)) }
  // The number of packets, in the chunk of properties.
  return head.starts(with: ".RMF".utf8) && head[18..<22].elementsEqual("PROP".utf8) && head[44...].number(.big) == 0
}

/// The byte after the sound, or after the whole file, that the header states; nil if it states none.
private func statedEnd(of file: RegularFile) -> Int64? {
  let head = file.bytes(at: 0, count: 1_024)
  guard 32 <= head.count else { return nil }
  switch String(decoding: head[..<4], as: UTF8.self) {
  case "FORM": return 8 + head[4..<8].number(.big)
  case "RIFF": return 8 + head[4..<8].number(.little)
  case "Crea": return VOCBlocks(file).end
  case "2BIT":
    // 128 bytes, with the number of channels (0 or −1 for two), the bits and the number of frames.
    let (width, bits) = (head[12..<14].number(.big) == 0 ? 1 : 2 as Int64, head[14..<16].number(.big))
    return 128 + head[26..<30].number(.big) * width * (bits <= 8 ? 1 : 2)
  case "NIST": return sphereEnd(String(decoding: head, as: UTF8.self))
  default: return nil
  }
}

/// The end of a NIST SPHERE file, whose header consists of lines of text.
private func sphereEnd(_ head: String) -> Int64? {
  let lines = head.split(separator: "\n").map { $0.split(separator: " ") }
  let number = { (name: String) in
    lines.first { $0.count == 3 && $0[0] == name }.flatMap { Int64($0[2]) }
  }
  guard 1 < lines.count, let size = lines[1].first.flatMap({ Int64($0) }), let count = number("sample_count"),
    let bytes = number("sample_n_bytes"), let channels = number("channel_count"),
    [size, count, bytes, channels].allSatisfy({ 0 <= $0 && $0 < 1 << 15 || $0 == count && 0 <= $0 && $0 < mostFrames })
  else { return nil }
  // Compressed sound is shorter.
  let plain: [Substring] = ["pcm", "alaw", "ulaw", "mu-law"]
  let isPlain = lines.allSatisfy { $0.first != "sample_coding" || plain.contains($0.last ?? "") }
  let (end, overflow) = count.multipliedReportingOverflow(by: bytes * channels)
  return isPlain && !overflow && end < 1 << 60 ? size + end : nil
}

/// The blocks of a VOC file.
struct VOCBlocks {
  /// Whether the sound is in several blocks, is repeated, or is partly silence without samples.
  private(set) var areSeveral = false
  /// The byte after the last block.
  private(set) var end: Int64

  init(_ file: RegularFile) {
    end = file.bytes(at: 20, count: 2)[...].number(.little)
    var count = 0
    for _ in 0..<10_000 {
      let head = file.bytes(at: end, count: 4)
      // SoX states a size that is some bytes too small, so that the end of the sound looks like a block.
      guard 16 < file.size - end, head.count == 4, head[0] != 0 else { return }
      if [1, 2, 3, 6, 7, 9].contains(head[0]) { count += 1 }
      areSeveral = 1 < count
      end += 4 + head[1...].number(.little)
    }
  }
}
