internal import CPulse
internal import Engine
internal import Signal

/// A stream of stereo floats that plays on a sound server. It outlives libpulse's stream: after a loss, a new one
/// continues with the first frame that was not heard.
///
/// Positions count frames from the first frame that was written.
///
/// `@unchecked Sendable` holds because all properties are accessed only under the connection's lock, except in `init`,
/// when no other thread has the object.
final class PulseStream: @unchecked Sendable {
  private let connection: PulseConnection
  private let link: StreamLink
  private let watch: DeviceWatch
  private let sent: SentSound
  private let ending: Drain
  private let rewinder: Rewinder
  private let position: ListenerPosition
  private let staged: StagedSound
  private let recovery: Recovery

  /// Connects to the server and opens the stream. If the server is lost meanwhile, or does not exist yet and the policy
  /// waits for it, this succeeds, and the first `write` waits for the server.
  ///
  /// - Parameter isWanted: called while the server does not answer; returns false to cancel.
  init(
    on connection: PulseConnection, _ request: PulseRequest, while isWanted: () -> Bool
  ) throws(SinkError) {
    self.connection = connection
    let link = try connection.locked { () throws(SinkError) in try StreamLink(on: connection, request) }
    self.link = link
    watch = DeviceWatch(of: link)
    sent = SentSound(of: link)
    ending = Drain(of: link, sent)
    rewinder = Rewinder(of: link, watch, sent, ending)
    position = ListenerPosition(of: link, watch, ending)
    staged = StagedSound(of: link, watch, sent, ending, rewinder, position)
    recovery = Recovery(of: link, watch, sent, ending, rewinder, position)
    try connection.locked { () throws(SinkError) in
      // A callback may arrive while a stream whose connection has failed is being released.
      link.notify = { [weak self] in self?.received($0) }
      try recovery.open(while: isWanted)
    }
  }

  deinit { end() }

  /// Ends libpulse's stream; later calls do nothing. The owner calls it before it releases this object, because a
  /// callback that held the last reference would run `deinit` on libpulse's thread, which must not take the lock.
  func end() {
    connection.locked {
      watch.stop()
      link.end()
    }
  }

  /// Frames heard and underruns so far. From any thread.
  func counts() -> (heard: FrameTime, underruns: Int) {
    connection.locked { (position.heard(), sent.underruns.count(now: pa_rtclock_now())) }
  }
}

/// What the server reports, on libpulse's thread.
extension PulseStream {
  private func received(_ event: StreamLink.Event) {
    switch event {
    case .failed: if link.isOpen, !recovery.isLost, !ending.isRetracted { recovery.lose(link.loss) }
    case .changed: break
    case .requested:
      position.confirm()
      if !recovery.isPending { staged.sendOnRequest() }
      // A server that requests sound has played some.
      if watch.buffer == .cycles || !position.isPlaying { link.requestTiming() }
    case .timed: return timed()
    case .underflowed: return underflowed()
    case .started:
      if let seconds = sent.underruns.ended(now: pa_rtclock_now()) { link.request.report(.starved(seconds: seconds)) }
      return link.requestTiming()
    case .moved:
      link.requestTiming()
      watch.moved()
    case .suspended:
      link.requestTiming()
      watch.handle(.suspended(link.isSuspended))
    case .corkRequested(let begins): watch.handle(.corkRequested(begins))
    }
    connection.wakeAll()
  }

  private func timed() {
    watch.timed()
    let wasPlaying = position.isPlaying
    _ = position.heard()
    // A `write` may be waiting for the position to advance.
    if !wasPlaying, position.isPlaying { connection.wakeAll() }
  }

  private func underflowed() {
    if !ending.isEnding, !sent.underruns.isReported {
      _ = position.heard()
      // That may be in the past: a process that was stopped receives the report only when it continues.
      sent.underflowed { UInt64(max(0, self.position.moment(of: $0)) * 1e6) }
      if sent.underruns.isReported { watch.shrink() }
    }
    link.requestTiming()
  }
}

/// Writing.
extension PulseStream {
  /// Seconds of silence, in addition to what the device holds, that are sent after the last frame.
  private static let extraSilence = 0.3

