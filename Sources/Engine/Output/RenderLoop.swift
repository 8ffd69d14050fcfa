import Signal

/// Renders, block after block, and hands over to the sink; the same loop live and into files.
///
/// A live loop waits for the listener: the sink's write is its clock. An offline loop waits for the players: before each
/// piece until control has planned beyond it and the feeds hold it. A live loop waits for them too, as long as the
/// listener doesn't notice. It runs on a thread of its own.
final class RenderLoop {
  /// Frames that are rendered at a time, less than half of the smallest ring.
  static let piece = 2_048

  private let mixer: Mixer
  private var limiter: Limiter
  private let feeds: Feeds
  private let horizon: Horizon
  private let sink: any Sink
  private let rate: SampleRate
  private let block: UnsafeMutableBufferPointer<Frame>
  private let scratch: UnsafeMutablePointer<Frame>
  private let start: FrameTime
  private var written: FrameCount = 0
  private var filled = 0

  init(mixer: Mixer, feeds: Feeds, horizon: Horizon, sink: any Sink, rate: SampleRate, blockLength: Int) {
    self.mixer = mixer
    self.feeds = feeds
    self.horizon = horizon
    self.sink = sink
    self.rate = rate
    start = mixer.position
    limiter = Limiter(rate: rate)
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
    fillLimiter()
    while !horizon.hasStopped, start + written + FrameCount(filled) < horizon.endFrame {
      try fillBlock()
      try writeBlock()
    }
    try sink.finish()
  }

  /// The limiter looks ahead: the first frames that it gives back lie before the beginning.
  private func fillLimiter() {
    var missing = limiter.delay
    while 0 < missing {
      let count = min(missing, Self.piece)
      render(into: scratch, count: count)
      missing -= count
    }
  }

  private func fillBlock() throws(SinkError) {
    guard let base = block.baseAddress else { return }
    while filled < block.count, !horizon.hasStopped {
      let untilEnd = horizon.endFrame - (start + written + FrameCount(filled))
      let count = Int(min(FrameCount(min(Self.piece, block.count - filled)), untilEnd))
      if count <= 0 { return }
      render(into: base + filled, count: count)
      filled += count
    }
  }

  private func writeBlock() throws(SinkError) {
    if filled == 0 { return }
    try sink.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(block)[..<filled]))
    written += FrameCount(filled)
    filled = 0
    horizon.handedOver(to: start + written)
  }

  private func render(into frames: UnsafeMutablePointer<Frame>, count: Int) {
    horizon.wait(seconds: patience, toPlan: mixer.position + FrameCount(count))
    if !mixer.holds(count) { feeds.wait(seconds: patience) { mixer.holds(supply) } }
    mixer.render(into: frames, count: count)
    limiter.process(frames, count: count)
    if mixer.isHungry { feeds.kick() }
  }

  /// Once it has to wait, an offline loop lets the feeds run ahead, so that the threads change places less often.
  private var supply: Int { sink.pace == .listener ? Self.piece : 4 * Self.piece }

  /// Seconds that the players may take: no end offline; live, what the listener still has, less 50 ms.
  private var patience: Double {
    guard sink.pace == .listener else { return 3_600 }
    if written == 0 { return 5 }
    return max(0, rate.seconds(written - sink.heard) - 0.05)
  }
}
