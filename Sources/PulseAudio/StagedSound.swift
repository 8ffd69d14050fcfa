internal import CPulse
internal import Engine
internal import Signal

/// The frames that the render loop has written, and that wait until the server has room for them.
///
/// Everything is called under the connection's lock.
final class StagedSound {
  /// Seconds without room after which the stream checks whether the server still responds.
  private static let checkInterval = 5.0

  private let link: StreamLink
  private let watch: DeviceWatch
  private let sent: SentSound
  private let ending: Drain
  private let rewinder: Rewinder
  private let position: ListenerPosition
  private var frames: [Frame] = []

  init(
    of link: StreamLink, _ watch: DeviceWatch, _ sent: SentSound, _ ending: Drain, _ rewinder: Rewinder,
    _ position: ListenerPosition
  ) {
    (self.link, self.watch, self.sent) = (link, watch, sent)
    (self.ending, self.rewinder, self.position) = (ending, rewinder, position)
  }

  var isEmpty: Bool { frames.isEmpty }

  func append(_ block: UnsafeBufferPointer<Frame>) { frames.append(contentsOf: block) }

  func drop() { frames.removeAll(keepingCapacity: true) }

  /// Sends frames, and waits for room unless it is interrupted. After a retraction, drops them.
  ///
  /// While at least `PulseBuffer.safe` is buffered, new frames are staged until the server requests sound. Then
  /// libpulse's thread sends one piece, and the render thread wakes up to stage the next one.
  ///
  /// - Parameter isLast: whether all frames are sent, however much is buffered.
  func send(isLast: Bool) throws(SinkError) {
    let isDue = {
      isLast
        || self.buffered < PulseBuffer.safe && self.isEnough
        || self.link.rate.frames(PulseBuffer.piece) <= self.frames.count
    }
    while !frames.isEmpty, !ending.isRetracted, isDue() {
      guard link.isReady else { throw link.loss }
      if hasRoom, try sendWhatFits() { continue }
      guard ending.mayWait else { return }
      try waitForRoom(while: isDue)
    }
    if ending.isRetracted { drop() }
  }

  /// The server requests more. An error means that the stream has ended; the next `send` reports it.
  func sendOnRequest() {
    guard !ending.isRetracted, !sent.replay.isRewound, link.isReady, !frames.isEmpty else { return }
    _ = try? sendWhatFits()
  }

  /// Sends as many frames as there is room for.
  ///
  /// - Returns: false if there is no room.
  private func sendWhatFits() throws(SinkError) -> Bool {
    let count = min(frames.count, room)
    if count <= 0 { return false }
    // The server has no more sound, so the position must not be extrapolated from the last report.
    let hasRunOut = !sent.replay.isRewound && sent.replay.end <= position.heard()
    if hasRunOut { position.stop() }
    if sent.replay.isRewound {
      if let first = rewinder.laterStart(), sent.replay.next < first { sent.crossfade(at: first) }
      rewinder.answered()
    }
    try frames.withUnsafeBufferPointer { (frames) throws(SinkError) in
      try sent.send(UnsafeBufferPointer(rebasing: frames[..<count]))
    }
    frames.removeFirst(count)
    // A request that is sent together with sound costs no additional wake-up.
    if hasRunOut || position.isDoubtful { link.requestTiming() }
    return true
  }

  /// Waits until the server has room. If it has reported no progress for too long, checks whether it still responds.
  private func waitForRoom(while isDue: () -> Bool) throws(SinkError) {
    rewinder.probe()
    watch.grow(ahead: sent.sentEnd - position.heard())
    let isFull = { self.link.isReady && !self.hasRoom && !self.frames.isEmpty }
    let isWanted = { self.ending.mayWait }
    // If the server has room, but the buffer does not permit more yet, the server will send no request. In this case,
    // wait until enough has been played.
    let isExcess = link.rate.frames(PulseBuffer.least) <= FrameCount(link.writable)
    let seconds = isExcess ? buffered - capacity + watch.buffer.request : Self.checkInterval
    let before = position.heard()
    link.connection.wait(upTo: seconds) { isFull() && isDue() && isWanted() }
    guard isFull(), isDue(), isWanted(), !link.isStopped, !isExcess || position.heard() == before else { return }
    let answer = link.requestTiming(waiting: PulseConnection.answerTimeout, while: isWanted)
    if answer == nil || answer == PA_OPERATION_RUNNING && isWanted() { throw .lost(cause: "no answer") }
  }

  /// Whether what is staged suffices until the next piece arrives. After a rewind the server drops what the first piece
  /// replaces, and everything after it.
  private var isEnough: Bool {
    guard sent.replay.isRewound else { return true }
    let begin = sent.replay.next
    let late = max(0, (rewinder.laterStart() ?? begin) - begin)
    return late + link.rate.frames(PulseBuffer.answer) <= frames.count
  }

  /// Whether there is room for at least as many frames as are worth waking the server for.
  private var hasRoom: Bool {
    let least = buffered < PulseBuffer.safe ? 1 : min(frames.count, Int(link.rate.frames(PulseBuffer.least)))
    return least <= room
  }

  /// The number of frames for which there is room.
  private var room: Int {
    // Frames that replace older ones need no additional room: the server counts only new ones.
    let free = max(link.writable, Int(sent.replay.furthest - sent.replay.next))
    // Until the server has applied new buffer attributes, it requests more than the buffer permits.
    return max(0, min(free, Int(link.rate.frames(capacity - buffered))))
  }

  /// Seconds that the stream and the device may hold together. A device may hold more than was requested, for example
  /// a wireless loudspeaker two seconds. This does not reduce what the stream holds.
  private var capacity: Double {
    let held = link.timing.map { watch.held($0) } ?? 0
    return min(watch.buffer.total + max(0, held - watch.buffer.device), PulseBuffer.longest)
  }

  /// Seconds of sound that the server has and that the listener has not heard.
  private var buffered: Double { link.rate.seconds(sent.replay.next - position.heard()) }
}
