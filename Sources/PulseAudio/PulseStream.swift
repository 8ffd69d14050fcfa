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
  private let request: PulseRequest
  private let link: StreamLink
  private let watch: DeviceWatch
  private let sound: SendBuffer
  private let ending: Drain
  private let rewinder: Rewinder
  private var position: ListenerPosition
  /// Whether the current or the next `write` must return without waiting. That `write` resets it.
  private var isInterrupted = false
  /// Whether the stream is new, and must first receive what was lost with the old one.
  private var isReplaying = false
  private var rate: SampleRate { request.rate }

  /// Connects to the server and opens the stream. If the server is lost meanwhile, or does not exist yet and the policy
  /// waits for it, this succeeds, and the first `write` waits for the server.
  ///
  /// - Parameter isWanted: called while the server does not answer; returns false to cancel.
  init(
    on connection: PulseConnection, _ request: PulseRequest, while isWanted: () -> Bool
  ) throws(SinkError) {
    self.connection = connection
    self.request = request
    let link = try connection.locked { () throws(SinkError) in try StreamLink(on: connection, request) }
    self.link = link
    watch = DeviceWatch(of: link, on: connection, request)
    sound = SendBuffer(of: link)
    ending = Drain(of: link, on: connection, sound)
    rewinder = Rewinder(of: link, on: connection, watch, sound, ending)
    position = ListenerPosition(rate: request.rate)
    try connection.locked { () throws(SinkError) in
      // A callback may arrive while a stream whose connection has failed is being released.
      link.notify = { [weak self] in self?.received($0) }
      watch.tell = { [weak self] in self?.handle($0) }
      do throws(SinkError) {
        try connection.connect(while: isWanted)
        try connect(while: isWanted)
      } catch {
        guard canWait(after: error) else { throw error }
        lose(error)
      }
    }
  }

  /// Whether the stream may start without its server or its device.
  private func canWait(after error: SinkError) -> Bool {
    switch error {
    // The server had answered before: it is lost, not missing.
    case .lost: !connection.isReady
    case .noServer, .noSuchDevice: request.policy.waitsForServer
    default: false
    }
  }

  private func connect(while isWanted: () -> Bool) throws(SinkError) {
    watch.start(try link.connect(while: isWanted))
    // The first timing shows what the device holds, which determines the buffer.
    rewinder.reading()
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
    connection.locked { (heard(), sound.underruns.count(now: pa_rtclock_now())) }
  }

  /// The frame that is heard now.
  private func heard() -> FrameTime {
    if let timing = link.takeTiming() {
      position.reported(
        readIndex: link.readPosition(timing), deviceHolds: watch.held(timing), isPlaying: timing.playing != 0,
        now: Double(link.timedAt) / 1e6)
    }
    let now = Double(min(pa_rtclock_now(), link.lostAt)) / 1e6
    return position.heard(now: now, written: ending.position)
  }

  /// Seconds of the monotonic clock.
  private var now: Double { Double(pa_rtclock_now()) / 1e6 }
}

/// What the server reports, on libpulse's thread.
extension PulseStream {
  private func received(_ event: StreamLink.Event) {
    switch event {
    case .failed: if link.isOpen, !isLost, !ending.isRetracted { lose(link.loss) }
    case .changed: break
    case .requested: sendOnRequest()
    case .timed: return watch.timed()
    case .underflowed: return underflowed()
    case .started:
      if let seconds = sound.underruns.ended(now: pa_rtclock_now()) { request.report(.starved(seconds: seconds)) }
      return link.requestTiming()
    case .moved:
      link.requestTiming()
      watch.moved()
    case .suspended:
      link.requestTiming()
      handle(.suspended(link.isSuspended))
    case .corkRequested(let begins): handle(.corkRequested(begins))
    }
    connection.wakeAll()
  }

