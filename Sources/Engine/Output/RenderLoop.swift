import Signal

/// Renders block after block and writes them to the sink. Live playback and renders to files use the same loop.
///
/// In live playback, the sink's `write` waits while enough is buffered, and so sets the pace. In a render to a file,
/// the loop waits before each piece until control has planned it and the feeds have decoded it. A live loop also waits
/// for both, but only while enough sound is buffered. The loop runs on a thread of its own.
final class RenderLoop {
  /// The maximum number of frames that are rendered at once; less than half of the smallest ring.
  static let piece = 2_048

  private let mixer: Mixer
  private var limiter: Limiter
  private let feeds: DecodingThreads
  private let renderSync: RenderSync
  private let sink: any Sink
  private let rate: SampleRate
  /// The next block for the sink; its first `filled` frames have been rendered.
  private let block: UnsafeMutableBufferPointer<Frame>
  /// A buffer for frames that are not written, and for silence.
  private let scratch: UnsafeMutablePointer<Frame>
  /// Frames written to the output.
  private var written: FrameCount = 0
  /// The session frame that follows what was written.
  private var session: FrameTime
  /// Frames of silence that precede the session in the output.
  private let leadIn: FrameCount
  /// Frames of the block that have been rendered but not written.
  private var filled = 0
  /// How many frames of the limiter's output are still to be dropped: its look-ahead delays the sound by so many frames
  /// of silence.
  private var unprimed: Int
  /// Whether the session is paused and silence is being written.
  private var isStanding = false
  /// Whether the last wait for a file was interrupted by a request to halt. The next wait is short then.
  private var isAwaited = false
  /// Seconds for which the loop still waits until the end has been heard; nil before the end.
  private var lingering: Double?
  /// Seconds by which the end may be heard late before the loop stops waiting.
  private static let lateness = 0.5

  init(
    mixer: Mixer, feeds: DecodingThreads, renderSync: RenderSync, sink: any Sink, rate: SampleRate, blockLength: Int,
    leadIn: FrameCount = 0
  ) {
    self.leadIn = leadIn
    self.mixer = mixer
    self.feeds = feeds
    self.renderSync = renderSync
    self.sink = sink
    self.rate = rate
    session = mixer.position
    limiter = Limiter(rate: rate)
    unprimed = limiter.delay
    block = .allocate(capacity: max(1, blockLength))
    block.initialize(repeating: .silence)
    scratch = .allocate(capacity: Self.piece)
    scratch.initialize(repeating: .silence, count: Self.piece)
  }

  deinit {
    block.deallocate()
    scratch.deallocate()
  }

  /// Plays until the end or the stop, and finishes the sink.
  func run() throws(SinkError) {
    try sink.start(at: rate)
    while !renderSync.hasStopped {
      if renderSync.isHaltRequested {
        halt()
      } else if 0 < unprimed {
        unprimed -= render(into: scratch, wanting: min(unprimed, Self.piece))
      } else if written < leadIn {
        // After the first sounds have been opened, which may take longer than a short lead-in.
        try lead()
      } else if renderSync.endFrame <= next {
        if try !lingers() { break }
      } else if renderSync.parkFrame <= next {
        try stand()
      } else {
        try fillBlock()
        try writeBlock()
      }
    }
    try writeBlock()
    try sink.finish()
  }

  /// The session frame that is rendered next.
  private var next: FrameTime { session + FrameCount(filled) }

  /// Renders frames until the block is full, the session ends or pauses, or the loop must stop or halt.
  private func fillBlock() throws(SinkError) {
    guard let base = block.baseAddress else { return }
    while filled < block.count {
      let untilEdge = min(renderSync.endFrame, renderSync.parkFrame) - next
      let room = Int(min(FrameCount(min(Self.piece, block.count - filled)), untilEdge))
      if room <= 0 { return }
      let count = render(into: base + filled, wanting: room)
      if count == 0 { return }
      filled += count
      // If the output is about to underrun, the rendered frames are written now, which gives the decoders more time.
      if patience == 0 { return }
    }
  }

