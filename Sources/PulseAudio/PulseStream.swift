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
  private let ending: Drain
  /// What was written last, and where the next frames belong.
  private var replay: Replay
  /// Frames that the render loop has written, and that were not sent yet.
  private var staged: [Frame] = []
  private var position: ListenerPosition
  private var missing = Underruns()
  /// Whether the current or the next `write` must return without waiting. That `write` resets it.
  private var isInterrupted = false
  /// Whether the stream is new, and must first receive what was lost with the old one.
  private var isReplaying = false
  /// The time of the last timing when a rewind got no answer; nil if every rewind got one.
  private var unansweredSince: UInt64?
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
    ending = Drain(of: link, on: connection)
    replay = Replay(seconds: PulseBuffer.historyLength, at: request.rate)
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
    _ = reading()
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
    connection.locked { (heard(), missing.count(now: pa_rtclock_now())) }
  }

  /// The frame that is heard now.
  private func heard() -> FrameTime {
    if let timing = link.takeTiming() {
      position.reported(
        readIndex: link.readPosition(timing), deviceHolds: watch.held(timing), isPlaying: timing.playing != 0,
        now: Double(link.timedAt) / 1e6)
    }
    let now = Double(min(pa_rtclock_now(), link.lostAt)) / 1e6
    return position.heard(now: now, written: soundEnd)
  }

  /// The position after the last frame that is to be heard.
  private var soundEnd: FrameTime { ending.retractedAt ?? replay.end }

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
      if let seconds = missing.ended(now: pa_rtclock_now()) { request.report(.starved(seconds: seconds)) }
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
        if !begins { watch.query() }
      case .send(let event): request.report(event)
      }
    }
  }

  private func underflowed() {
    if !ending.isEnding, !missing.isReported {
      if let frame = link.missing {
        _ = heard()
        // That may be in the past: a process that was stopped receives the report only when it continues.
        missing.reported(frame, due: UInt64(max(0, position.moment(of: frame)) * 1e6))
      } else {
        missing.reported(replay.end, due: pa_rtclock_now())
      }
      missing.sent(to: link.sentTo, now: pa_rtclock_now())
      if missing.isReported { watch.shrink() }
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
      staged.append(contentsOf: block)
      try recovering { () throws(SinkError) in
        guard link.isReady else { throw link.loss }
        try sendStaged {
          block.isEmpty || buffered < PulseBuffer.safe || rate.frames(PulseBuffer.piece) <= FrameCount(staged.count)
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
    guard link.isReady, staged.isEmpty, !replay.isRewound, !ending.isRetracted else { return }
    sendSilence(seconds: watch.buffer.device + Self.extraSilence)
    if watch.buffer.isRewindable { return probe() }
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
    while !staged.isEmpty, !ending.isRetracted, isDue() {
      guard link.isReady else { throw link.loss }
      if hasRoom, try sendWhatFits() { continue }
      if isInterrupted { return }
      try waitForRoom(while: isDue)
    }
    if ending.isRetracted { staged.removeAll() }
  }

  /// Sends staged frames when the server requests more. An error means that the stream has ended; the next `write`
  /// reports it.
  private func sendOnRequest() {
    position.confirm(now: now)
    if !ending.isRetracted, !replay.isRewound, link.isReady, !isLost, !isReplaying, !staged.isEmpty {
      _ = try? sendWhatFits()
    }
    if watch.buffer == .cycles { link.requestTiming() }
  }

  /// Sends as many staged frames as there is room for.
  ///
  /// - Returns: false if there is no room.
  private func sendWhatFits() throws(SinkError) -> Bool {
    guard link.isReady else { throw link.loss }
    let count = min(staged.count, room)
    if count <= 0 { return false }
    // The server has no more sound, so the position must not be extrapolated from the last report.
    if !replay.isRewound, replay.end <= heard() { position.stop() }
    try staged.withUnsafeBufferPointer { (staged) throws(SinkError) in
      let part = UnsafeBufferPointer(rebasing: staged[..<count])
      try send(part, at: replay.next)
      replay.append(part)
    }
    staged.removeFirst(count)
    // A request that is sent together with sound costs no additional wake-up.
    let now = pa_rtclock_now()
    let isDue = link.timedAt + Self.timingInterval < now || position.isDoubtful(now: Double(now) / 1e6)
    if isDue { link.requestTiming() }
    return true
  }

  /// Sends frames for a position, with the fade-in. They replace the frames that were sent for this position before.
  private func send(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) throws(SinkError) {
    if let faded = replay.faded(frames, at: position) {
      try faded.withUnsafeBufferPointer { (faded) throws(SinkError) in try link.put(faded, at: position) }
    } else {
      try link.put(frames, at: position)
    }
    missing.sent(to: link.sentTo, now: pa_rtclock_now())
  }

  /// Sends silence after the last frame, unless that was done before. An error means that the stream has ended; the
  /// next `write` reports it.
  private func sendSilence(seconds: Double) {
    guard link.sentTo <= replay.end else { return }
    let silence = Array(repeating: Frame.silence, count: Int(rate.frames(seconds)))
    silence.withUnsafeBufferPointer { try? link.put($0, at: replay.end) }
    missing.sent(to: link.sentTo, now: pa_rtclock_now())
  }

  /// Waits until the server has room. If it has reported no progress for too long, checks whether it still responds.
  private func waitForRoom(while isDue: () -> Bool) throws(SinkError) {
    probe()
    watch.grow(ahead: sentEnd - heard())
    let isFull = { self.link.isReady && !self.hasRoom && !self.staged.isEmpty }
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
    let least = buffered < PulseBuffer.safe ? 1 : min(staged.count, Int(rate.frames(PulseBuffer.least)))
    return least <= room
  }

  /// The number of frames for which there is room.
  private var room: Int {
    // Frames that replace older ones need no additional room: the server counts only new ones.
    let free = max(link.writable, Int(replay.furthest - replay.next))
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
  private var buffered: Double { rate.seconds(replay.next - heard()) }

  /// The position after the last frame that the server has, including silence.
  private var sentEnd: FrameTime { max(replay.furthest, link.sentTo) }
}

/// Rewinding: what the server has is replaced.
extension PulseStream {
  /// Microseconds after which a device that supports rewinding has been rewound.
  private static let rewindTimeout: UInt64 = 15_000
  /// Seconds within which the server must report its read position.
  private static let readingTimeout = 0.1
  /// Seconds for which a rewind repeats its requests. Without an answer, a command is heard only after everything that
  /// the server has.
  private static let patience = 0.5

  /// Rewinds to the first frame that can still be replaced. Staged frames are dropped. What the server has plays until
  /// the next `write` replaces it.
  ///
  /// - Returns: the position of the next write; nil if the server does not answer.
  func rewind() -> FrameTime? {
    connection.locked {
      guard !ending.isRetracted, let start = rewindStart() else { return nil }
      staged.removeAll(keepingCapacity: true)
      replay.rewind(to: start, sent: link.sentTo)
      if link.isCorked { replay.fadeIn(at: start) }
      return replay.next
    }
  }

  /// The first frame that the next write can replace; of a lost stream, the first frame that was not heard. Nil if the
  /// server does not answer.
  private func rewindStart() -> FrameTime? {
    // A server that did not answer the last rewind, and has not reported anything since, is asked only once.
    let end = now + (unansweredSince == link.timedAt ? 0 : Self.patience)
    while link.isReady {
      if let start = replaceable(after: RewindTarget.turnaround) { return start }
      if ending.isRetracted || end < now {
        unansweredSince = link.timedAt
        return nil
      }
    }
    // The stream may have been lost during the request.
    return heard()
  }

  /// The first frame that can certainly still be replaced by a message that reaches the server in `transit` seconds;
  /// nil if the server does not answer.
  private func replaceable(after transit: Double) -> FrameTime? {
    var target = RewindTarget(at: rate, after: transit)
    while let reading = reading() {
      switch target.next(reading, isCorked: link.isCorked, in: watch.buffer, watch.rewindSupport) {
      case .frame(let frame): return frame
      case .wait(let seconds): connection.wait(upTo: seconds) { link.isReady }
      case .probe(let reading): probe(at: reading, after: transit)
      }
    }
    return nil
  }

  /// Requests the server's read position, and waits for the answer; nil if it does not arrive within `readingTimeout`.
  private func reading() -> RewindTarget.Reading? {
    let asked = pa_rtclock_now()
    guard let answer = link.requestTiming(waiting: Self.readingTimeout) else {
      connection.wait(upTo: Self.readingTimeout) { link.isReady && !ending.isRetracted }
      return nil
    }
    guard answer == PA_OPERATION_DONE, let timing = link.timing else { return nil }
    let hasCycles = watch.buffer == .cycles
    var reading = RewindTarget.Reading(
      read: link.readPosition(timing), left: Double(timing.sink_usec) / 1e6,
      period: Double(timing.configured_sink_usec) / 1e6, isPlaying: timing.playing != 0,
      waited: Double(pa_rtclock_now() - asked) / 1e6, tolerance: hasCycles ? 0 : RewindTarget.lateness)
    if hasCycles, let next = link.nextRead(at: Double(asked) / 1e6) {
      (reading.left, reading.period, reading.tolerance) = (next.left, next.length, ReadCyclePredictor.lateness)
      // At most one read is late: PipeWire does not make up for those that it has missed.
      let latest = reading.read + rate.frames(next.length)
      if reading.isPlaying { reading.read = max(reading.read, min(next.position, latest)) }
    }
    return reading
  }

  /// Tests whether the device can be rewound, before a command depends on it.
  private func probe() {
    guard watch.rewindSupport == .unknown, watch.buffer.isRewindable, !replay.isRewound, !link.isStopped,
      let reading = reading()
    else { return }
    probe(at: reading, after: RewindTarget.turnaround)
  }

  /// Sends frames that the device already holds once more, and checks whether the server's read position moves back.
  /// Some devices, such as PulseAudio's combined outputs, can't be rewound although their flags say so.
  private func probe(at reading: RewindTarget.Reading, after transit: Double) {
    guard
      let half = RewindTarget.probe(
        of: replay, until: sentEnd, reading, in: watch.buffer, at: rate, after: transit)
    else { return }
    let (start, end, wasRetracted) = (pa_rtclock_now(), sentEnd, ending.isRetracted)
    resend(half)
    var isRewound = false
    while link.isReady, !isRewound, pa_rtclock_now() < start + Self.rewindTimeout, let reading = self.reading() {
      isRewound = reading.read <= half.upperBound
    }
    // A retraction during these requests has already replaced the rest.
    if ending.isRetracted, !wasRetracted { return }
    resend(half.upperBound..<replay.end)
    if replay.end < end { sendSilence(seconds: rate.seconds(end - replay.end)) }
    if link.isReady { watch.probed(isRewound: isRewound) }
  }

  /// Sends frames once more. An error means that the stream has ended; the next `write` reports it.
  private func resend(_ range: Range<FrameTime>) {
    try? replay[range].withUnsafeBufferPointer { (frames) throws(SinkError) in
      try send(frames, at: range.lowerBound)
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
    let lost = replay.restart(heard: heard())
    isReplaying = true
    defer { isReplaying = false }
    do throws(SinkError) {
      try reopen(at: lost)
      if ending.isRetracted { return false }
      try replay.unheard(from: lost).withUnsafeBufferPointer { (unheard) throws(SinkError) in
        if !unheard.isEmpty { try send(unheard, at: lost) }
      }
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
    missing.forget()
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
      guard link.isReady, replay.end > 0 else { return ending.cut(at: soundEnd) }
      guard let start = replaceable(after: RewindTarget.transit) else {
        if isAgain { ending.giveUp() }
        // The position for a fade-out is unknown.
        ending.cut(at: heard())
        return link.flush()
      }
      fadeOut(from: max(start, replay.oldest), over: ramp)
    }
  }

  /// Sends the fade-out and silence in place of the sound from `start` on.
  private func fadeOut(from start: FrameTime, over ramp: FrameCount) {
    let last = min(start + max(0, ramp), soundEnd)
    ending.cut(at: last)
    if start < last {
      replay.fadeOut(over: start..<last)
      // This is sent at once, because the server continues to read. An error means that the stream has ended; the drain
      // reports it.
      resend(start..<last)
    }
    silence(from: last)
  }

  /// Replaces everything after `end` by silence, because a drain would still play it. The server ends a stream at the
  /// position that was written last, so the last write is one frame at `end`.
  private func silence(from end: FrameTime) {
    guard end < sentEnd else { return }
    let silence = Array(repeating: Frame.silence, count: Int(sentEnd - end))
    silence.withUnsafeBufferPointer {
      try? send($0, at: end)
      try? send(UnsafeBufferPointer(rebasing: $0[..<1]), at: end)
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
          _ = reading()
          return rate.seconds(soundEnd - heard())
        }
        if isDrained { return position.finish(at: soundEnd) }
        if ending.isRetracted { return }
        guard link.isReady else { throw link.loss }
        if reading() == nil { throw .lost(cause: "no answer") }
      }
    }
  }

  /// Waits for the last frame if it is heard soon and silence was sent after it. In this case, a drain of the server
  /// would last until the device's next refill. A device that can't be rewound holds little, and may play its last
  /// frames later than it reports.
  ///
  /// - Returns: whether the last frame has been heard.
  private func hasBeenHeard() -> Bool {
    guard link.isReady, watch.buffer.isRewindable, !ending.isRetracted, staged.isEmpty, !replay.isRewound,
      replay.end < sentEnd
    else { return false }
    let rest = rate.seconds(replay.end - heard())
    guard rest <= Self.nearlyOver else { return false }
    connection.wait(upTo: rest + 0.001) { link.isReady && !ending.isRetracted }
    return link.isReady && !ending.isRetracted && replay.end <= heard()
  }

  /// Sends all staged frames, and ends the stream after them.
  private func sendRemaining() throws(SinkError) {
    guard link.isReady || ending.isRetracted else { throw link.loss }
    try sendStaged { true }
    if ending.isRetracted { return }
    replay.cut()
    silence(from: replay.end)
  }
}
