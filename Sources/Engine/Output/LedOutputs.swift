package import Signal
internal import Synchronization

/// Several outputs of one session, of which at least one is live.
///
/// The first live output leads: it sets the pace and the clock, and the session reacts to its events. The others follow:
/// what is heard at the leading one is written to them.
package final class LedOutputs: Sink {
  private let leader: any Sink
  /// Whether nobody listens to the leading output: it is only the clock of the others.
  private let isClock: Bool
  private let followers: [Follower]
  private let sound = Mutex<HeardSound?>(nil)
  private let isRetracted = Atomic<Bool>(false)

  package var pace: Pace { .listener }

  /// - Parameters:
  ///   - leader: a live output.
  ///   - isClock: whether it is no output of the user's, but the clock of outputs that have none. The session then ends
  ///     when all others have failed.
  package init(_ leader: any Sink, isClock: Bool, followedBy followers: [Follower]) {
    (self.leader, self.isClock, self.followers) = (leader, isClock, followers)
  }

  /// Starts the followers first, because what is wrong with one of them must be known before anything is heard.
  package func start(at rate: SampleRate) throws(SinkError) {
    for follower in followers { try follower.sink.start(at: rate) }
    let heard = HeardSound(of: leader, at: rate)
    sound.withLock { $0 = heard }
    try leader.start(at: rate)
    for follower in followers { try follower.follow(heard, at: rate) }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    if isClock, let failure = followers.first?.failure, followers.allSatisfy({ $0.failure != nil }) { throw failure }
    // Before, because the leading output may play the block before its `write` returns.
    sound.withLock { $0 }?.append(block)
    try leader.write(block)
  }

  package func finish() throws(SinkError) {
    try leader.finish()
    sound.withLock { $0 }?.close(isRetracted: isRetracted.load(ordering: .relaxed))
    var failure: SinkError?
    for follower in followers {
      do throws(SinkError) { try follower.finish(within: Self.patience) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Seconds that the followers may take to write the end.
  private static let patience = 5.0

  package func abandon() {
    leader.abandon()
    for follower in followers { follower.abandon() }
  }

  package var heard: FrameCount { leader.heard }

  package func retract(over ramp: FrameCount) -> Bool {
    // Before, because the leading output may end at once, and then `finish` reads it.
    isRetracted.store(true, ordering: .relaxed)
    let hasFaded = leader.retract(over: ramp)
    if hasFaded { sound.withLock { $0 }?.retract(over: ramp) } else { isRetracted.store(false, ordering: .relaxed) }
    for follower in followers { _ = follower.sink.retract(over: ramp) }
    return hasFaded
  }

  package func rewind() -> FrameCount? {
    guard let position = leader.rewind() else { return nil }
    sound.withLock { $0 }?.rewind(to: position)
    return position
  }

  package func interrupt() { leader.interrupt() }
}