  /// Passes a change to the policy and executes the actions that follow.
  private func handle(_ change: StreamChange, at now: UInt64 = pa_rtclock_now()) {
    for action in request.policy.handle(change, at: Double(now) / 1e6) {
      switch action {
      // A server that does not respond properly gets no more requests.
      case .disconnect: if link.isReady { connection.disconnect() }
      case .cork(let begins):
        link.cork(begins)
        link.requestTiming()
        // The device may have been suspended in the meantime. If that was because it was idle, the end of the cork has
        // resumed it before the server answers this.
        if begins { watch.queryCork() } else { watch.query() }
      case .send(let event): request.report(event)
      }
    }
  }

  private func underflowed() {
    if !ending.isEnding, !sound.underruns.isReported {
      _ = heard()
      // That may be in the past: a process that was stopped receives the report only when it continues.
      sound.underflowed { UInt64(max(0, self.position.moment(of: $0)) * 1e6) }
      if sound.underruns.isReported { watch.shrink() }
    }
    link.requestTiming()
  }
}

/// Writing: frames are staged, and sent when the server has room.
extension PulseStream {
  /// Seconds without room after which the stream checks whether the server still responds.
  private static let checkInterval = 5.0
  /// Seconds of silence, in addition to what the device holds, that are sent after the last frame.
  private static let extraSilence = 0.3
  /// Microseconds after which a timing is requested. In between, extrapolation by the monotonic clock is accurate
  /// enough.
  private static let timingInterval: UInt64 = 8_000_000

