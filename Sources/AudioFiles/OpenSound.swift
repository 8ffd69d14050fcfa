import Engine

/// Opens a sound file by what it begins with, whatever it is called.
func openReader(_ file: RegularFile, scans: ScanCache) throws(SourceError) -> any SampleReader {
  guard file.size > 0 else { throw .empty(path: file.path) }
  if looksLikeMPEG(file), let scan = scans.scan(file) { return try MPEGReader(file, scan) }
  return try SndFileReader(file)
}

/// Whether none of the marks stands at the front by which the other formats are known. MPEG sound has no mark of its own.
private func looksLikeMPEG(_ file: RegularFile) -> Bool {
  let head = file.bytes(at: ID3Tag.length(file), count: 4)
  let marks = ["RIFF", "RIFX", "RF64", "FORM", "caff", "fLaC", "OggS", "riff"]
  return !marks.contains(String(decoding: head, as: UTF8.self))
}
