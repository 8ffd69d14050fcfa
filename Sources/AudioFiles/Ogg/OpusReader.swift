import Engine

/// Reads Opus with libopus, in runs of nine seconds.
///
/// The state of a decoder depends on all packets before, but after 0.8 s it decodes the same samples whatever preceded
/// them. Each run therefore begins with a new decoder, which has decoded the 0.8 s before the run. So the samples don't
/// depend on where reading began.
final class OpusReader: SampleReader {
  let format: SampleFormat
  private let file: RegularFile
  private let header: OpusHeader
  private let stream: OggStream
  /// The number of frames in the file.
  private let total: Int64
  /// Decodes what is read next; nil at the beginning, and after damage.
  private var line: OpusLine?
  /// The frame that is read next.
  private var position: Int64 = 0
  /// The frame at which the next run begins.
  private var nextRun: Int64 = 0

  /// The length of a run in units of 1/48,000 s: a multiple of the grid of a conversion from 48 to 44.1 kHz, see
  /// `ConversionGrid`, so that a conversion that begins with a run drops no frames. Longer runs would delay seeks.
  private static let runLength: Int64 = 7 * 64_160
  /// How much a decoder has to decode before a run, in milliseconds. After 0.7 s, no decoder has differed; after 0.4 s,
  /// the difference is below -120 dBFS.
  private static let preroll: Int64 = 800
  /// How much is lost after a gap, in milliseconds (RFC 7845, section 4.6).
  private static let settling: Int64 = 80
  /// The maximum number of successive gaps with too little sound between them. After that, nothing more is decoded.
  private static let tries = 64

  /// - Throws: `unreadable` if libopus can't be loaded.
  init(
    _ file: RegularFile, _ format: SampleFormat, _ stream: OggStream, _ header: OpusHeader, total: Int64
  ) throws(SourceError) {
    if let cause = CodecLibrary.libopus.failure { throw .unreadable(path: file.path, cause: cause) }
    (self.file, self.format, self.stream, self.header, self.total) = (file, format, stream, header, total)
  }

  var isExact: Bool { file.download == nil }

  var reopen: @Sendable () -> (any SampleReader)? {
    { [file, format, stream, header, total] in
      file.isUnchanged ? try? OpusReader(file, format, stream, header, total: total) : nil
    }
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var done = 0
    while done < frames, position < total {
      if position == nextRun { beginRun() }
      let wanted = Int(min(Int64(frames - done), min(nextRun, total) - position))
      let count = line?.read(into: samples + done * format.channels, frames: wanted) ?? 0
      position += Int64(count)
      done += count
      if count < wanted { break }
    }
    return done
  }

  /// The pages of the file.
  private var pages: OggBlocks { OggBlocks(file, stream, total: total, step: stream.step(atRate: format.rate)) }

  var entryStep: Int64 { run }

  /// The frames per run.
  private var run: Int64 { Self.runLength * Int64(format.rate) / 48_000 }

  private func frames(_ milliseconds: Int64) -> Int64 { milliseconds * Int64(format.rate) / 1_000 }

  /// Begins the next run. If the sound before it is damaged, the previous run continues.
  private func beginRun() {
    line = line(at: position) ?? line
    nextRun = position + run
  }

  /// A decoder that has decoded what precedes the run at `frame`; nil if that is damaged.
  private func line(at frame: Int64) -> OpusLine? {
    let pages = pages
    let first = frame - frames(Self.preroll)
    guard let entry = pages.entry(before: first), let line = OpusLine(pages, at: entry, header, rate: format.rate),
      line.position <= first || entry.offset == pages.head.count
    else { return nil }
    return line.skip(to: frame, decodingFrom: first) ? line : nil
  }

  func seek(to frame: Int64) -> Bool {
    (position, line) = (frame / run * run, nil)
    while 0 < position {
      line = line(at: position)
      if line != nil { break }
      position -= run
    }
    nextRun = line == nil ? position : position + run
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 4_096 * format.channels) { scratch in
      while position < frame, let base = scratch.baseAddress {
        if 0 < read(into: base, frames: Int(min(frame - position, 4_096))) { continue }
        guard let next = resume(after: position), next <= frame else { return false }
      }
      return position == frame
    }
  }

  func resume(after frame: Int64) -> Int64? {
    var checked = pages
    guard let entry = checked.entry(before: frame) else { return nil }
    checked.enter(entry)
    if frame < checked.reach(to: frame + 1), let line = OpusLine(pages, at: entry, header, rate: format.rate),
      line.skip(to: frame, decodingFrom: 0), line.canRead
    {
      // The sound is complete: a page occurs twice.
      (self.line, position, nextRun) = (line, frame, (frame / run + 1) * run)
      return frame
    }
    for _ in 0..<Self.tries {
      guard let next = checked.entryAfterGap(),
        let line = OpusLine(pages, at: next, header, rate: format.rate)
      else { return nil }
      let first = max(frame, line.position + frames(Self.settling))
      if line.skip(to: first, decodingFrom: 0) {
        (self.line, position, nextRun) = (line, first, (first / run + 1) * run)
        return first
      }
      checked = line.pages
    }
    return nil
  }
}