  /// Writes the whole block. Waits while the server has enough sound or is lost. After a retraction, drops the block.
  /// An empty block sends what is staged.
  ///
  /// While at least `PulseBuffer.safe` is buffered, new frames are staged until the server requests sound. Then
  /// libpulse's thread sends one piece, and the render thread wakes up to stage the next one.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      sound.stage(block)
      try recovering { () throws(SinkError) in
        guard link.isReady else { throw link.loss }
        try sendStaged {
          block.isEmpty || buffered < PulseBuffer.safe
            || rate.frames(PulseBuffer.piece) <= FrameCount(sound.staged.count)
        }
      }
      if block.isEmpty { playOut() }
      isInterrupted = false
    }
  }

  /// Makes the server play everything that it has, because nothing follows for now: sends silence after the last frame.
  ///
  /// Without the silence, the stream would underrun before the last frame is heard. PulseAudio does not rewind a stream
  /// in an underrun, and PipeWire does not read the last frames if they do not fill a cycle.
  private func playOut() {
    guard link.isReady, sound.staged.isEmpty, !sound.replay.isRewound, !ending.isRetracted else { return }
    sound.sendSilence(seconds: watch.buffer.device + Self.extraSilence)
    if watch.buffer.isRewindable { return rewinder.probe() }
    // The prebuffer may be longer than the sound and the silence.
    link.trigger()
  }

  /// Makes the current `write`, or else the next one, return without waiting; the rest of its frames stays staged. From
  /// any thread.
  func interrupt() {
    connection.locked {
      isInterrupted = !ending.isEnding
      connection.wakeAll()
    }
  }

  /// Sends staged frames while `isDue` is true, and waits for room unless it is interrupted.
  private func sendStaged(while isDue: () -> Bool) throws(SinkError) {
    while !sound.staged.isEmpty, !ending.isRetracted, isDue() {
      guard link.isReady else { throw link.loss }
      if hasRoom, try sendWhatFits() { continue }
      if isInterrupted { return }
      try waitForRoom(while: isDue)
    }
    if ending.isRetracted { sound.dropStaged() }
  }

  /// Sends staged frames when the server requests more. An error means that the stream has ended; the next `write`
  /// reports it.
  private func sendOnRequest() {
    position.confirm(now: now)
    if !ending.isRetracted, !sound.replay.isRewound, link.isReady, !isLost, !isReplaying, !sound.staged.isEmpty {
      _ = try? sendWhatFits()
    }
    if watch.buffer == .cycles { link.requestTiming() }
  }

  /// Sends as many staged frames as there is room for.
  ///
  /// - Returns: false if there is no room.
  private func sendWhatFits() throws(SinkError) -> Bool {
    guard link.isReady else { throw link.loss }
    let count = min(sound.staged.count, room)
    if count <= 0 { return false }
    // The server has no more sound, so the position must not be extrapolated from the last report.
    if !sound.replay.isRewound, sound.replay.end <= heard() { position.stop() }
    try sound.sendStaged(count)
    // A request that is sent together with sound costs no additional wake-up.
    let now = pa_rtclock_now()
    let isDue = link.timedAt + Self.timingInterval < now || position.isDoubtful(now: Double(now) / 1e6)
    if isDue { link.requestTiming() }
    return true
  }

  /// Waits until the server has room. If it has reported no progress for too long, checks whether it still responds.
  private func waitForRoom(while isDue: () -> Bool) throws(SinkError) {
    rewinder.probe()
    watch.grow(ahead: sound.sentEnd - heard())
    let isFull = { self.link.isReady && !self.hasRoom && !self.sound.staged.isEmpty }
    let isWanted = { !self.isInterrupted && !self.ending.isRetracted }
    // If the server has room, but the buffer does not permit more yet, the server will send no request. In this case,
    // wait until enough has been played.
    let isExcess = rate.frames(PulseBuffer.least) <= FrameCount(link.writable)
    let (before, seconds) = (heard(), isExcess ? buffered - capacity + watch.buffer.request : Self.checkInterval)
    connection.wait(upTo: seconds) { isFull() && isDue() && isWanted() }
    guard isFull(), isDue(), isWanted(), !link.isStopped, !isExcess || heard() == before else { return }
    let answer = link.requestTiming(waiting: PulseConnection.answerTimeout, while: isWanted)
    if answer == nil || answer == PA_OPERATION_RUNNING && isWanted() { throw .lost(cause: "no answer") }
  }

  /// Whether there is room for at least as many frames as are worth waking the server for.
  private var hasRoom: Bool {
    let least = buffered < PulseBuffer.safe ? 1 : min(sound.staged.count, Int(rate.frames(PulseBuffer.least)))
    return least <= room
  }

  /// The number of frames for which there is room.
  private var room: Int {
    // Frames that replace older ones need no additional room: the server counts only new ones.
    let free = max(link.writable, Int(sound.replay.furthest - sound.replay.next))
    // Until the server has applied new buffer attributes, it requests more than the buffer permits.
    return max(0, min(free, Int(rate.frames(capacity - buffered))))
  }

  /// Seconds that the stream and the device may hold together. A device may hold more than was requested, for example
  /// a wireless loudspeaker two seconds. This does not reduce what the stream holds.
  private var capacity: Double {
    let held = link.timing.map { watch.held($0) } ?? 0
    return min(watch.buffer.total + max(0, held - watch.buffer.device), PulseBuffer.longest)
  }

  /// Seconds of sound that the server has and that the listener has not heard.
  private var buffered: Double { rate.seconds(sound.replay.next - heard()) }

  /// Rewinds to the first frame that can still be replaced; of a lost stream, to the first frame that was not heard.
  /// Staged frames are dropped. What the server has plays until the next `write` replaces it.
  ///
  /// - Returns: the position of the next write; nil if the server does not answer.
  func rewind() -> FrameTime? {
    connection.locked {
      // The stream may have been lost during the request.
      guard !ending.isRetracted, let start = rewinder.start() ?? (link.isReady ? nil : heard()) else { return nil }
      return sound.rewind(to: start, fadesIn: link.isCorked)
    }
  }
}

/// Recovery after the server, its device or the stream was lost.
extension PulseStream {
  /// Calls `work`. If it fails because the stream was lost, waits for a new stream and calls it again, until it
  /// succeeds or the wait is cancelled.
  private func recovering(_ work: () throws(SinkError) -> Void) throws(SinkError) {
    while true {
      do throws(SinkError) { return try work() } catch {
        guard try recover(error) else { return }
      }
    }
  }