  /// Writes the whole block. Waits while the server has enough sound or is lost. After a retraction, drops the block.
  /// An empty block sends what is staged.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      staged.append(block)
      try recovery.recovering { () throws(SinkError) in
        guard link.isReady else { throw link.loss }
        try staged.send(isLast: block.isEmpty)
      }
      if block.isEmpty { playOut() }
      ending.written()
    }
  }

  /// Makes the server play everything that it has, because nothing follows for now: sends silence after the last frame.
  ///
  /// Without the silence, the stream would underrun before the last frame is heard. PulseAudio does not rewind a stream
  /// in an underrun, and PipeWire does not read the last frames if they do not fill a cycle.
  private func playOut() {
    guard isAllSent else { return }
    sent.sendSilence(seconds: watch.buffer.device + Self.extraSilence)
    if watch.buffer.isRewindable { return rewinder.probe() }
    // The prebuffer may be longer than the sound and the silence.
    link.trigger()
  }

  /// Whether the server has everything that was written.
  private var isAllSent: Bool {
    link.isReady && staged.isEmpty && !sent.replay.isRewound && !ending.isRetracted
  }

  /// Makes the current `write`, or else the next one, return without waiting; the rest of its frames stays staged. From
  /// any thread.
  func interrupt() {
    connection.locked {
      ending.interrupt()
      connection.wakeAll()
    }
  }

  /// Rewinds to the first frame that can still be replaced; of a lost stream, to the first frame that was not heard.
  /// Staged frames are dropped. What the server has plays until the next `write` replaces it.
  ///
  /// - Returns: the position of the next write; nil if the server does not answer.
  func rewind() -> FrameTime? {
    connection.locked {
      // The stream may have been lost during the request.
      guard !ending.isRetracted, let start = rewinder.start() ?? (link.isReady ? nil : position.heard()) else {
        return nil
      }
      staged.drop()
      return sent.rewind(to: start, fadesIn: link.isCorked)
    }
  }

  /// After a rewind, moves the next write to the first frame that can be replaced now.
  ///
  /// - Returns: the new position of the next write; nil if it stays.
  func postpone() -> FrameTime? {
    connection.locked {
      guard sent.replay.isRewound, link.isReady, !ending.isRetracted, let first = rewinder.postpone(),
        sent.replay.next < first
      else { return nil }
      return sent.rewind(to: first, fadesIn: false)
    }
  }
}

/// The end of the stream: a retraction, or a drain.
extension PulseStream {
  /// With at most this many seconds left, `drain` waits for the last frame without requesting a drain of the server.
  private static let nearlyOver = 0.02

  /// Drops everything that is written, because the sound was retracted before the stream was open.
  func drop() { connection.locked { _ = ending.retract() } }

  /// Replaces the sound that has not been heard by its own fade-out and silence, and lets a waiting `write` return. A
  /// second call shortens the rest of the fade-out. From any thread.
  func retract(over ramp: FrameCount) {
    connection.locked {
      // A drain may be waiting for sound that is now dropped.
      defer { connection.wakeAll() }
      let isAgain = ending.retract()
      connection.wakeAll()
      guard link.isReady, sent.replay.end > 0 else { return ending.cut(at: ending.position) }
      guard let start = rewinder.replaceable(after: RewindTarget.transit) else {
        if isAgain { ending.giveUp() }
        // The position for a fade-out is unknown.
        ending.cut(at: position.heard())
        return link.flush()
      }
      ending.fadeOut(from: start, over: ramp)
    }
  }

  /// Waits until the last frame has been heard, but at most a second longer than the rest of the sound lasts. If the
  /// server still answers then, it has stopped playing or plays too slowly, and the rest of the sound is dropped.
  func drain() throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      ending.begin()
      try recovery.recovering { () throws(SinkError) in
        if hasBeenHeard() { return }
        guard link.isReady || ending.isRetracted else { throw link.loss }
        try staged.send(isLast: true)
        if !ending.isRetracted { sent.end() }
        let isDrained = ending.play {
          rewinder.reading()
          return link.rate.seconds(ending.position - position.heard())
        }
        if isDrained { return position.finish() }
        if ending.isRetracted { return }
        guard link.isReady else { throw link.loss }
        if rewinder.reading() == nil { throw .lost(cause: "no answer") }
      }
    }
  }

  /// Waits for the last frame if it is heard soon and silence was sent after it. In this case, a drain of the server
  /// would last until the device's next refill. A device that can't be rewound holds little, and may play its last
  /// frames later than it reports.
  ///
  /// - Returns: whether the last frame has been heard.
  private func hasBeenHeard() -> Bool {
    guard isAllSent, watch.buffer.isRewindable, sent.replay.end < sent.sentEnd else { return false }
    let rest = link.rate.seconds(sent.replay.end - position.heard())
    guard rest <= Self.nearlyOver else { return false }
    connection.wait(upTo: rest + 0.001) { link.isReady && !ending.isRetracted }
    return link.isReady && !ending.isRetracted && sent.replay.end <= position.heard()
  }
}
