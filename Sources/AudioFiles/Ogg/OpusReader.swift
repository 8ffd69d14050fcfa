import Sounds

/// Reads Opus with libopus, in runs of nine seconds.
///
/// The state of a decoder depends on all packets before. Each run therefore begins with a new decoder, which has decoded
/// the 0.8 s before the run, and the samples don't depend on where reading began. For music, they are the same as
/// without runs. For speech at low bit rates they can differ, so the end of a run fades to the decoder of the next one.
final class OpusReader: SampleReader {
  let format: SampleFormat
  private let file: RegularFile
  private let header: OpusHeader
  private let stream: OggStream
  /// The number of frames in the file.
  private let total: Int64
  /// Decodes what is read next; nil at the beginning, and after damage.
  private var line: OpusLine?
  /// Decodes the next run, while the current one fades out; otherwise nil.
  private var following: OpusLine?
  /// The samples of `following` during the fade.
  private var scratch: [Float] = []
  /// The frame that is read next.
  private var position: Int64 = 0
  /// The frame at which the next run begins.
  private var nextRun: Int64 = 0
  /// Limits the search after gaps, of all gaps together.
  private let budget = SearchBudget()

  /// The length of a run in frames: a multiple of the grid of a conversion from 48 to 44.1 kHz, see
  /// `ConversionGrid`, so that a conversion that begins with a run drops no frames. Longer runs would delay seeks.
  private static let runLength: Int64 = 7 * 64_160
  /// How much a decoder decodes before the fade to its run, in milliseconds. With music, no decoder has differed after
  /// 740 ms.
  private static let preroll: Int64 = 800
  /// The length of the fade between two runs, in milliseconds.
  private static let fade: Int64 = 20
  /// How much is lost after a gap, in milliseconds (RFC 7845, section 4.6).
  private static let settling: Int64 = 80
  /// The maximum number of successive gaps with too little sound between them. After that, nothing more is decoded.
  private static let tries = 64

  /// - Throws: `unreadable` if libopus can't be loaded.
  init(
    _ file: RegularFile, _ format: SampleFormat, _ stream: OggStream, _ header: OpusHeader, total: Int64
  ) throws(SourceError) {
    try CodecLibrary.libopus.load(for: file.path)
    (self.file, self.format, self.stream, self.header, self.total) = (file, format, stream, header, total)
  }

  var isExact: Bool { file.download == nil }

  var libraries: [CodecLibrary] { [.libsndfile, .libopus] }

  var reopen: @Sendable () -> (any SampleReader)? {
    { [file, format, stream, header, total] in
      file.isUnchanged ? try? OpusReader(file, format, stream, header, total: total) : nil
    }
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var done = 0
    while done < frames, position < total {
      if position == nextRun { beginRun() }
      let fadeStart = nextRun - self.frames(Self.fade)
      if position == fadeStart { following = line(at: position) }
      let end = min(position < fadeStart ? fadeStart : nextRun, total)
      let wanted = Int(min(Int64(frames - done), end - position))
      let count = readRun(into: samples + done * format.channels, frames: wanted)
      position += Int64(count)
      done += count
      if count < wanted { break }
    }
    return done
  }

  /// Reads frames of the current run, which fades to the next one at its end.
  private func readRun(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = line?.read(into: samples, frames: frames) ?? 0
    guard let following else { return count }
    scratch = Array(repeating: 0, count: count * format.channels)
    let both = scratch.withUnsafeMutableBufferPointer { scratch in
      scratch.baseAddress.map { following.read(into: $0, frames: count) } ?? 0
    }
    let length = Float(self.frames(Self.fade))
    for frame in 0..<both {
      let share = (Float(position - nextRun + Int64(frame)) + length) / length
      for index in frame * format.channels..<(frame + 1) * format.channels {
        // Equal samples remain exactly equal.
        samples[index] += (scratch[index] - samples[index]) * share
      }
    }
    return both
  }

  /// Begins the next run. If the sound before it is damaged, the previous run continues.
  private func beginRun() {
    line = following ?? line ?? line(at: position)
    following = nil
    nextRun = position + run
  }

  var entryStep: Int64 { run }

  /// The frames per run.
  private var run: Int64 { Self.runLength }

  private func frames(_ milliseconds: Int64) -> Int64 { milliseconds * Int64(OpusDecoder.rate) / 1_000 }

  /// The pages of the file.
  private func pages(_ budget: SearchBudget) -> OggBlocks {
    OggBlocks(file, stream, total: total, budget: budget)
  }

  /// A decoder at `frame` that has decoded what precedes the frame; nil if that is damaged.
  private func line(at frame: Int64) -> OpusLine? {
    // Intact pages need a few probes of 64 KiB.
    let pages = pages(SearchBudget(bytes: 4 << 20))
    let first = frame - frames(Self.preroll)
    guard let entry = pages.entry(before: first), let line = OpusLine(pages, at: entry, header),
      line.position <= first || entry.offset == stream.headEnd
    else { return nil }
    return line.skip(to: frame, decodingFrom: first) ? line : nil
  }

  /// A decoder at the beginning of a run, in the state in which the fade from the run before leaves it; nil if the sound
  /// before the run is damaged.
  private func line(ofRunAt frame: Int64) -> OpusLine? {
    let fadeStart = frame - frames(Self.fade)
    guard let line = line(at: fadeStart), line.skip(to: frame, decodingFrom: fadeStart) else { return nil }
    return line
  }

  func seek(to frame: Int64) -> Bool {
    (position, line, following) = (frame / run * run, nil, nil)
    while 0 < position, line == nil {
      line = line(ofRunAt: position)
      if line == nil { position -= run }
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
    following = nil
    var checked = pages(budget)
    // The padding of the last packet follows the sound.
    guard frame < total, let entry = checked.entry(before: frame) else { return nil }
    checked.enter(entry)
    if frame < checked.reach(to: frame + 1) {
      // The sound is complete: a page occurs twice.
      guard let line = OpusLine(pages(budget), at: entry, header) else { return nil }
      return resume(at: frame, with: line) ? frame : nil
    }
    for _ in 0..<Self.tries {
      guard let next = checked.entryAfterGap() else { return nil }
      let pages = pages(budget)
      if let line = OpusLine(pages, at: next, header) {
        let first = max(frame, line.position + frames(Self.settling))
        if resume(at: first, with: line) { return first }
      }
      checked = pages
    }
    return nil
  }

  /// Continues at `frame` with a line that begins before it; false if the frame can't be decoded.
  private func resume(at frame: Int64, with line: OpusLine) -> Bool {
    guard line.skip(to: frame, decodingFrom: 0), line.canRead else { return false }
    (self.line, position, nextRun) = (line, frame, (frame / run + 1) * run)
    return true
  }
}
