import CSndFile

/// How many frames a file says it has: of a file that was cut, more than are there. Nil where nothing is said, as in a FLAC
/// file that was written into a pipe or an Ogg file without its end.
func promisedFrames(_ info: SF_INFO) -> Int64? { info.frames == Int64.max ? nil : info.frames }

/// Whether an Ogg file was cut: its last page is torn, or does not say that it is the stream's last, as RFC 3533 asks.
func isCutOgg(_ file: RegularFile) -> Bool {
  let start = max(0, file.size - 131_072)
  let tail = file.bytes(at: start, count: 131_072)
  var index = tail.count - 4
  while index >= 0 {
    if tail[index] == 0x4F, tail[index...].starts(with: Array("OggS".utf8)) {
      return isTorn(tail[index...]) || !isLast(tail[index...])
    }
    index -= 1
  }
  return false
}

private func isLast(_ page: ArraySlice<UInt8>) -> Bool { 5 < page.count && page[page.startIndex + 5] & 4 != 0 }

private func isTorn(_ page: ArraySlice<UInt8>) -> Bool {
  guard page.count >= 27 else { return true }
  let segments = Int(page[page.startIndex + 26])
  let body = page.dropFirst(27)
  guard body.count >= segments else { return true }
  return body.count - segments < body.prefix(segments).reduce(0) { $0 + Int($1) }
}