  /// Writes the frames that have been rendered.
  private func writeBlock() throws(SinkError) {
    if filled == 0 { return }
    try sink.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<filled]))
    written += FrameCount(filled)
    session += FrameCount(filled)
    filled = 0
    renderSync.handedOver(to: session)
  }

  /// Writes a piece of the silence before the session, which has not begun yet.
  private func lead() throws(SinkError) {
    renderSync.stands(at: session, from: written)
    let count = min(leadIn - written, FrameCount(Self.piece))
    scratch.update(repeating: .silence, count: Self.piece)
    try sink.write(UnsafeBufferPointer(start: scratch, count: Int(count)))
    written += count
    if written == leadIn { renderSync.goes(on: session, at: written) }
  }

  /// Writes a piece of silence, because the session is paused.
  private func stand() throws(SinkError) {
    if !isStanding { renderSync.stands(at: session, from: written) }
    isStanding = true
    scratch.update(repeating: .silence, count: Self.piece)
    try sink.write(UnsafeBufferPointer(start: scratch, count: Self.piece))
    written += FrameCount(Self.piece)
  }

  /// Halts: waits until control has sent the commands for what follows. A live output first rewinds the sound that has
  /// not been heard; a render to a file stops at the frame that the mixer has reached.
  private func halt() {
    lingering = nil
    isStanding = false
    if sink.pace == .players {
      mixer.rewind(to: mixer.position)
      return renderSync.stand(at: mixer.position)
    }
    written = sink.rewind() ?? written
    filled = 0
    session = renderSync.session(at: written)
    limiter.reset()
    unprimed = limiter.delay
    mixer.rewind(to: session)
    renderSync.handedOver(to: session)
    renderSync.goes(on: session, at: written)
    renderSync.stand(at: session)
  }

  /// At the end of a live session: waits a while for the last sound to be heard, because it can be rewound until then.
  ///
  /// - Returns: whether to call it again; false if the end has been heard, or is too late.
  private func lingers() throws(SinkError) -> Bool {
    guard sink.pace == .listener else { return false }
    try writeBlock()
    // An empty block makes the sink send what it has collected.
    try sink.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<0]))
    let left = rate.seconds(written - sink.heard) - 0.002
    let limit = lingering ?? left + Self.lateness
    if left <= 0 || limit <= 0 { return false }
    let nap = min(left, 0.25)
    lingering = limit - nap
    renderSync.rest(seconds: nap)
    return true
  }

  /// Waits for control and for the decoders, and renders up to `wanted` frames.
  ///
  /// - Returns: how many frames were rendered; 0 if the loop must stop or halt.
  private func render(into frames: UnsafeMutablePointer<Frame>, wanting wanted: Int) -> Int {
    let count = renderSync.wait(seconds: patience, at: mixer.position, wanting: wanted)
    if count == 0 { return 0 }
    if !mixer.holds(count) {
      feeds.wait(seconds: min(patience, isAwaited ? 5 : Self.longestRead)) {
        mixer.holds(max(count, supply)) || renderSync.isInterrupted
      }
      // A render to a file doesn't skip missing sound because of a halt: it waits again after it.
      if sink.pace == .players, !mixer.holds(count), renderSync.isInterrupted {
        isAwaited = true
        return 0
      }
      isAwaited = false
    }
    awaitLate(count)
    mixer.render(into: frames, count: count)
    limiter.process(frames, count: count)
    if mixer.isHungry { feeds.kick() }
    return count
  }

  /// Waits for voices that are late, while enough sound is buffered. Without this, seconds of sound without these
  /// voices would be rendered in advance.
  private func awaitLate(_ count: Int) {
    let spare = sink.pace == .listener ? inHand - Self.reserve : 0
    if spare <= 0 || mixer.hasCaughtUp(count) { return }
    feeds.wait(seconds: spare) { mixer.hasCaughtUp(count) || renderSync.isInterrupted }
  }

  /// Seconds of sound that stay buffered while the loop waits for a late voice.
  private static let reserve = 0.2

  /// How many frames the feeds must have decoded at the end of a wait. In a render to a file, it is more than a piece,
  /// so that the loop waits less often.
  private var supply: Int { sink.pace == .listener ? Self.piece : 4 * Self.piece }

  /// Seconds after which a render to a file continues without a sound whose file does not respond. This is reported.
  private static let longestRead = 30.0

  /// Seconds to wait for control and for decoders. In a render to a file, there is practically no limit. In live
  /// playback, it is what is buffered, minus a fifth of it and at least 50 ms, so that one late sound doesn't interrupt
  /// all others.
  private var patience: Double {
    guard sink.pace == .listener else { return 3_600 }
    if written == 0 { return 5 }
    return max(0, min(0.8 * inHand, inHand - 0.05))
  }

  /// Seconds of sound that have been written but not heard.
  private var inHand: Double { rate.seconds(written - sink.heard) }
}
