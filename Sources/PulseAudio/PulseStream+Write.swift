internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Seconds without room behind which the server is asked whether it is there.
  private static let doubt = 5.0

  /// Takes the whole block, and waits while the server has enough or is away; drops it once the sound is taken back.
  ///
  /// Each piece that is sent wakes two threads, so blocks are put together while enough is in hand.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      staged.append(contentsOf: block)
      try healing { () throws(SinkError) in
        guard isGood else { throw loss }
        if staged.count >= Int(rate.frames(PulseBuffer.piece)) || inHand < PulseBuffer.piece { try sendStaged() }
      }
      isInterrupted = false
    }
  }

  /// Lets a `write` that waits, or the next one, return with the rest staged. From any thread.
  func interrupt() {
    connection.locked {
      isInterrupted = !notes.pointee.isEnding
      connection.wakeAll()
    }
  }

  /// Sends what is put together, and waits for room unless it is interrupted. Under the lock.
  func sendStaged() throws(SinkError) {
    var sent = 0
    defer { staged.removeFirst(isRetracted ? staged.count : sent) }
    while sent < staged.count, !isRetracted {
      let count = try staged.withUnsafeBufferPointer { (staged) throws(SinkError) in
        try writeWhatFits(UnsafeBufferPointer(rebasing: staged[sent...]))
      }
      sent += count
      if count > 0 { continue }
      if isInterrupted { return }
      try waitForRoom()
    }
  }

  private func waitForRoom() throws(SinkError) {
    let isFull = { self.isGood && pa_stream_writable_size(self.stream) < Self.frameBytes }
    connection.wait(upTo: Self.doubt) { isFull() && !isInterrupted && !isRetracted }
    if isFull(), !isInterrupted, !isRetracted, !isHeldUp, !answers() { throw .lost(cause: "no answer") }
  }

  private func answers() -> Bool {
    let wake: pa_stream_success_cb_t = { _, _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) }
    guard let question = pa_stream_update_timing_info(stream, wake, connection.signal) else { return false }
    defer { pa_operation_unref(question) }
    connection.wait(upTo: PulseConnection.patience) {
      pa_operation_get_state(question) == PA_OPERATION_RUNNING && !isInterrupted && !isRetracted
    }
    return pa_operation_get_state(question) != PA_OPERATION_RUNNING || isInterrupted || isRetracted
  }

  /// Seconds that the server has and the listener has not heard. Under the lock.
  private var inHand: Double { rate.seconds((resumesAt ?? history.end) - heard()) }

  /// Writes as much of `block` as there is room for now, and returns how many frames. Under the lock.
  private func writeWhatFits(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) -> Int {
    guard isGood else { throw loss }
    let writable = pa_stream_writable_size(stream)
    guard writable >= 0 else { throw loss }
    // What lies over older frames needs no room of its own: the server counts only what it has not seen before.
    let room = max(writable / Self.frameBytes, Int(history.furthest - (resumesAt ?? history.end)))
    let count = min(block.count, room)
    guard count > 0 else { return 0 }
    let part = UnsafeBufferPointer(rebasing: block[..<count])
    try send(part, at: resumesAt ?? history.end)
    if let start = resumesAt.take() { history.goBack(to: start) }
    history.append(part)
    return count
  }
}
