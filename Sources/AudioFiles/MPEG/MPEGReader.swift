import Engine

/// Reads MPEG audio frame by frame. A frame is delivered only if the next one has been found where it should begin.
final class MPEGReader: SampleReader {
  let form: SampleForm
  // In this type, "number" counts MPEG frames, "frame" and "offset" count frames of sound.
  private let file: RegularFile
  private let scan: MPEGScan
  private let frames: MPEGFrames
  private var run: MPEGScan.Run
  /// The MPEG frame that is read from.
  private var current: Decoded
  /// Its number in the file.
  private var number: Int64 = 0
  /// The MPEG frame after it.
  private var ahead: Decoded
  /// Whether the previous MPEG frame was decoded: half of it overlaps with the current one.
  private var isSettled = true
  /// Frames of the current MPEG frame that have been read.
  private var offset = 0

  private struct Decoded {
    var samples: [Float]
    var verdict = MPEGFrames.Verdict.lost
  }

  init(_ file: RegularFile, _ scan: MPEGScan) throws(SourceError) {
    let tag = ID3Tag(file)
    form = SampleForm(
      rate: scan.rate, channels: scan.channels,
      // A truncated file states more frames than it has: the fade-out after the last one needs room.
      frames: scan.length + (scan.isCut ? Int64(Concealment.ramp(atRate: scan.rate)) : 0),
      roles: ChannelRole.standard(channels: scan.channels), title: tag.title, artist: tag.artist)
    self.file = file
    self.scan = scan
    frames = try MPEGFrames(file, scan)
    current = Decoded(samples: Array(repeating: 0, count: scan.span * scan.channels))
    ahead = current
    run = scan.runs.first ?? MPEGScan.Run(first: 0, count: 0, stretches: [])
    (number, offset) = (scan.delay / Int64(scan.span), Int(scan.delay) % scan.span)
    // If the first frames are lost, there is nothing to go to.
    guard frames.show(run), number < run.first || go(to: 0) else {
      throw .damaged(path: file.path, atSecond: 0, cause: "its MPEG frames can't be decoded")
    }
  }

  func read(into samples: UnsafeMutablePointer<Float>, frames count: Int) -> Int {
    let wanted = Int(max(0, min(Int64(count), min(scan.length, first(of: run.end)) - position)))
    var done = 0
    while done < wanted {
      if offset == scan.span { advance() }
      guard isSound else { break }
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
    guard let run = scan.runs.first(where: { frame < first(of: $0.end) }), settled(run) <= frame else { return false }
    return show(run) && go(to: frame)
  }

  func resume(after frame: Int64) -> Int64? {
    if frame == position, resumeInRun() { return position }
    for run in scan.runs where frame < first(of: run.end) {
      let settled = settled(run)
      guard frame < settled, settled < first(of: run.end), show(run), go(to: settled) else { continue }
      if isSound || resumeInRun() { return position }
    }
    return nil
  }

  /// After a frame that is there but damaged: moves to the next frame of the run that can be decoded.
  private func resumeInRun() -> Bool {
    guard !isSound else { return false }
    while number + 1 < run.end, current.verdict != .lost {
      advance()
      if isSound { return true }
    }
    return false
  }

  /// The frame of sound that is read next.
  private var position: Int64 { first(of: number) + Int64(offset) }
  /// Whether the current MPEG frame can be delivered.
  private var isSound: Bool { current.verdict == .sound && isSettled }

  /// The first frame of sound of an MPEG frame.
  private func first(of number: Int64) -> Int64 { number * Int64(scan.span) - scan.delay }

  /// Moves to the next MPEG frame of the run.
  private func advance() {
    isSettled = current.verdict == .sound
    swap(&current, &ahead)
    number += 1
    offset = 0
    lookAhead()
  }

  /// Decodes the MPEG frame after the current one, if there is one.
  private func lookAhead() {
    guard number + 1 < run.end else { return }
    ahead.verdict = frames.decode(into: &ahead.samples)
    if ahead.verdict == .lost { current.verdict = .lost }
  }

  /// The first frame of sound of a run that is decoded as if everything before the run had been read: an MPEG frame
  /// needs bytes of the ones before it, and then two more fill the decoder's filters.
  private func settled(_ run: MPEGScan.Run) -> Int64 {
    guard run.first > 0, var offset = run.stretches.first?.offset else { return first(of: run.first) }
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
  private func show(_ run: MPEGScan.Run) -> Bool {
    if run == self.run { return true }
    self.run = run
    return frames.show(run)
  }

  /// Moves to a frame of sound in the open run. Decoding starts two MPEG frames earlier, because damage there is
  /// audible in the target.
  private func go(to frame: Int64) -> Bool {
    let target = (frame + scan.delay) / Int64(scan.span)
    guard run.first <= target, target < run.end else { return false }
    number = max(run.first, target - 2)
    guard frames.go(to: number - run.first) else { return false }
    isSettled = true
    current.verdict = frames.decode(into: &current.samples)
    guard current.verdict != .lost else { return false }
    lookAhead()
    while number < target { advance() }
    offset = Int(frame - first(of: number))
    return true
  }
}
