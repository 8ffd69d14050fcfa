import Signal

/// Renders to an output without a listener, such as a file, as fast as the sounds can be decoded.
///
/// It runs on the control thread, and never waits: control calls `advance` whenever it has planned more frames, and
/// sleeps no longer than that permits. How many frames each call renders has no effect on the samples.
final class OfflineRender {
  private let mixer: Mixer
  private var limiter: Limiter
  private let decoders: PieceDecoders
  private let renderSync: RenderSync
  private let sink: any Sink
  private let rate: SampleRate
  /// Frames of silence that precede the session in the output.
  private let leadIn: FrameCount
  /// Called once, after the sink has been finished (nil) or has failed.
  private let ended: (SinkError?) -> Void
  private let block: UnsafeMutableBufferPointer<Frame>
  private let scratch: UnsafeMutablePointer<Frame>
  /// The session frame that follows what was written.
  private var session: FrameTime
  /// Frames of the block that have been rendered but not written.
  private var filled = 0
  /// Frames of the limiter's look-ahead that are still to be skipped: they precede the sound.
  private var lookAheadLeft: Int
  private var hasStarted = false
  private var isOver = false
  /// Why the sink failed during a halt; the next `advance` reports it.
  private var failure: SinkError?
  /// Since when the next frames are missing, in nanoseconds of `clock`, and the number of completed reads at that time;
  /// nil while there is sound.
  private var starvation: (since: Int64, reads: Int)?
  /// Whether control has halted the render since the next frames were first needed.
  private var hasHaltedMeanwhile = false
  private let clock: () -> Int64

  /// Seconds after which a render continues without a file that does not respond, and reports it. The time is shorter
  /// after a halt, because a command waits for the render.
  private static let (readTimeout, readTimeoutAfterHalt) = (30.0, 5.0)
  /// Seconds after which a render that waits for sound looks for blocked threads.
  private static let checkInterval = 0.25

  /// - Parameters:
  ///   - clock: nanoseconds that never go back.
  ///   - ended: called once, after the sink has been finished (nil) or has failed.
  init(
    mixer: Mixer, decoders: PieceDecoders, renderSync: RenderSync, sink: any Sink, rate: SampleRate,
    options: RenderOptions, clock: @escaping () -> Int64 = monotonicNanoseconds,
    ended: @escaping (SinkError?) -> Void
  ) {
    (self.mixer, self.decoders, self.renderSync, self.clock) = (mixer, decoders, renderSync, clock)
    (self.sink, self.rate, self.ended) = (sink, rate, ended)
    leadIn = rate.frames(options.leadIn)
    session = mixer.position
    limiter = Limiter(rate: rate)
    lookAheadLeft = limiter.delay
    block = .allocate(capacity: max(1, options.blockLength))
    block.initialize(repeating: .silence)
    scratch = .allocate(capacity: RenderLoop.piece)
    scratch.initialize(repeating: .silence, count: RenderLoop.piece)
  }

  deinit {
    block.deallocate()
    scratch.deallocate()
  }

  /// Renders as far as control has planned and sound has been decoded, and finishes the sink after the last frame.
  ///
  /// Control may sleep only if this call has changed nothing that control reads.
  ///
  /// - Returns: how many seconds control may sleep unless it is woken: 0 if anything has changed; `checkInterval` if
  ///   the next frames are being decoded, which wakes it; without limit if control has to plan or to end the render
  ///   first.
  func advance() -> Double {
    if isOver { return .infinity }
    let before = (mixer.position, renderSync.waitingFrame)
    do throws(SinkError) {
      if let failure { throw failure }
      if !hasStarted { try start() }
      let isWaiting = try !render()
      if isWaiting {
        if starvation != nil { return Self.checkInterval }
        // A new waiting frame is progress, too: control has to read it before it waits.
        return before == (mixer.position, renderSync.waitingFrame) ? .infinity : 0
      }
      try writeBlock()
      try sink.finish()
      close(nil)
    } catch { close(error) }
    return 0
  }

