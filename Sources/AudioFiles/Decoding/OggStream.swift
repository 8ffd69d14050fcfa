/// The sound of an Ogg file, by its first and last pages.
struct OggStream {
  let serial: UInt32
  /// Where the first page of sound has to begin.
  let headEnd: Int64
  /// Whether one begins there.
  let hasItsBeginning: Bool
  /// Whether the last page of sound says that it is the last one, as RFC 3533 asks.
  let hasItsEnd: Bool
  /// Where the last whole page ends the sound, in the stream's own count.
  let end: Int64
  /// How much of the beginning a decoder leaves out, in the stream's own count.
  let skip: Int64
  let isOpus: Bool

  /// Nil where the headers are not whole or no page of their sound is there.
  init?(_ file: RegularFile) {
    var offset = ID3Tag.length(file)
    guard let first = OggPage(in: file, at: offset) else { return nil }
    let body = Array(first.body.prefix(12))
    isOpus = body.starts(with: Array("OpusHead".utf8)) && body.count == 12
    skip = isOpus ? Int64(body[10]) | Int64(body[11]) << 8 : 0
    serial = first.serial
    var packets = 0
    while packets < (isOpus ? 2 : 3) {
      guard let page = OggPage(in: file, at: offset) else { return nil }
      if page.serial == serial { packets += page.packets }
      offset = page.end
    }
    headEnd = offset
    hasItsBeginning = OggPage(in: file, at: offset) != nil
    guard let last = Self.lastPage(of: file, serial), let end = last.position else { return nil }
    self.end = end
    hasItsEnd = last.isLast
  }

  /// The last whole page that ends a frame of this stream's, among the last of the file: of a chain of streams there is none.
  private static func lastPage(of file: RegularFile, _ serial: UInt32) -> OggPage? {
    var budget = SearchBudget()
    var end = file.size
    while end > 0, budget.spend(Int64(FileWindow.size)) {
      let start = max(0, end - Int64(FileWindow.size))
      // A mark that lies across the end of this piece was not seen in the last one.
      let bytes = file.bytes(at: start, count: Int(end - start) + OggPage.mark.count - 1)
      for index in bytes.indices.reversed()
      where bytes[index] == OggPage.mark[0] && bytes[index...].starts(with: OggPage.mark) {
        if let page = OggPage(in: file, at: start + Int64(index)) {
          if page.serial != serial { return nil }
          if page.position != nil { return page }
        } else if !budget.spend(OggPage.usual) {
          return nil
        }
      }
      end = start
    }
    return nil
  }
}

/// Whether an Ogg file whose stream is not understood has lost its last page of sound, or goes on with another stream, of
/// which libsndfile reads nothing.
func isCutOgg(_ file: RegularFile) -> Bool {
  let start = max(0, file.size - 131_072)
  let tail = file.bytes(at: start, count: 131_072)
  let index = tail.indices.reversed().first { tail[$0] == OggPage.mark[0] && tail[$0...].starts(with: OggPage.mark) }
  guard let index, let page = OggPage(in: file, at: start + Int64(index)) else { return true }
  guard let first = OggPage(in: file, at: ID3Tag.length(file)), first.beginsSound else { return !page.isLast }
  return !page.isLast || page.serial != first.serial
}

extension OggPage {
  fileprivate var beginsSound: Bool {
    body.starts(with: Array("OpusHead".utf8)) || body.starts(with: [1] + Array("vorbis".utf8))
  }
}
