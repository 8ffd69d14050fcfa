import Sounds

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
  let file = file.withoutTags
  do throws(SourceError) { return try usualReader(file, scans: scans) } catch {
    // What these libraries take for damaged or unknown may be a format that only libavformat reads.
    guard let reader = try otherReader(file, instead: error) else { throw error }
    return reader
  }
}

/// Opens a file with libmpg123, libsndfile or libopus.
private func usualReader(_ file: RegularFile, scans: ScanCache) throws(SourceError) -> any SampleReader {
  if let container = SoundContainer(file) {
    guard container.isMPEG else {
      if container.isForeign { throw unsupportedEncoding(file) }
      return try SndFileReader(file, container)
    }
    if let scan = scans.scan(file, in: container) { return try MPEGReader(file, scan, container.tags) }
  }
  if looksLikeMPEG(file) {
    if let scan = scans.scan(file) { return try mpegReader(file, scan) }
    try rejectDamagedMPEG(file)
  }
  let reader = try SndFileReader(file)
  // There are no pages if other data follow the sound. The channels differ if the file was overwritten meanwhile.
  guard let pages = reader.pages, let header = pages.stream.opus, header.channels == reader.format.channels else {
    return reader
  }
  return try OpusReader(file, reader.format, pages.stream, header, total: pages.total)
}

/// Opens a file in which MPEG frames were found. If something else precedes them, they may be part of another format,
/// such as a film with MP3 sound.
private func mpegReader(_ file: RegularFile, _ scan: MPEGScan) throws(SourceError) -> any SampleReader {
  let first = scan.runs.first?.segments.first?.offset ?? 0
  let isAtBeginning = first <= (scan.information == nil ? 0 : 4_096)
  if !isAtBeginning, CodecLibrary.libavformat.failure == nil,
    let reader = try? AvReader(file), reader.container != "mp3"
  {
    return reader
  }
  return try MPEGReader(file, scan, file.tags)
}

/// Opens a file that these libraries have refused with libFLAC, or with libavformat.
///
/// - Returns: nil if libavformat does not recognise it, either.
private func otherReader(_ file: RegularFile, instead error: SourceError) throws(SourceError) -> (any SampleReader)? {
  switch error {
  case .unknownFormat, .unsupported: break
  // libsndfile knows these containers best, and libavformat would not report what is missing.
  case .damaged where !["RIFF", "RIFX", "RF64", "FORM", "caff"].contains(mark(of: file)): break
  default: return nil
  }
  if let reader = LongFLACReader(file) { return reader }
  if CodecLibrary.libavformat.failure != nil, isText(file) { return nil }
  try CodecLibrary.libavformat.load(for: file.path, or: ", or convert it: \(conversion(of: file.path))")
  return try AvReader(file)
}

/// The command that converts a file to FLAC.
private func conversion(of path: String) -> String {
  let word = { (path: String) in "'\(path.replacing("'", with: "'\\''"))'" }
  // A path that begins with "-" would be an option.
  let safe = path.hasPrefix("-") ? "./" + path : path
  return "ffmpeg -i \(word(safe)) \(word(safe + ".flac"))"
}

/// Whether a file begins with text, which no library plays.
private func isText(_ file: RegularFile) -> Bool {
  let head = file.bytes(at: 0, count: 256)
  return head.allSatisfy { 32 <= $0 && $0 != 127 || 9...13 ~= $0 }
    && String(validating: head.dropLast(4), as: UTF8.self) != nil
}

/// Throws an error for a file that begins like MPEG sound but has no complete frame. libsndfile would pass such a file
/// to a decoder that writes to stderr.
private func rejectDamagedMPEG(_ file: RegularFile) throws(SourceError) {
  let head = file.bytes(at: 0, count: 4)
  let isSound = head.count == 4 && MPEGHeader(head.reduce(0) { $0 << 8 | UInt32($1) }) != nil
  if isSound || file.size == 0 {
    throw .damaged(path: file.path, atSecond: 0, cause: "it ends before its first complete MPEG frame")
  }
  let isMarked = 2 <= head.count && head[0] == 0xFF && head[1] & 0xE0 == 0xE0
  if 0 < file.start || isMarked { throw .unknownFormat(path: file.path) }
}

/// Whether the file may be MPEG sound. MPEG has no signature, so this is true if the file has no signature of another
/// format.
private func looksLikeMPEG(_ file: RegularFile) -> Bool {
  !["RIFF", "RIFX", "RF64", "FORM", "caff", "fLaC", "OggS", "riff"].contains(mark(of: file))
}

/// The first four bytes, which name many containers.
private func mark(of file: RegularFile) -> String {
  String(decoding: file.bytes(at: 0, count: 4), as: UTF8.self)
}
