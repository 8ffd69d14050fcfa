internal import CPulse
internal import Engine
internal import Signal

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
        guard isReady else { throw loss }
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
    guard isReady, staged.isEmpty, !replay.isRewound, !isRetracted else { return }
    sendSilence(seconds: buffer.device + Self.extraSilence)
    if buffer.isRewindable { return probeRewind() }
    // The prebuffer may be longer than the sound and the silence.
    if let operation = pa_stream_trigger(stream, nil, nil) { pa_operation_unref(operation) }
  }

  /// Makes the current `write`, or else the next one, return without waiting; the rest of its frames stays staged. From
  /// any thread.
  func interrupt() {
    connection.locked {
      isInterrupted = !isEnding
      connection.wakeAll()
    }
  }

  /// Sends staged frames while `isDue` is true, and waits for room unless it is interrupted. Under the lock.
  func sendStaged(while isDue: () -> Bool) throws(SinkError) {
    while !staged.isEmpty, !isRetracted, isDue() {
      guard isReady else { throw loss }
      if hasRoom, try sendWhatFits() { continue }
      if isInterrupted { return }
      try waitForRoom(while: isDue)
    }
    if isRetracted { staged.removeAll() }
  }

  /// Sends staged frames when the server requests more. Called by libpulse's thread, under the lock. An error means
  /// that the stream has ended; the next `write` reports it.
  func sendOnRequest() {
    let now = Double(pa_rtclock_now()) / 1e6
    predictor.requested(at: now)
    position.confirm(now: now)
    if !isRetracted, !replay.isRewound, isReady, !isLost, !isReplaying, !staged.isEmpty { _ = try? sendWhatFits() }
    if buffer == .cycles { requestTiming() }
    connection.wakeAll()
  }

  /// Sends as many staged frames as there is room for.
  ///
  /// - Returns: false if there is no room.
  private func sendWhatFits() throws(SinkError) -> Bool {
    let count = try staged.withUnsafeBufferPointer { (staged) throws(SinkError) in try writeWhatFits(staged) }
    staged.removeFirst(count)
    // A request that is sent together with sound costs no additional wake-up.
    let now = pa_rtclock_now()
    let isDue = callbackState.timedAt + Self.timingInterval < now || position.isDoubtful(now: Double(now) / 1e6)
    if 0 < count, isDue { requestTiming() }
    return 0 < count
  }

  /// Waits until the server has room. If it has reported no progress for too long, checks whether it still responds.
  private func waitForRoom(while isDue: () -> Bool) throws(SinkError) {
    probeRewind()
    grow()
    let isFull = { self.isReady && !self.hasRoom && !self.staged.isEmpty }
    // If the server has room, but `buffer` does not permit more yet, the server will send no request. In this case,
    // wait until enough has been played.
    let isExcess = rate.frames(PulseBuffer.least) <= FrameCount(pa_stream_writable_size(stream) / Self.frameBytes)
    let (before, seconds) = (heard(), isExcess ? buffered - capacity + buffer.request : Self.checkInterval)
    connection.wait(upTo: seconds) { isFull() && isDue() && !isInterrupted && !isRetracted }
    guard isFull(), isDue(), !isInterrupted, !isRetracted, !isCorkedOrSuspended, !isExcess || heard() == before else {
      return
    }
    if !answers() {
      throw .lost(cause: "no answer")
    }
  }

  /// Whether there is room for at least as many frames as are worth waking the server for.
  private var hasRoom: Bool {
    let least = buffered < PulseBuffer.safe ? 1 : min(staged.count, Int(rate.frames(PulseBuffer.least)))
    return least <= room
  }

  /// The number of frames for which there is room.
  private var room: Int {
    let writable = pa_stream_writable_size(stream) / Self.frameBytes
    // Frames that replace older ones need no additional room: the server counts only new ones.
    let free = max(writable, Int(replay.furthest - replay.next))
    // Until the server has applied new buffer attributes, it requests more than `buffer` permits.
    return max(0, min(free, Int(rate.frames(capacity - buffered))))
  }

  /// Seconds that the stream and the device may hold together. A device may hold more than was requested, for example
  /// a wireless loudspeaker two seconds. This does not reduce what the stream holds.
  private var capacity: Double {
    let held = pa_stream_get_timing_info(stream).map { self.held($0.pointee) } ?? 0
    return min(buffer.total + max(0, held - buffer.device), PulseBuffer.longest)
  }

  /// Whether the server answers a request within `PulseConnection.answerTimeout`; true if the wait is interrupted.
  private func answers() -> Bool {
    let wake: pa_stream_success_cb_t = { _, _, changed in Broadcast.at(changed)?.call() }
    guard let operation = pa_stream_update_timing_info(stream, wake, connection.changed.pointer) else { return false }
    defer { pa_operation_unref(operation) }
    connection.wait(upTo: PulseConnection.answerTimeout) {
      pa_operation_get_state(operation) == PA_OPERATION_RUNNING && !isInterrupted && !isRetracted
    }
    return pa_operation_get_state(operation) != PA_OPERATION_RUNNING || isInterrupted || isRetracted
  }

  /// Seconds of sound that the server has and that the listener has not heard. Under the lock.
  private var buffered: Double { rate.seconds(replay.next - heard()) }

  /// Writes as much of `block` as there is room for now, and returns how many frames. Under the lock.
  private func writeWhatFits(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) -> Int {
    guard isReady else { throw loss }
    let count = min(block.count, room)
    guard count > 0 else { return 0 }
    // The server has no more sound, so the position must not be extrapolated from the last report.
    if !replay.isRewound, replay.end <= heard() { position.stop() }
    let part = UnsafeBufferPointer(rebasing: block[..<count])
    try send(part, at: replay.next)
    replay.append(part)
    return count
  }
}
