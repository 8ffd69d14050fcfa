import Signal

/// Renders piece after piece, and writes them to the sink.
///
/// Playback and renders execute the same steps; the pace of the sink determines how the loop waits for what a step needs.
/// For a listener it has a thread of its own, which waits in `Sink.write`, and for control and the decoders never so long
/// that the output runs out of sound. In a render it runs on the control thread and never waits: control calls `advance`
/// whenever it has planned more frames, and sleeps no longer than that permits. The samples don't depend on its calls.
final class RenderLoop {
  /// Frames that are rendered at a time, less than half of the smallest ring.
  static let piece = 2_048

  /// What a piece needs, in this order.
  private enum Need: Int {
    /// Control has to plan it.
    case plan
    /// Its sounds have to be decoded.
    case sound
    /// Sounds have to catch up that have been late before.
    case lateSound
  }

  private let mixer: Mixer
  private var limiter: Limiter
  private let decoders: DecodingThreads
  private let renderSync: RenderSync
  private let sink: any Sink
  private let hasListener: Bool
  private let observer: (any FrameObserver)?
  private let rate: SampleRate
  /// Frames of silence that precede the session in the output.
  private let leadIn: FrameCount
  /// Called once, after the sink has been finished (nil) or has failed.
  private let ended: @Sendable (SinkError?) -> Void
  private let block: UnsafeMutableBufferPointer<Frame>
  private let scratch: UnsafeMutablePointer<Frame>
  /// Frames written to the output.
  private var written: FrameCount = 0
  /// The session frame that follows what was written.
  private var session: FrameTime
  /// Frames of the block that have been rendered but not written.
  private var filled = 0
  /// Frames of the limiter's look-ahead that are still to be skipped: they precede the sound.
  private var lookAheadLeft: FrameCount
  private var hasStarted = false
  /// Whether control has not planned what follows the last halt.
  private var isHalted = false
  /// Whether the output has silence instead of the session before the next write, which `renderSync` knows.
  private var isPaused = false
  /// What the next frames have been waiting for since `since`, for at most `limit` seconds, and the number of completed
  /// reads at that time; nil if they have needed nothing yet.
  private var wait: (need: Need, since: Int64, limit: Double, reads: Int)?
  /// Whether control has halted a render while it waited for sound.
  private var isUrgent = false
  /// Seconds that the loop still waits until the end has been heard; nil before the end.
  private var endWaitLeft: Double?

  /// Seconds after which a render continues without a file that does not respond, and reports it. The time is shorter
  /// after a halt, because a command waits for the render.
  private static let (readTimeout, readTimeoutAfterHalt) = (30.0, 5.0)
  /// Seconds after which a loop that waits for sound looks for blocked threads.
  private static let checkInterval = 0.25
  /// Seconds of sound that stay buffered while the loop waits for a late voice.
  private static let reserve = 0.2
  /// Seconds that the sink may take longer than calculated to play the end.
  private static let endTolerance = 0.5

  init(
    _ mixer: Mixer, _ decoders: DecodingThreads, _ renderSync: RenderSync, _ sink: any Sink, _ rate: SampleRate,
    _ options: RenderOptions, observer: (any FrameObserver)? = nil, ended: @escaping @Sendable (SinkError?) -> Void
  ) {
    (self.mixer, self.decoders, self.renderSync) = (mixer, decoders, renderSync)
    (self.sink, self.rate, self.ended) = (sink, rate, ended)
    hasListener = sink.pace == .listener
    self.observer = observer
    leadIn = rate.frames(options.leadIn)
    session = mixer.position
    limiter = Limiter(rate: rate)
    lookAheadLeft = FrameCount(limiter.delay)
    block = .allocate(capacity: max(1, options.blockLength))
    block.initialize(repeating: .silence)
    scratch = .allocate(capacity: Self.piece)
    scratch.initialize(repeating: .silence, count: Self.piece)
  }

  deinit {
    block.deallocate()
    scratch.deallocate()
  }

  /// Plays for a listener until the end or a stop. The calling thread becomes the render thread.
  func run() {
    do throws(SinkError) {
      while let seconds = try step() {
        if wait?.need == .plan { renderSync.progress.call() }
        if 0 < seconds { renderSync.wake.wait(seconds: seconds) }
      }
      ended(nil)
    } catch { ended(error) }
  }