  /// Starts the sink, and writes the silence before the session.
  private func start() throws(SinkError) {
    hasStarted = true
    try sink.start(at: rate)
    var left = leadIn
    while 0 < left {
      let count = min(left, FrameCount(RenderLoop.piece))
      try sink.write(UnsafeBufferPointer(start: scratch, count: Int(count)))
      left -= count
    }
  }

  /// Stops, so that control can change what follows. All its commands for later frames are dropped.
  ///
  /// - Returns: the session frame from which the render continues; nil if it has ended.
  func halt() -> FrameTime? {
    if isOver || renderSync.hasStopped { return nil }
    do throws(SinkError) { try writeBlock() } catch { failure = error }
    hasHaltedMeanwhile = starvation != nil
    mixer.rewind(to: mixer.position)
    renderSync.halted(at: mixer.position)
    return mixer.position
  }

  /// Ends the render, and calls `ended`. `failure` is nil if the sink has been finished.
  func close(_ failure: SinkError?) {
    isOver = true
    if failure != nil { sink.abandon() }
    decoders.close()
    renderSync.close()
    ended(failure)
  }

  /// Renders as far as possible.
  ///
  /// - Returns: whether the end or a stop has been reached; false if control has to act first.
  private func render() throws(SinkError) -> Bool {
    while !renderSync.hasStopped {
      if 0 < lookAheadLeft {
        let count = render(into: scratch, wanting: min(lookAheadLeft, RenderLoop.piece))
        if count == 0 { return false }
        lookAheadLeft -= count
      } else if renderSync.endFrame <= next {
        return true
      } else if filled == block.count {
        try writeBlock()
      } else {
        let room = min(FrameCount(min(RenderLoop.piece, block.count - filled)), renderSync.endFrame - next)
        guard let base = block.baseAddress, case let count = render(into: base + filled, wanting: Int(room)), 0 < count
        else { return false }
        filled += count
      }
    }
    return true
  }

  /// The session frame that is rendered next.
  private var next: FrameTime { session + FrameCount(filled) }

  private func writeBlock() throws(SinkError) {
    if filled == 0 { return }
    try sink.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<filled]))
    session += FrameCount(filled)
    filled = 0
    renderSync.wrote(upTo: session)
  }

  /// Renders up to `wanted` frames, at most to the next multiple of `RenderLoop.piece`.
  ///
  /// - Returns: how many frames were rendered; 0 if control has to act first.
  private func render(into frames: UnsafeMutablePointer<Frame>, wanting wanted: Int) -> Int {
    // Control handles a sound that has ended too early before more is rendered, so that the frame at which it does so
    // can't depend on the speed of the decoders.
    if mixer.takeEarlyEnd() { return 0 }
    let toEdge = RenderLoop.piece - Int(mixer.position & FrameTime(RenderLoop.piece - 1))
    let count = renderSync.grant(min(wanted, toEdge), at: mixer.position)
    if count == 0 { starvation = nil }
    if count == 0 || !hasData(count) { return 0 }
    mixer.render(into: frames, count: count)
    limiter.process(frames, count: count)
    if mixer.needsData { decoders.kick() }
    return count
  }

  /// Whether the sound of the next `count` frames has been decoded, or the timeout has passed.
  private func hasData(_ count: Int) -> Bool {
    var isDecoded = mixer.hasBuffered(count)
    if !isDecoded {
      let reads = decoders.request()
      if starvation?.reads != reads { starvation = (clock(), reads) }
      // It may have been decoded meanwhile.
      isDecoded = mixer.hasBuffered(count)
    }
    if isDecoded {
      (starvation, hasHaltedMeanwhile) = (nil, false)
      return true
    }
    let timeout = hasHaltedMeanwhile ? Self.readTimeoutAfterHalt : Self.readTimeout
    if let starvation, Double(clock() - starvation.since) < timeout * 1e9 {
      renderSync.retract(to: mixer.position)
      return false
    }
    starvation = nil
    return true
  }
}
