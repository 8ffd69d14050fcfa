import Signal

/// Renders to an output without a listener, such as a file, as fast as the sounds can be decoded.
///
/// It has no thread of its own, and never waits: control calls `advance` whenever it has planned what follows, and
/// sleeps as long as that permits. The mixer's frames are the same however the calls divide them.
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
  private var unprimed: Int
  private var hasStarted = false
  private var isOver = false
  /// Why the sink failed during a halt; the next `advance` reports it.
  private var failure: SinkError?
  /// Since when the next frames are missing, in nanoseconds of `clock`, and the reads that had been completed then; nil
  /// while they are there.
  private var starved: (since: Int64, reads: Int)?
  /// Control has halted the render while a file did not respond.
  private var isAwaited = false
  private let clock: () -> Int64

  /// Seconds after which a render continues without a file that does not respond; this is reported. Once control has
  /// asked for something meanwhile, it waits less.
  private static let (longestRead, longestReadAwaited) = (30.0, 5.0)
  /// Seconds after which a render that waits for sound checks for threads that hang.
  private static let glance = 0.25

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
    unprimed = limiter.delay
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
  /// Control waits by one rule: it may sleep only if this call has changed nothing that control looks at.
  ///
  /// - Returns: for how many seconds control may sleep unless it is woken. 0 if anything has changed; a moment if the
  ///   next frames are being decoded, which wakes it; without limit if control has to plan or to end the render first.
  func advance() -> Double {
    if isOver { return .infinity }
    let before = (mixer.position, renderSync.waitingFrame)
    do throws(SinkError) {
      if let failure { throw failure }
      if !hasStarted { try start() }
      let isWaiting = try !render()
      if isWaiting {
        if starved != nil { return Self.glance }
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
    isAwaited = starved != nil
    mixer.rewind(to: mixer.position)
    renderSync.halted(at: mixer.position)
    return mixer.position
  }

  /// Ends the render, which can't be started.
  func close(_ failure: SinkError?) {
    isOver = true
    if failure != nil { sink.abandon() }
    decoders.close()
    renderSync.close()
    ended(failure)
  }

  /// - Returns: whether the end has been reached; false if control has to act first.
  private func render() throws(SinkError) -> Bool {
    while !renderSync.hasStopped {
      if 0 < unprimed {
        let count = render(into: scratch, wanting: min(unprimed, RenderLoop.piece))
        if count == 0 { return false }
        unprimed -= count
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
    renderSync.handedOver(to: session)
  }

  /// - Returns: how many frames were rendered; 0 if control has to act first.
  private func render(into frames: UnsafeMutablePointer<Frame>, wanting wanted: Int) -> Int {
    // Control must learn of a sound that ends too early at a frame that depends on nothing else.
    if mixer.takeEarlyEnd() { return 0 }
    let toEdge = RenderLoop.piece - Int(mixer.position & FrameTime(RenderLoop.piece - 1))
    let count = renderSync.grant(min(wanted, toEdge), at: mixer.position)
    if count == 0 { starved = nil }
    if count == 0 || !isFed(count) { return 0 }
    mixer.render(into: frames, count: count)
    limiter.process(frames, count: count)
    if mixer.isHungry { decoders.kick() }
    return count
  }

  /// Whether the sound of the next frames has been decoded, or has been waited for long enough.
  private func isFed(_ count: Int) -> Bool {
    var isThere = mixer.holds(count)
    if !isThere {
      let reads = decoders.request()
      if starved?.reads != reads { starved = (clock(), reads) }
      // It may have been decoded meanwhile.
      isThere = mixer.holds(count)
    }
    if isThere {
      (starved, isAwaited) = (nil, false)
      return true
    }
    let patience = isAwaited ? Self.longestReadAwaited : Self.longestRead
    if let starved, Double(clock() - starved.since) < patience * 1e9 {
      renderSync.retract(to: mixer.position)
      return false
    }
    starved = nil
    return true
  }
}
