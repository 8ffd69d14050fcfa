internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Seconds without room after which the server is asked whether it still responds.
  private static let doubt = 5.0
  /// Seconds of silence in addition to what the device reads at once.
  private static let silenceBeyondTheDevice = 0.3
  /// Microseconds after which the read position is requested. In between, the monotonic clock is accurate enough.
  private static let timingInterval: UInt64 = 8_000_000

  /// Writes the whole block; waits while the server has enough or is lost, and drops the block once the sound was
  /// retracted. An empty block sends what is staged.
  ///
  /// While the server has a second of sound, new sound is staged until the server requests it. Then libpulse's thread
  /// sends one piece, and the render thread wakes up to stage the next one.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      staged.append(contentsOf: block)
      try healing { () throws(SinkError) in
        guard isGood else { throw loss }
        try sendStaged {
          block.isEmpty || inHand < PulseBuffer.safe || rate.frames(PulseBuffer.piece) <= FrameCount(staged.count)
        }
      }
      if block.isEmpty { standBy() }
      isInterrupted = false
    }
  }

  /// Nothing follows for now: makes the server play what it has, even if that is less than the prebuffer.
  ///
  /// A device that rewinds gets silence after the last frame. Otherwise the stream would run dry as soon as the device
  /// has read the last frame, up to two seconds before it is heard, and PulseAudio does not rewind a stream in an
  /// underrun.
  private func standBy() {
    guard isGood, staged.isEmpty, resumesAt == nil, !isRetracted else { return }
    if buffer.isRewindable {
      sendSilence(seconds: buffer.device + Self.silenceBeyondTheDevice)
      return probeRewind()
    }
    if let operation = pa_stream_trigger(stream, nil, nil) { pa_operation_unref(operation) }
  }

  /// Makes a waiting `write`, or the next one, return with the rest staged. From any thread.
  func interrupt() {
    connection.locked {
      isInterrupted = !isEnding
      connection.wakeAll()
    }
  }

  /// Sends what is staged while it is due, and waits for room unless it is interrupted. Under the lock.
  func sendStaged(while isDue: () -> Bool) throws(SinkError) {
    while !staged.isEmpty, !isRetracted, isDue() {
      guard isGood else { throw loss }
      if hasRoom, try sendWhatFits() { continue }
      if isInterrupted { return }
      try waitForRoom(while: isDue)
    }
    if isRetracted { staged.removeAll() }
  }

  /// The server requests more: called by libpulse's thread, under the lock. An error means that the stream has ended;
  /// the next `write` reports it.
  func sendOnRequest() {
    let now = Double(pa_rtclock_now()) / 1e6
    rhythm.requested(at: now)
    // A new stream first receives what was lost with the old one.
    if !isRetracted, resumesAt == nil, isGood, !isLost, !staged.isEmpty { _ = try? sendWhatFits() }
    if buffer == .cycles { askForTiming() }
    position.confirm(now: now)
    connection.wakeAll()
  }

  /// - Returns: false if there is no room.
  private func sendWhatFits() throws(SinkError) -> Bool {
    let count = try staged.withUnsafeBufferPointer { (staged) throws(SinkError) in try writeWhatFits(staged) }
    staged.removeFirst(count)
    // A request that is sent together with sound costs no additional wake-up.
    if 0 < count, callbackState.timedAt + Self.timingInterval < pa_rtclock_now() { askForTiming() }
    return 0 < count
  }

  private func waitForRoom(while isDue: () -> Bool) throws(SinkError) {
    probeRewind()
    grow()
    let isFull = { self.isGood && !self.hasRoom && !self.staged.isEmpty }
    // The server reports when there is room, but not when its excess has been played.
    let isExcess = rate.frames(PulseBuffer.least) <= FrameCount(pa_stream_writable_size(stream) / Self.frameBytes)
    let (before, seconds) = (heard(), isExcess ? inHand - buffer.total + buffer.request : Self.doubt)
    connection.wait(upTo: seconds) { isFull() && isDue() && !isInterrupted && !isRetracted }
    guard isFull(), isDue(), !isInterrupted, !isRetracted, !isHeldUp, !isExcess || heard() == before else { return }
    if !answers() {
      throw .lost(cause: "no answer")
    }
  }

  /// Whether there is enough room for a write to be worth it.
  private var hasRoom: Bool {
    let least = inHand < PulseBuffer.safe ? 1 : min(staged.count, Int(rate.frames(PulseBuffer.least)))
    return least <= room
  }

  /// The number of frames for which there is room.
  private var room: Int {
    let writable = pa_stream_writable_size(stream) / Self.frameBytes
    // Frames that replace older ones need no additional room: the server counts only new ones.
    let free = max(writable, Int(history.furthest - (resumesAt ?? history.end)))
    // The server requests too much for the device until it has applied the stream's buffer attributes.
    return max(0, min(free, Int(rate.frames(buffer.total - inHand))))
  }

  private func answers() -> Bool {
    let wake: pa_stream_success_cb_t = { _, _, changed in Broadcast.at(changed)?.call() }
    guard let question = pa_stream_update_timing_info(stream, wake, connection.changed.pointer) else { return false }
    defer { pa_operation_unref(question) }
    connection.wait(upTo: PulseConnection.patience) {
      pa_operation_get_state(question) == PA_OPERATION_RUNNING && !isInterrupted && !isRetracted
    }
    return pa_operation_get_state(question) != PA_OPERATION_RUNNING || isInterrupted || isRetracted
  }

  /// Seconds that the server has, and that the listener has not heard. Under the lock.
  private var inHand: Double { rate.seconds((resumesAt ?? history.end) - heard()) }

  /// Writes as much of `block` as there is room for now, and returns how many frames. Under the lock.
  private func writeWhatFits(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) -> Int {
    guard isGood else { throw loss }
    let count = min(block.count, room)
    guard count > 0 else { return 0 }
    // The server has run out of sound, so the position must not be extrapolated from the last report.
    if resumesAt == nil, history.end <= heard() { position.standStill() }
    let part = UnsafeBufferPointer(rebasing: block[..<count])
    try send(part, at: resumesAt ?? history.end)
    if let start = resumesAt.take() { history.goBack(to: start) }
    history.append(part)
    return count
  }
}
