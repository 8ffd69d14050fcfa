import Sounds

/// Measures parts of one file, which is opened once, with the first part.
///
/// Used by one thread at a time.
struct FileMeasurement {
  let file: RegularFile
  let scans: ScanCache
  private var reader: (any SampleReader)?
  /// The end of a file that doesn't state it.
  private var measuredEnd: Int64?
  /// Frames that were decoded without damage. A part that begins in them is not decoded again.
  private var intact: Range<Int64> = 0..<0

  /// How many frames are decoded at the beginning of a part, if there are several.
  private static let readAhead = 4_096

  init(of file: RegularFile, scans: ScanCache) { (self.file, self.scans) = (file, scans) }

  /// The length of a part. If the header doesn't state where the file ends, the file is decoded to its end.
  mutating func sound(_ source: SoundSource) throws(SourceError) -> MeasuredSound {
    do throws(SourceError) {
      let sound = try measure(source)
      try file.requireIntactReads()
      return sound
    } catch { throw file.explained(error) }
  }

  private mutating func measure(_ source: SoundSource) throws(SourceError) -> MeasuredSound {
    let reader = if let reader { reader } else { try openReader(file, scans: scans) }
    self.reader = reader
    let format = reader.format
    let part = try FilePart(of: source, format, path: file.path)
    if part.end != nil, !intact.contains(part.start) { try requireSound(reader, part) }
    let end = if let end = part.end { end } else { try end() }
    if end <= part.start {
      throw .emptyPart(path: file.path, start: source.start, length: Double(end) / Double(format.rate))
    }
    return MeasuredSound(
      frames: end - part.start, rate: format.rate, channels: format.channels, title: format.title,
      artist: format.artist, libraries: reader.libraries)
  }

  /// Throws the damage if the part's first frame is lost, because such a part is not played at all.
  private mutating func requireSound(_ reader: any SampleReader, _ part: FilePart) throws(SourceError) {
    var rest = part
    // Up to the end that the file states, so that its truncation is found, too.
    rest.end = reader.format.frames ?? part.end
    // A part at the beginning is read without a seek, so the reader must not have moved.
    let hasMoved = part.start == 0 && !intact.isEmpty && !reader.seek(to: 0)
    let sound = PartReader(hasMoved ? try openReader(file, scans: scans) : reader, rest, path: file.path)
    sound.seek(to: 0)
    let wanted = intact.isEmpty ? 1 : Self.readAhead
    var frames = [Float](repeating: 0, count: 2 * wanted)
    let count = sound.read(into: &frames, frames: wanted)
    // A reader that has met damage doesn't judge the other parts.
    if sound.damage != nil { self.reader = nil }
    if let damage = sound.damage, damage.frame == 0 { throw damage.error }
    intact = part.start..<part.start + (sound.damage?.frame ?? Int64(count))
  }

  /// The number of frames of a file that doesn't state it, counted once by decoding the file.
  ///
  /// For a truncated file, the length of a fade-out is added. Reading to this length then reports the damage, and has
  /// room for the fade-out.
  private mutating func end() throws(SourceError) -> Int64 {
    if let measuredEnd { return measuredEnd }
    let reader = try openReader(file, scans: scans)
    var total: Int64 = 0
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4_096 * reader.format.channels) { scratch in
      while let base = scratch.baseAddress {
        let count = reader.read(into: base, frames: 4_096)
        if count == 0 {
          guard let next = reader.resume(after: total) else { break }
          total = next
        }
        total += Int64(count)
      }
    }
    if reader.format.isTruncated {
      if total == 0 { throw .damaged(path: file.path, atSecond: 0, cause: "there is no sound before the damage") }
      total += Int64(Concealment.ramp(atRate: reader.format.rate))
    }
    measuredEnd = total
    return total
  }
}
