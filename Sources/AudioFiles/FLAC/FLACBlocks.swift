/// The frames of a FLAC file.
///
/// A FLAC frame doesn't state its length in bytes. It ends where its checksum matches and the header of the next frame
/// begins. Whether a frame directly before damaged bytes is complete is known only after libFLAC has decoded it.
final class FLACBlocks: SoundBlocks {
  private let file: RegularFile
  private(set) var stream: FLACStreamInfo
  /// The number of the file's first frame of sound. It is not 0 if the file was cut out of another one without encoding
  /// it again.
  private(set) var base: Int64 = 0
  /// The size of the file in bytes.
  private let size: Int64
  private var window: FileWindow
  private let budget = SearchBudget()
  /// The end of the last complete FLAC frame, in bytes.
  private var offset: Int64
  /// The end of the last complete FLAC frame, in frames of sound.
  private var reached: Int64 = 0

  /// Returns nil if the file is not a FLAC file.
  init?(_ file: RegularFile) {
    guard let stream = FLACStreamInfo(file) else { return nil }
    self.file = file
    self.stream = stream
    size = file.contentEnd
    window = FileWindow(file)
    offset = stream.firstFrame
    guard let first = header(at: offset) else { return }
    base = first.start
    self.stream.total = stream.total.flatMap { base < $0 ? $0 - base : nil }
  }

  private init(_ file: RegularFile, _ stream: FLACStreamInfo, base: Int64) {
    (self.file, self.stream, self.base, size, offset) = (file, stream, base, file.contentEnd, stream.firstFrame)
    window = FileWindow(file)
  }

  var another: @Sendable () -> any SoundBlocks {
    { [file, stream, base] in FLACBlocks(file, stream, base: base) }
  }

  /// The file from its first frame on.
  func view(of file: RegularFile) -> ByteView { view(of: file, from: stream.firstFrame) }

  func view(of file: RegularFile, from offset: Int64) -> ByteView {
    ByteView(of: file, head: stream.head, [ByteView.Segment(offset: offset, count: size - offset)])
  }

  func enter(_ entry: BlockEntry) {
    offset = entry.offset
    reached = entry.frame ?? 0
  }

  func reach(to frame: Int64) -> Int64 {
    while reached < frame, let header = header(at: offset), header.start == reached {
      if let end = end(of: header, at: offset) {
        offset = end
      } else if !decodes(header) {
        break
      }
      reached = header.end
    }
    return reached
  }

  func entryAfterGap() -> BlockEntry? {
    guard let (found, header) = completeFrame(from: offset + 1, to: size, after: reached) else { return nil }
    return BlockEntry(offset: found, frame: header.start)
  }

  func entry(before frame: Int64) -> BlockEntry? {
    var low = BlockEntry(offset: stream.firstFrame, frame: 0)
    // While the file downloads, the bytes that have arrived are searched; later ones are waited for only if necessary.
    var search = EntrySearch(for: frame, of: stream.total, from: low.offset, to: file.present)
    while let middle = search.next() {
      if let (found, header) = completeFrame(from: middle, to: search.high, after: 0), header.start <= frame {
        low = BlockEntry(offset: found, frame: header.start)
        search.isAfter(found, header.start)
      } else {
        search.isBefore(middle)
      }
    }
    return last(from: low, before: frame)
  }

  /// Follows the FLAC frames from an entry, skipping gaps, up to the last one that begins at `frame` or before.
  private func last(from entry: BlockEntry, before frame: Int64) -> BlockEntry {
    var last = entry
    while let header = header(at: last.offset) {
      if header.start == last.frame, let end = end(of: header, at: last.offset) {
        if frame < header.end || end == size { break }
        last = BlockEntry(offset: end, frame: header.end)
      } else {
        guard let (found, next) = completeFrame(from: last.offset + 1, to: size, after: 0), next.start <= frame else {
          break
        }
        last = BlockEntry(offset: found, frame: next.start)
      }
    }
    return last
  }

  /// Whether libFLAC can decode the frame at `offset`.
  private func decodes(_ header: FLACHeader) -> Bool {
    guard let handle = SndFileHandle(view(of: file, from: offset)) else { return false }
    return handle.discard(Int64(header.count))
  }

  /// The header at an offset, with its start counted from the file's first frame; nil if there is none.
  private func header(at offset: Int64) -> FLACHeader? {
    let bytes = window.bytes(at: offset, count: Int(min(Int64(FLACHeader.largest), max(0, size - offset))))
    guard var header = bytes.withUnsafeBufferPointer({ FLACHeader($0, of: stream) }), base <= header.start else {
      return nil
    }
    header.start -= base
    return header
  }

  /// The byte after a FLAC frame; nil if the frame is damaged or incomplete.
  private func end(of header: FLACHeader, at start: Int64) -> Int64? {
    let limit = min(size, start + stream.largestFrame)
    var sum: UInt16 = 0
    var offset = start
    while offset < limit {
      let (count, isZero) = window.available(from: offset) { bytes in
        var index = 0
        let count = min(bytes.count, Int(limit - offset))
        while index < count {
          sum = sum << 8 ^ FLACChecksums.frameTable[Int(sum >> 8 ^ UInt16(bytes[index]))]
          index += 1
          if sum == 0, index == count || bytes[index] == 0xFF || header.end == stream.total { return (index, true) }
        }
        return (index, false)
      }
      if count == 0 { return nil }
      offset += Int64(count)
      if isZero, offset - start > 8, isFollowed(header, at: offset) { return offset }
    }
    _ = budget.spend(offset - start)
    return nil
  }

  /// Whether the next frame begins at `offset`, or no frame has to follow.
  private func isFollowed(_ header: FLACHeader, at offset: Int64) -> Bool {
    offset == size || header.end == stream.total || self.header(at: offset)?.start == header.end
  }

  /// The first complete FLAC frame that begins within a range of bytes, and whose sound does not begin before `frame`.
  private func completeFrame(from start: Int64, to end: Int64, after frame: Int64) -> (Int64, FLACHeader)? {
    var offset = start
    while offset < end {
      let (count, isMark) = window.distance(to: 0xFF, from: offset)
      if count == 0 && !isMark || !budget.spend(Int64(count)) { return nil }
      offset += Int64(count)
      guard isMark else { continue }
      if offset < end, let header = header(at: offset), frame <= header.start, self.end(of: header, at: offset) != nil {
        return (offset, header)
      }
      offset += 1
    }
    return nil
  }
}
