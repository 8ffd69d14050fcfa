internal import CPulse
internal import Engine
internal import Signal

/// Opens a stream, and after a loss of the server, its device or the stream, a new one, which continues with the first
/// frame that was not heard. The policy decides when, and when to give up.
///
/// Everything is called under the connection's lock.
final class Recovery {
  private let link: StreamLink
  private let watch: DeviceWatch
  private let sent: SentSound
  private let ending: Drain
  private let rewinder: Rewinder
  private let position: ListenerPosition
  /// Whether the stream is new, and must first receive what was lost with the old one.
  private var isReplaying = false

  init(
    of link: StreamLink, _ watch: DeviceWatch, _ sent: SentSound, _ ending: Drain, _ rewinder: Rewinder,
    _ position: ListenerPosition
  ) {
    (self.link, self.watch, self.sent) = (link, watch, sent)
    (self.ending, self.rewinder, self.position) = (ending, rewinder, position)
  }

  /// Whether the stream waits for the server.
  var isLost: Bool { link.request.policy.recovery(at: link.now) != nil }

  /// Whether new sound must wait, because the stream is lost or must first receive older sound.
  var isPending: Bool { isLost || isReplaying }

  /// Connects to the server and opens the first stream, or leaves that to the first `recovering`.
  func open(while isWanted: () -> Bool) throws(SinkError) {
    do throws(SinkError) {
      try link.connection.connect(while: isWanted)
      try connect(while: isWanted)
    } catch {
      guard canWait(after: error) else { throw error }
      lose(error)
    }
  }

  /// Whether the stream may start without its server or its device.
  private func canWait(after error: SinkError) -> Bool {
    switch error {
    // The server had answered before: it is lost, not missing.
    case .lost: !link.connection.isReady
    case .noServer, .noSuchDevice: link.request.policy.waitsForServer
    default: false
    }
  }

  private func connect(while isWanted: () -> Bool) throws(SinkError) {
    watch.start(try link.connect(while: isWanted))
    // The first timing shows what the device holds, which determines the buffer.
    rewinder.reading()
  }

  /// Records that the stream is lost. The position heard stops at the time of the loss.
  func lose(_ error: SinkError) {
    watch.handle(.failed(error), at: min(pa_rtclock_now(), link.lostAt))
    _ = position.heard()
    position.stop()
  }

  /// Calls `work`. If it fails because the stream was lost, waits for a new stream and calls it again, until it
  /// succeeds or the wait is cancelled.
  func recovering(_ work: () throws(SinkError) -> Void) throws(SinkError) {
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
    while ending.mayWait {
      switch link.request.policy.recovery(at: link.now) {
      case .giveUp(let error): throw error
      case .wait(let seconds): link.connection.wait(upTo: seconds) { ending.mayWait }
      case .retry: if resume() { return true }
      case nil: return true
      }
    }
    return false
  }

  /// Tries once to continue on a new stream, from the first frame that was not heard. There is room for all frames that
  /// are sent again, because there was on the old stream.
  ///
  /// - Returns: whether it succeeded.
  private func resume() -> Bool {
    let isWanted = { self.ending.mayWait }
    let lost = sent.replay.restart(heard: position.heard())
    isReplaying = true
    defer { isReplaying = false }
    do throws(SinkError) {
      try link.reopen(at: lost, while: isWanted)
      watch.stop()
      sent.underruns.forget()
      try connect(while: isWanted)
      if ending.isRetracted { return false }
      try sent.sendUnheard(from: lost)
      return true
    } catch {
      // An interrupted attempt says nothing about the server.
      if ending.mayWait { watch.handle(.failed(error)) }
      return false
    }
  }
}