  /// Renders to an output without a listener as far as control has planned and sound has been decoded, and finishes the
  /// sink after the last frame.
  ///
  /// Control may sleep only if this call has changed nothing that control reads.
  ///
  /// - Returns: how many seconds control may sleep unless it is woken: 0 if anything has changed; `checkInterval` if
  ///   the next frames are being decoded, which wakes it; without limit if control has to plan or to end the render
  ///   first.
  func advance() -> Double {
    if renderSync.isOver { return .infinity }
    let before = (mixer.position, renderSync.waitingFrame)
    do throws(SinkError) {
      var seconds: Double? = 0
      while seconds == 0 { seconds = try step() }
      if let seconds {
        // A new waiting frame is progress, too: control has to read it before it waits.
        let isIdle = before == (mixer.position, renderSync.waitingFrame)
        return isIdle || seconds < .infinity ? seconds : 0
      }
      ended(nil)
    } catch { ended(error) }
    return 0
  }

  /// Stops, so that control can change what follows: all its commands for later frames are dropped. What a listener has
  /// not heard is rendered again. Control calls this in a render; for a listener the loop does it.
  func halt() {
    isUrgent = !hasListener && wait?.need == .sound
    if isUrgent { wait?.limit = Self.readTimeoutAfterHalt } else { wait = nil }
    (endWaitLeft, isHalted) = (nil, hasListener)
    if hasListener { rewindSink() } else { mixer.rewind(to: mixer.position) }
    renderSync.halted(at: mixer.position)
  }

  /// Rewinds to the first frame that the sink can still replace.
  private func rewindSink() {
    written = sink.rewind() ?? written
    filled = 0
    // The output may already hold silence from after the end.
    session = min(renderSync.session(at: written), renderSync.endFrame)
    limiter.reset()
    observer?.rewound(to: session)
    lookAheadLeft = FrameCount(limiter.delay)
    mixer.rewind(to: session)
    renderSync.wrote(upTo: session)
    isPaused = renderSync.isPaused(at: written)
    // What was written for later frames of the output is replaced.
    if isPaused {
      renderSync.paused(at: session, from: written)
    } else {
      renderSync.resumed(at: session, from: written)
    }
  }
}

extension RenderLoop {
  /// Renders and writes the next piece, as far as possible.
  ///
  /// - Returns: how many seconds to wait before the next step, unless there is something to do before; nil if the sink
  ///   has been finished.
  private func step() throws(SinkError) -> Double? {
    if !hasStarted { try sink.start(at: rate) }
    hasStarted = true
    if renderSync.hasStopped { return try finish() }
    if renderSync.isHaltRequested { halt() }
    if isHalted, renderSync.planned(1, at: mixer.position) == 0 { return .infinity }
    isHalted = false
    if 0 < lookAheadLeft {
      let (count, seconds) = render(into: scratch, wanting: lookAheadLeft)
      lookAheadLeft -= FrameCount(count)
      return seconds
    }
    // Not before the first sounds are open: opening them may take longer than a short lead-in.
    if written < leadIn { return try writeSilence(min(leadIn - written, FrameCount(Self.piece))) }
    if renderSync.endFrame <= next { return try waitForTheEnd() }
    if renderSync.pauseFrame <= next { return try writeSilence(FrameCount(Self.piece)) }
    return try fillBlock()
  }

  /// The session frame that is rendered next.
  private var next: FrameTime { session + FrameCount(filled) }

  private func fillBlock() throws(SinkError) -> Double {
    guard let base = block.baseAddress else { return .infinity }
    let untilEdge = min(renderSync.endFrame, renderSync.pauseFrame) - next
    let room = min(FrameCount(block.count - filled), untilEdge)
    let (count, seconds) = render(into: base + filled, wanting: room)
    filled += count
    // If the output is about to run out, what exists is written first, so that there is time to decode the next piece.
    if filled == block.count || 0 < count && hasListener && maximumWait == 0 { try writeBlock() }
    return seconds
  }

  private func writeBlock() throws(SinkError) {
    if filled == 0 { return }
    if exchange(&isPaused, with: false) {
      // Until this frame the listener hears the silence of the pause, however late it is.
      written = sink.postpone() ?? written
      renderSync.resumed(at: session, from: written)
    }
    try write(block.baseAddress, filled)
    session += FrameCount(filled)
    filled = 0
    renderSync.wrote(upTo: session)
  }

  /// Writes silence before the session, or while it is paused. A halt ends the pause.
  private func writeSilence(_ count: FrameCount) throws(SinkError) -> Double {
    try writeBlock()
    if !isPaused { renderSync.paused(at: session, from: written) }
    isPaused = true
    scratch.update(repeating: .silence, count: Self.piece)
    try write(scratch, Int(count))
    return 0
  }

  /// Everything that the output gets passes here: limited frames of the session from its frame `session` on, or silence
  /// if `isPaused`. In a render they are final. For a listener they are final when they have been heard: `rewindSink`
  /// takes back those that the sink can still replace, and what replaces them passes here again.
  private func write(_ frames: UnsafePointer<Frame>?, _ count: Int) throws(SinkError) {
    try sink.write(UnsafeBufferPointer(start: frames, count: count))
    if let observer, 0 < count {
      observer.heard(UnsafeBufferPointer(start: frames, count: count), at: isPaused ? nil : session)
    }
    written += FrameCount(count)
  }

