internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Takes the whole block, and waits while the server has enough; drops it once the sound is taken back.
  ///
  /// Each piece that is sent wakes two threads, so blocks are put together while enough is in hand.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      guard isGood else { throw .lost(cause: connection.lastError) }
      staged.append(contentsOf: block)
      if staged.count >= Int(rate.frames(PulseBuffer.piece)) || inHand < PulseBuffer.piece { try sendStaged() }
      isInterrupted = false
    }
  }

  /// Lets a `write` that waits, or the next one, return with the rest staged. From any thread.
  func interrupt() {
    connection.locked {
      isInterrupted = true
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
      pa_threaded_mainloop_wait(connection.loop)
    }
  }

  /// Seconds that the server has and the listener has not heard. Under the lock.
  private var inHand: Double { rate.seconds((resumesAt ?? history.end) - heard()) }

  /// Writes as much of `block` as there is room for now, and returns how many frames. Under the lock.
  private func writeWhatFits(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) -> Int {
    guard isGood else { throw .lost(cause: connection.lastError) }
    let writable = pa_stream_writable_size(stream)
    guard writable >= 0 else { throw .lost(cause: connection.lastError) }
    // What lies over older frames needs no room of its own: the server counts only what it has not seen before.
    let room = max(writable / Self.frameBytes, Int(history.furthest - (resumesAt ?? history.end)))
    let count = min(block.count, room)
    guard count > 0 else { return 0 }
    let part = UnsafeBufferPointer(rebasing: block[..<count])
    try send(part, at: resumesAt)
    if let start = resumesAt.take() { history.goBack(to: start) }
    history.append(part)
    return count
  }

  /// Sends frames behind what was sent before, or to an absolute position. Under the lock.
  func send(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime?) throws(SinkError) {
    let offset = (position ?? 0) * Int64(Self.frameBytes)
    let seek = position == nil ? PA_SEEK_RELATIVE : PA_SEEK_ABSOLUTE
    let bytes = frames.count * Self.frameBytes
    guard pa_stream_write(stream, frames.baseAddress, bytes, nil, offset, seek) >= 0 else {
      throw .lost(cause: connection.lastError)
    }
  }
}
