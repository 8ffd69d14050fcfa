import Signal

/// Renders block after block for a listener, and writes them to the sink. `OfflineRender` does this for other outputs.
///
/// The sink sets the pace: `Sink.write` waits until the sink has room. Before each piece the loop waits until control
/// has planned the piece and its sounds are decoded, but never so long that the output runs out of sound. The loop runs
/// on a thread of its own.
final class RenderLoop {
  /// Frames that are rendered at a time, less than half of the smallest ring.
  static let piece = 2_048

  private let mixer: Mixer
  private var limiter: Limiter
  private let feeds: DecodingThreads
  private let renderSync: RenderSync
  private let sink: any Sink
  private let rate: SampleRate
  private let block: UnsafeMutableBufferPointer<Frame>
  private let scratch: UnsafeMutablePointer<Frame>
  /// Frames written to the output.
  private var written: FrameCount = 0
  /// The session frame that follows what was written.
  private var session: FrameTime
  /// Frames of silence that precede the session in the output.
  private let leadIn: FrameCount
  /// Frames of the block that have been rendered but not written.
  private var filled = 0
  /// Frames of the limiter's look-ahead that are still to be skipped: they precede the sound.
  private var lookAheadLeft: Int
  /// Whether `renderSync` knows that the session is paused.
  private var isPaused = false
  /// Seconds that the loop still waits until the end has been heard; nil before the end.
  private var endWaitLeft: Double?
  /// Seconds that the sink may take longer than calculated to play the end.
  private static let endTolerance = 0.5

  init(
    mixer: Mixer, feeds: DecodingThreads, renderSync: RenderSync, sink: any Sink, rate: SampleRate,
    options: RenderOptions
  ) {
    leadIn = rate.frames(options.leadIn)
    self.mixer = mixer
    self.feeds = feeds
    self.renderSync = renderSync
    self.sink = sink
    self.rate = rate
    session = mixer.position
    limiter = Limiter(rate: rate)
    lookAheadLeft = limiter.delay
    block = .allocate(capacity: max(1, options.blockLength))
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
      } else if 0 < lookAheadLeft {
        lookAheadLeft -= render(into: scratch, wanting: min(lookAheadLeft, Self.piece))
      } else if written < leadIn {
        // Not before the first sounds are open: opening them may take longer than a short lead-in.
        try writeLeadIn()
      } else if renderSync.endFrame <= next {
        if try !waitUntilHeard() { break }
      } else if renderSync.pauseFrame <= next {
        try writeSilence()
      } else {
        try fillBlock()
        try writeBlock()
      }
    }
    try writeBlock()
    // From here on the output can't be rewound. Control must not wait for a halt: a suspended output may never finish.
    renderSync.close()
    try sink.finish()
  }

  /// The session frame that is rendered next.
  private var next: FrameTime { session + FrameCount(filled) }

  private func fillBlock() throws(SinkError) {
    guard let base = block.baseAddress else { return }
    while filled < block.count {
      let untilEdge = min(renderSync.endFrame, renderSync.pauseFrame) - next
      let room = Int(min(FrameCount(min(Self.piece, block.count - filled)), untilEdge))
      if room <= 0 { return }
      let count = render(into: base + filled, wanting: room)
      if count == 0 { return }
      filled += count
      // If the output is about to run out, what exists is written first, so that there is time to decode the next
      // piece.
      if maximumWait == 0 { return }
    }
  }

  private func writeBlock() throws(SinkError) {
    if filled == 0 { return }
    try sink.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<filled]))
    written += FrameCount(filled)
    session += FrameCount(filled)
    filled = 0
    renderSync.wrote(upTo: session)
  }

  /// Writes a piece of the silence before the session.
  private func writeLeadIn() throws(SinkError) {
    renderSync.paused(at: session, from: written)
    let count = min(leadIn - written, FrameCount(Self.piece))
    scratch.update(repeating: .silence, count: Self.piece)
    try sink.write(UnsafeBufferPointer(start: scratch, count: Int(count)))
    written += count
    if written == leadIn { renderSync.resumed(at: session, from: written) }
  }

  /// Writes a piece of silence while the session is paused. A halt ends the pause.
  private func writeSilence() throws(SinkError) {
    if !isPaused { renderSync.paused(at: session, from: written) }
    isPaused = true
    scratch.update(repeating: .silence, count: Self.piece)
    try sink.write(UnsafeBufferPointer(start: scratch, count: Self.piece))
    written += FrameCount(Self.piece)
  }

  /// Rewinds what has not been heard, and waits until control has sent the commands for what follows.
  private func halt() {
    endWaitLeft = nil
    isPaused = false
    written = sink.rewind() ?? written
    filled = 0
    // The output may already hold silence from after the end.
    session = min(renderSync.session(at: written), renderSync.endFrame)
    limiter.reset()
    lookAheadLeft = limiter.delay
    mixer.rewind(to: session)
    renderSync.wrote(upTo: session)
    renderSync.resumed(at: session, from: written)
    renderSync.waitForPlan(haltedAt: session)
  }

  /// Waits up to a quarter of a second for the end of the session to be heard. Until then a command can still halt the
  /// loop and change what follows.
  ///
  /// - Returns: false if the end has been heard, or the sink is late by more than `endTolerance`.
  private func waitUntilHeard() throws(SinkError) -> Bool {
    try writeBlock()
    // An empty block makes the sink send what it has collected.
    try sink.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<0]))
    let left = rate.seconds(written - sink.heard) - 0.002
    let limit = endWaitLeft ?? left + Self.endTolerance
    if left <= 0 || limit <= 0 { return false }
    let wait = min(left, 0.25)
    endWaitLeft = limit - wait
    renderSync.waitForRequest(seconds: wait)
    return true
  }

  /// Renders up to `wanted` frames, as soon as they are planned and their sounds are decoded.
  ///
  /// - Returns: how many frames were rendered; 0 if the loop must stop or halt.
  private func render(into frames: UnsafeMutablePointer<Frame>, wanting wanted: Int) -> Int {
    let count = renderSync.wait(seconds: maximumWait, at: mixer.position, wanting: wanted)
    if count == 0 { return 0 }
    if !mixer.hasBuffered(count) {
      feeds.wait(seconds: maximumWait) { mixer.hasBuffered(max(count, Self.piece)) || renderSync.isInterrupted }
    }
    waitForLateVoices(count)
    mixer.render(into: frames, count: count)
    limiter.process(frames, count: count)
    if mixer.needsData { feeds.kick() }
    return count
  }

  /// Waits for voices that are late, as long as enough sound is buffered for the others. Without this, the silence of a
  /// late voice would be rendered seconds ahead.
  private func waitForLateVoices(_ count: Int) {
    let time = bufferedSeconds - Self.reserve
    if time <= 0 || mixer.hasCaughtUp(count) { return }
    feeds.wait(seconds: time) { mixer.hasCaughtUp(count) || renderSync.isInterrupted }
  }

  /// Seconds of sound that stay buffered while the loop waits for a late voice.
  private static let reserve = 0.2

  /// Seconds to wait for control or for decoders: what is buffered, less a fifth of it or at least 50 ms, so that one
  /// late sound does not silence the others. Before the first frame, when nothing can run out, five seconds.
  private var maximumWait: Double {
    if written == 0 { return 5 }
    return max(0, min(0.8 * bufferedSeconds, bufferedSeconds - 0.05))
  }

  /// Seconds that have been written but not heard.
  private var bufferedSeconds: Double { rate.seconds(written - sink.heard) }
}
