import Engine

/// The supported sample rates in hertz. A header with any other rate is damaged, and converting from it could take
/// hours.
private let rates = 1_000...768_000

/// Opens a sound file. The format is recognised by the file's first bytes, not by its name.
func openReader(_ file: RegularFile, scans: ScanCache) throws(SourceError) -> any SampleReader {
  let reader = try anyReader(file, scans: scans)
  let rate = reader.format.rate
  guard rates ~= rate else {
    throw .unsupported(
      path: file.path, what: "its header says \(rate) Hz, which is not supported; replace it with an intact copy")
  }
  return reader
}

private func anyReader(_ file: RegularFile, scans: ScanCache) throws(SourceError) -> any SampleReader {
  guard file.size > 0 else { throw .empty(path: file.path) }
  if looksLikeMPEG(file) {
    if let scan = scans.scan(file) { return try MPEGReader(file, scan) }
    try rejectDamagedMPEG(file)
  }
  let reader = try SndFileReader(file)
  // There are no pages if other data follow the sound. The channels differ if the file was overwritten meanwhile.
  guard let pages = reader.pages, let header = pages.stream.opus, header.channels == reader.format.channels else {
    return reader
  }
  return try OpusReader(file, reader.format, pages.stream, header, total: pages.total)
}

/// Throws an error for a file that begins like MPEG sound but has no complete frame. libsndfile would pass such a file
/// to a decoder that writes to stderr.
private func rejectDamagedMPEG(_ file: RegularFile) throws(SourceError) {
  let tag = ID3Tag.length(file)
  let head = file.bytes(at: tag, count: 4)
  let isSound = head.count == 4 && MPEGHeader(head.reduce(0) { $0 << 8 | UInt32($1) }) != nil
  if isSound || file.size <= tag {
    throw .damaged(path: file.path, atSecond: 0, cause: "it ends before its first complete MPEG frame")
  }
  let isMarked = 2 <= head.count && head[0] == 0xFF && head[1] & 0xE0 == 0xE0
  if 0 < tag || isMarked { throw .unknownFormat(path: file.path) }
}

/// Whether the file may be MPEG sound. MPEG has no signature, so this is true if the file has no signature of another
/// format.
private func looksLikeMPEG(_ file: RegularFile) -> Bool {
  let head = file.bytes(at: ID3Tag.length(file), count: 4)
  let marks = ["RIFF", "RIFX", "RF64", "FORM", "caff", "fLaC", "OggS", "riff"]
  return !marks.contains(String(decoding: head, as: UTF8.self))
}