  /// Waits until a listener has heard the end of the session. Until then a command can still halt the loop and change
  /// what follows. If the sink is late by more than `endTolerance`, the end is not awaited any longer.
  private func waitForTheEnd() throws(SinkError) -> Double? {
    try writeBlock()
    if !hasListener { return try finish() }
    // An empty block makes the sink send what it has collected.
    try write(nil, 0)
    let left = bufferedSeconds - 0.002
    let limit = endWaitLeft ?? left + Self.endTolerance
    if left <= 0 || limit <= 0 { return try finish() }
    let seconds = min(left, 0.25)
    endWaitLeft = limit - seconds
    return seconds
  }

  private func finish() throws(SinkError) -> Double? {
    try writeBlock()
    // From here on the output can't be rewound. Control must not wait for a halt: a suspended output may never finish.
    renderSync.close()
    try sink.finish()
    return nil
  }
}

extension RenderLoop {
  /// Renders up to `wanted` frames, at most to the next multiple of `piece`.
  ///
  /// - Returns: how many frames were rendered, and if there were none, for how long to wait.
  private func render(into frames: UnsafeMutablePointer<Frame>, wanting wanted: FrameCount) -> (Int, wait: Double) {
    // In a render, control handles a sound that has ended too early before more is rendered, so that the frame at which
    // it does so can't depend on the speed of the decoders.
    if !hasListener, mixer.takeEarlyEnd() { return (0, .infinity) }
    let piece = FrameCount(Self.piece)
    let most = min(wanted, piece - mixer.position & (piece - 1))
    var count = Int(renderSync.planned(most, at: mixer.position))
    if count == 0, let seconds = patience(for: .plan) { return (0, seconds) }
    if count == 0 { count = Int(most) }
    if let seconds = waitForSound(count) { return (0, seconds) }
    wait = nil
    renderSync.willRender(upTo: mixer.position + FrameCount(count))
    let begin = mixer.position
    mixer.render(into: frames, count: count)
    if let observer, observer.observesBuses {
      for bus in Bus.allCases {
        observer.mixed(UnsafeBufferPointer(start: mixer.sum(of: bus), count: count), of: bus, at: begin)
      }
    }
    limiter.process(frames, count: count)
    renderSync.limited(to: limiter.leastGain, frames: limiter.limitedFrames)
    if mixer.needsData { decoders.kick() }
    return (count, 0)
  }

  /// How long to wait for the sound of the next `count` frames; nil if it has been decoded, or for no longer.
  private func waitForSound(_ count: Int) -> Double? {
    if !mixer.hasBuffered(count) {
      let reads = decoders.request()
      // It may have been decoded meanwhile.
      if !mixer.hasBuffered(count) { return patience(for: .sound, reads: reads) }
    }
    isUrgent = false
    // Without this, the silence of a late voice would be rendered seconds ahead.
    if !hasListener || mixer.hasCaughtUp(count) { return nil }
    decoders.request()
    return mixer.hasCaughtUp(count) ? nil : patience(for: .lateSound)
  }

  /// How long to wait for `need` from now on; nil if the loop has waited long enough. A render waits longer while the
  /// number of completed `reads` grows.
  private func patience(for need: Need, reads: Int = 0) -> Double? {
    if need == .plan, !hasListener {
      wait = nil
      return .infinity
    }
    let now = monotonicNanoseconds()
    if wait.map({ $0.need.rawValue < need.rawValue || !hasListener && $0.reads != reads }) ?? true {
      wait = (need, now, limit(for: need), reads)
    }
    guard let wait, wait.need == need else { return nil }
    let left = wait.limit - Double(now - wait.since) / 1e9
    if left <= 0 { return nil }
    return need == .plan ? left : min(left, Self.checkInterval)
  }

  /// Seconds to wait for `need`. While a listener waits for a late voice, enough sound stays buffered for the others.
  private func limit(for need: Need) -> Double {
    if !hasListener { return isUrgent ? Self.readTimeoutAfterHalt : Self.readTimeout }
    return need == .lateSound ? bufferedSeconds - Self.reserve : maximumWait
  }

  /// Seconds for which a listener's sound may wait for control or for decoders: what is buffered, less a fifth of it or
  /// at least 50 ms, so that one late sound does not silence the others. Before the first frame, when nothing can run
  /// out, five seconds.
  private var maximumWait: Double {
    if written == 0 { return 5 }
    return max(0, min(0.8 * bufferedSeconds, bufferedSeconds - 0.05))
  }

  /// Seconds that have been written but not heard.
  private var bufferedSeconds: Double { rate.seconds(written - sink.heard) }
}
