import Sounds

/// Reads MPEG audio frame by frame. A frame is delivered only after the next one was found where it should begin, which
/// shows that both are intact.
final class MPEGReader: SampleReader {
  let format: SampleFormat
  // In this type, "number" counts MPEG frames; "frame" and "offset" count frames of sound.
  private let file: RegularFile
  private let scan: MPEGScan
  private let frames: MPEGFrames
  private var run: MPEGScan.Run
  /// The MPEG frame that is read from.
  private var current: Decoded
  /// Its number in the file.
  private var number: Int64 = 0
  /// The MPEG frame after the current one.
  private var ahead: Decoded
  /// Whether the previous MPEG frame was decoded. Half of it overlaps with the current one, which otherwise is
  /// incomplete.
  private var isPreviousIntact = true
  /// How many frames of sound of the current MPEG frame have been read.
  private var offset = 0

  private struct Decoded {
    var samples: [Float]
    var status = MPEGFrames.FrameStatus.lost
  }

  init(_ file: RegularFile, _ scan: MPEGScan, _ tags: SoundTags) throws(SourceError) {
    format = SampleFormat(
      rate: scan.rate, channels: scan.channels,
      // For a truncated file, the length includes the fade-out after the last frame.
      frames: scan.length + (scan.isTruncated ? Int64(Concealment.ramp(atRate: scan.rate)) : 0),
      roles: ChannelRole.standard(channels: scan.channels), title: tags.title, artist: tags.artist)
    self.file = file
    self.scan = scan
    frames = try MPEGFrames(file, scan)
    current = Decoded(samples: Array(repeating: 0, count: scan.span * scan.channels))
    ahead = current
    run = scan.runs.first ?? MPEGScan.Run(first: 0, count: 0, segments: [])
    (number, offset) = (scan.delay / Int64(scan.span), Int(scan.delay) % scan.span)
    // If the first frames are lost, there is no position for a seek; reading begins with a gap.
    guard frames.open(run), number < run.first || seekInRun(to: 0) else {
      throw .damaged(path: file.path, atSecond: 0, cause: "its MPEG frames can't be decoded")
    }
  }

  var libraries: [CodecLibrary] { [.libmpg123] }

  var reopen: @Sendable () -> (any SampleReader)? {
    { [file, scan] in file.isUnchanged ? try? MPEGReader(file, scan, SoundTags()) : nil }
  }

  /// libmpg123's synthesis filter writes to a ring of 16 places, and how it rounds mono sound, and the short frames of
  /// rates below 32 kHz, depends on the place. In layer III, the place after a seek depends on how many of the frames
  /// before the target could be decoded.
  var isExact: Bool { scan.layer < 3 || scan.channels == 2 && 32_000 <= scan.rate }

  func read(into samples: UnsafeMutablePointer<Float>, frames count: Int) -> Int {
    let wanted = Int(max(0, min(Int64(count), min(scan.length, first(of: run.end)) - position)))
    var done = 0
    while done < wanted {
      if offset == scan.span { advance() }
      guard isDeliverable else { break }
      let piece = min(wanted - done, scan.span - offset)
      current.samples.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress else { return }
        (samples + done * scan.channels).update(from: base + offset * scan.channels, count: piece * scan.channels)
      }
      offset += piece
      done += piece
    }
    return done
  }

  func seek(to frame: Int64) -> Bool {
    guard let run = scan.runs.first(where: { frame < first(of: $0.end) }), firstExactFrame(of: run) <= frame else {
      return false
    }
    return open(run) && seekInRun(to: frame)
  }

  func resume(after frame: Int64) -> Int64? {
    if frame == position, resumeInRun() { return position }
    for run in scan.runs where frame < first(of: run.end) {
      let exact = firstExactFrame(of: run)
      guard frame < exact, exact < first(of: run.end), open(run), seekInRun(to: exact) else { continue }
      if isDeliverable || resumeInRun() { return position }
    }
    return nil
  }

  /// After a damaged frame: moves to the next frame of the run that can be delivered.
  private func resumeInRun() -> Bool {
    guard !isDeliverable else { return false }
    while number + 1 < run.end, current.status != .lost {
      advance()
      if isDeliverable { return true }
    }
    return false
  }

  /// The frame of sound that is read next.
  private var position: Int64 { first(of: number) + Int64(offset) }
  /// Whether the current MPEG frame can be delivered.
  private var isDeliverable: Bool { current.status == .intact && isPreviousIntact }

  /// The first frame of sound of an MPEG frame.
  private func first(of number: Int64) -> Int64 { number * Int64(scan.span) - scan.delay }

  /// Moves to the next MPEG frame of the run.
  private func advance() {
    isPreviousIntact = current.status == .intact
    swap(&current, &ahead)
    number += 1
    offset = 0
    lookAhead()
  }

  /// Decodes the MPEG frame after the current one, if there is one.
  private func lookAhead() {
    guard number + 1 < run.end else { return }
    ahead.status = frames.decode(into: &ahead.samples)
    if ahead.status == .lost { current.status = .lost }
  }

  /// The first frame of sound of a run whose samples are the same as if everything before the run had been read. An
  /// MPEG frame needs bytes of the frames before it, and after that, two more frames fill the decoder's filters.
  private func firstExactFrame(of run: MPEGScan.Run) -> Int64 {
    guard run.first > 0, var offset = run.segments.first?.offset else { return first(of: run.first) }
    var left = 0
    for number in 0..<Int64(MPEGFrames.preroll) {
      let bytes = file.bytes(at: offset, count: 8)
      guard bytes.count == 8, let header = MPEGHeader(bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }) else { break }
      let reservoir = header.reservoir(bytes)
      if reservoir.needed <= left { return first(of: run.first + number + 2) }
      left += reservoir.own
      offset += Int64(header.size)
    }
    return first(of: run.first + Int64(MPEGFrames.preroll))
  }

  /// Opens a run, unless it is open.
  private func open(_ run: MPEGScan.Run) -> Bool {
    if run == self.run { return true }
    self.run = run
    return frames.open(run)
  }

  /// Moves to a frame of sound in the open run. Decoding starts at least two MPEG frames earlier, because damage in them
  /// affects the target.
  private func seekInRun(to frame: Int64) -> Bool {
    let target = (frame + scan.delay) / Int64(scan.span)
    guard run.first <= target, target < run.end else { return false }
    number = run.first + frames.exactSeek(before: max(0, target - 2 - run.first))
    guard frames.seek(to: number - run.first) else { return false }
    isPreviousIntact = true
    current.status = frames.decode(into: &current.samples)
    guard current.status != .lost else { return false }
    lookAhead()
    while number < target { advance() }
    offset = Int(frame - first(of: number))
    return true
  }
}
