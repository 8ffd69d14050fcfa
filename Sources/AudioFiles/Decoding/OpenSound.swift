import Engine

/// Hertz that a recording can have. A header that says anything else would cost hours of work for nothing.
private let rates = 1_000...768_000

/// Opens a sound file by what it begins with, whatever it is called.
func openReader(_ file: RegularFile, scans: ScanCache) throws(SourceError) -> any SampleReader {
  let reader = try anyReader(file, scans: scans)
  let rate = reader.form.rate
  guard rates ~= rate else {
    throw .unsupported(
      path: file.path, what: "its header says \(rate) Hz, which no sound has; replace it by an intact copy")
  }
  return reader
}

private func anyReader(_ file: RegularFile, scans: ScanCache) throws(SourceError) -> any SampleReader {
  guard file.size > 0 else { throw .empty(path: file.path) }
  if looksLikeMPEG(file) {
    if let scan = scans.scan(file) { return try MPEGReader(file, scan) }
    try refuseTornMPEG(file)
  }
  return try SndFileReader(file)
}

/// libsndfile would hand what begins as MPEG sound, or with its tag, to a decoder that speaks to stderr.
private func refuseTornMPEG(_ file: RegularFile) throws(SourceError) {
  let tag = ID3Tag.length(file)
  let head = file.bytes(at: tag, count: 4)
  let isSound = head.count == 4 && MPEGHeader(head.reduce(0) { $0 << 8 | UInt32($1) }) != nil
  if isSound || file.size <= tag {
    throw .damaged(path: file.path, atSecond: 0, cause: "it ends before a whole MPEG frame")
  }
  let isMarked = 2 <= head.count && head[0] == 0xFF && head[1] & 0xE0 == 0xE0
  if 0 < tag || isMarked { throw .unknownFormat(path: file.path) }
}

/// Whether none of the marks stands at the front by which the other formats are known. MPEG sound has no mark of its own.
private func looksLikeMPEG(_ file: RegularFile) -> Bool {
  let head = file.bytes(at: ID3Tag.length(file), count: 4)
  let marks = ["RIFF", "RIFX", "RF64", "FORM", "caff", "fLaC", "OggS", "riff"]
  return !marks.contains(String(decoding: head, as: UTF8.self))
}
