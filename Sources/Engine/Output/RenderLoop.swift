import Signal

/// Renders block after block for a listener, and writes them to the sink. `OfflineRender` does it for other outputs.
///
/// The loop is paced by the listener: the sink's write is its clock. Before each piece it waits until control has
/// planned beyond it and the feeds hold it, but only as long as the listener does not notice. The loop runs on a thread
/// of its own.
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
  private var unprimed: Int
  private var isStanding = false
  /// Seconds that the loop still waits for the listener to hear the end; nil before the end.
  private var lingering: Double?
  /// Seconds by which the listener may be late at the end.
  private static let lateness = 0.5

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
    unprimed = limiter.delay
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

  private func fillBlock() throws(SinkError) {
    guard let base = block.baseAddress else { return }
    while filled < block.count {
      let untilEdge = min(renderSync.endFrame, renderSync.parkFrame) - next
      let room = Int(min(FrameCount(min(Self.piece, block.count - filled)), untilEdge))
      if room <= 0 { return }
      let count = render(into: base + filled, wanting: room)
      if count == 0 { return }
      filled += count
      // If the output is about to run out, what exists is written first, so that there is time to decode the next
      // piece.
      if patience == 0 { return }
    }
  }

  private func writeBlock() throws(SinkError) {
    if filled == 0 { return }
    try sink.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<filled]))
    written += FrameCount(filled)
    session += FrameCount(filled)
    filled = 0
    renderSync.handedOver(to: session)
  }

  /// Writes a piece of the silence before the session.
  private func lead() throws(SinkError) {
    renderSync.stands(at: session, from: written)
    let count = min(leadIn - written, FrameCount(Self.piece))
    scratch.update(repeating: .silence, count: Self.piece)
    try sink.write(UnsafeBufferPointer(start: scratch, count: Int(count)))
    written += count
    if written == leadIn { renderSync.goes(on: session, at: written) }
  }

  /// The session is paused, and the output plays silence.
  private func stand() throws(SinkError) {
    if !isStanding { renderSync.stands(at: session, from: written) }
    isStanding = true
    scratch.update(repeating: .silence, count: Self.piece)
    try sink.write(UnsafeBufferPointer(start: scratch, count: Self.piece))
    written += FrameCount(Self.piece)
  }

  /// Rewinds what nobody has heard, and waits until control has sent the commands for what follows.
  private func halt() {
    lingering = nil
    isStanding = false
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

  /// Whether the session has not ended yet: its last sound can be rewound until it has been heard.
  private func lingers() throws(SinkError) -> Bool {
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

  /// - Returns: how many frames were rendered; 0 if the loop must stop or halt.
  private func render(into frames: UnsafeMutablePointer<Frame>, wanting wanted: Int) -> Int {
    let count = renderSync.wait(seconds: patience, at: mixer.position, wanting: wanted)
    if count == 0 { return 0 }
    if !mixer.holds(count) {
      feeds.wait(seconds: patience) { mixer.holds(max(count, Self.piece)) || renderSync.isInterrupted }
    }
    awaitLate(count)
    mixer.render(into: frames, count: count)
    limiter.process(frames, count: count)
    if mixer.isHungry { feeds.kick() }
    return count
  }

  /// Waits for voices that are late, as long as enough sound is buffered for the others. Without this, the silence of a
  /// late voice would be rendered seconds ahead.
  private func awaitLate(_ count: Int) {
    let spare = inHand - Self.reserve
    if spare <= 0 || mixer.hasCaughtUp(count) { return }
    feeds.wait(seconds: spare) { mixer.hasCaughtUp(count) || renderSync.isInterrupted }
  }

  /// Seconds of sound that stay buffered while the loop waits for a late voice.
  private static let reserve = 0.2

  /// Seconds to wait for sources: what is buffered, less a fifth of it or at least 50 ms, so that one late source does
  /// not silence all of them.
  private var patience: Double {
    if written == 0 { return 5 }
    return max(0, min(0.8 * inHand, inHand - 0.05))
  }

  /// Seconds that have been written but not heard.
  private var inHand: Double { rate.seconds(written - sink.heard) }
}
