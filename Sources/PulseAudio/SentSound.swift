internal import CPulse
internal import Engine
internal import Signal

/// The sound that was sent to the server last. It may have to be sent again, or replaced.
///
/// Everything is called under the connection's lock.
final class SentSound {
  private let link: StreamLink
  /// The last frames, and where the next ones belong.
  private(set) var replay: Replay
  let underruns = Underruns()

  init(of link: StreamLink) {
    self.link = link
    replay = Replay(seconds: PulseBuffer.historyLength, at: link.rate)
  }

  /// The position after the last frame that the server has, including silence.
  var sentEnd: FrameTime { max(replay.furthest, link.sentTo) }

  /// Sends the next frames.
  func send(_ frames: UnsafeBufferPointer<Frame>) throws(SinkError) {
    guard let mixed = replay.crossfaded(frames) else { return try append(frames) }
    try mixed.withUnsafeBufferPointer { (mixed) throws(SinkError) in try append(mixed) }
  }

  private func append(_ frames: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try send(frames, at: replay.next)
    replay.append(frames)
  }

  /// The next frames, after a rewind, are too late to be heard before `position`: what they replace crossfades to them
  /// there.
  func crossfade(at position: FrameTime) { replay.crossfade(at: position) }

  /// Makes the next frames replace what the server has from `position` on. Until then that plays.
  ///
  /// - Parameter fadesIn: whether the sound fades in at that position.
  /// - Returns: the position of the next frame.
  func rewind(to position: FrameTime, fadesIn: Bool) -> FrameTime {
    replay.rewind(to: position, sent: link.sentTo)
    if fadesIn { replay.fadeIn(at: position) }
    return replay.next
  }

  /// Sends frames once more. An error means that the stream has ended; the next `write` reports it.
  func resend(_ range: Range<FrameTime>) {
    try? replay[range].withUnsafeBufferPointer { (frames) throws(SinkError) in
      try send(frames, at: range.lowerBound)
    }
  }

  /// Sends what was not heard to a new stream, whose first frame has the position `position`.
  func sendUnheard(from position: FrameTime) throws(SinkError) {
    try replay.unheard(from: position).withUnsafeBufferPointer { (unheard) throws(SinkError) in
      if !unheard.isEmpty { try send(unheard, at: position) }
    }
  }

  /// Sends silence after the last frame, unless that was done before. An error means that the stream has ended; the
  /// next `write` reports it.
  func sendSilence(seconds: Double) {
    guard link.sentTo <= replay.end else { return }
    let silence = Array(repeating: Frame.silence, count: Int(link.rate.frames(seconds)))
    silence.withUnsafeBufferPointer { try? send($0, at: replay.end) }
  }

  /// Ends the sound with the last frame that was sent: nothing replaces it any more, and silence follows.
  func end() {
    replay.cut()
    silence(from: replay.end)
  }

  /// Sends a fade-out from `start` to `end`, and silence after it, in place of the sound. This is sent at once, because
  /// the server continues to read. An error means that the stream has ended; the drain reports it.
  func fadeOut(from start: FrameTime, to end: FrameTime) {
    if start < end {
      replay.fadeOut(over: start..<end)
      resend(start..<end)
    }
    silence(from: end)
  }

  /// The device has requested more frames than the server has.
  ///
  /// - Parameter due: returns when a frame is due to be heard, in microseconds of the monotonic clock.
  func underflowed(due: (FrameTime) -> UInt64) {
    if let frame = link.missing {
      underruns.reported(frame, due: due(frame))
    } else {
      underruns.reported(replay.end, due: pa_rtclock_now())
    }
    underruns.sent(to: link.sentTo, now: pa_rtclock_now())
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

  /// Sends frames for a position, with the fade-in. They replace the frames that were sent for this position before.
  private func send(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) throws(SinkError) {
    if let faded = replay.faded(frames, at: position) {
      try faded.withUnsafeBufferPointer { (faded) throws(SinkError) in try link.put(faded, at: position) }
    } else {
      try link.put(frames, at: position)
    }
    underruns.sent(to: link.sentTo, now: pa_rtclock_now())
  }
}