  /// Waits until the sound continues on a new stream.
  ///
  /// - Returns: false if the wait was interrupted, or the sound was retracted.
  /// - Throws: why the sound was lost, if the policy gives up.
  private func recover(_ error: SinkError) throws(SinkError) -> Bool {
    if !isLost { lose(error) }
    while !ending.isRetracted, !isInterrupted {
      switch request.policy.recovery(at: now) {
      case .giveUp(let error): throw error
      case .wait(let seconds): connection.wait(upTo: seconds) { !ending.isRetracted && !isInterrupted }
      case .retry: if resume() { return true }
      case nil: return true
      }
    }
    return false
  }

  /// Whether the stream waits for the server.
  private var isLost: Bool { request.policy.recovery(at: now) != nil }

  /// Records that the stream is lost. The position heard stops at the time of the loss.
  private func lose(_ error: SinkError) {
    handle(.failed(error), at: min(pa_rtclock_now(), link.lostAt))
    _ = heard()
    position.stop()
  }

  /// Tries once to continue on a new stream, from the first frame that was not heard. There is room for all frames that
  /// are sent again, because there was on the old stream.
  ///
  /// - Returns: whether it succeeded.
  private func resume() -> Bool {
    let lost = sound.replay.restart(heard: heard())
    isReplaying = true
    defer { isReplaying = false }
    do throws(SinkError) {
      try reopen(at: lost)
      if ending.isRetracted { return false }
      try sound.sendUnheard(from: lost)
      return true
    } catch {
      // An interrupted attempt says nothing about the server.
      if !isInterrupted, !ending.isRetracted { handle(.failed(error)) }
      return false
    }
  }

  /// Opens a new stream whose first frame has the position `position`.
  private func reopen(at position: FrameTime) throws(SinkError) {
    let isWanted = { !self.ending.isRetracted && !self.isInterrupted }
    try link.reopen(at: position, while: isWanted)
    watch.stop()
    sound.underruns.forget()
    try connect(while: isWanted)
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
      guard link.isReady, sound.replay.end > 0 else { return ending.cut(at: ending.position) }
      guard let start = rewinder.replaceable(after: RewindTarget.transit) else {
        if isAgain { ending.giveUp() }
        // The position for a fade-out is unknown.
        ending.cut(at: heard())
        return link.flush()
      }
      ending.fadeOut(from: start, over: ramp)
    }
  }

  /// Waits until the last frame has been heard, but at most a second longer than the rest of the sound lasts. If the
  /// server still answers then, it has stopped playing or plays too slowly, and the rest of the sound is dropped.
  func drain() throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      isInterrupted = false
      ending.begin()
      try recovering { () throws(SinkError) in
        if hasBeenHeard() { return }
        try sendRemaining()
        let isDrained = ending.play {
          rewinder.reading()
          return rate.seconds(ending.position - heard())
        }
        if isDrained { return position.finish(at: ending.position) }
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
    guard link.isReady, watch.buffer.isRewindable, !ending.isRetracted, sound.staged.isEmpty,
      !sound.replay.isRewound, sound.replay.end < sound.sentEnd
    else { return false }
    let rest = rate.seconds(sound.replay.end - heard())
    guard rest <= Self.nearlyOver else { return false }
    connection.wait(upTo: rest + 0.001) { link.isReady && !ending.isRetracted }
    return link.isReady && !ending.isRetracted && sound.replay.end <= heard()
  }

  /// Sends all staged frames, and ends the stream after them.
  private func sendRemaining() throws(SinkError) {
    guard link.isReady || ending.isRetracted else { throw link.loss }
    try sendStaged { true }
    if ending.isRetracted { return }
    sound.end()
  }
}
