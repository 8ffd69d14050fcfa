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
  private let settled = WakeUp()
  /// Seconds for which a leading device waits for its followers at the start.
  private static let patience = 3.0
  /// Seconds that the followers may take to write the end, and if somebody waits for the end of the program.
  private static let (ending, urgentEnding) = (5.0, 0.3)

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
    let heard = HeardSound(of: leader, at: rate)
    sound.withLock { $0 = heard }
    for follower in followers { try follower.start(heard, at: rate) { [settled] in settled.call() } }
    try waitForFollowers()
    try leader.start(at: rate)
    for follower in followers { follower.begin() }
  }

  private func waitForFollowers() throws(SinkError) {
    let deadline = SuspendingClock().now + .seconds(isClock ? 1e6 : Self.patience)
    while followers.contains(where: \.isStarting), !isRetracted.load(ordering: .relaxed) || isClock {
      guard followers.allSatisfy({ $0.failure == nil }), settled.wait(until: deadline) else { break }
    }
    if let failure = followers.lazy.compactMap(\.failure).first { throw failure }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    if isClock, let failure = followers.first?.givenUp, followers.allSatisfy({ $0.givenUp != nil }) { throw failure }
    // Before, because the leading output may play the block before its `write` returns.
    sound.withLock { $0 }?.append(block)
    try leader.write(block)
  }

  package func finish() throws(SinkError) {
    try leader.finish()
    let isUrgent = isRetracted.load(ordering: .relaxed)
    sound.withLock { $0 }?.close(isRetracted: isUrgent)
    let deadline = SuspendingClock().now + .seconds(isUrgent ? Self.urgentEnding : Self.ending)
    var failure: SinkError?
    for follower in followers {
      do throws(SinkError) { try follower.finish(by: deadline) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

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
    settled.call()
    return hasFaded
  }

  package func rewind() -> FrameCount? { rewound(to: leader.rewind()) }

  package func postpone() -> FrameCount? { rewound(to: leader.postpone()) }

  private func rewound(to position: FrameCount?) -> FrameCount? {
    guard let position else { return nil }
    sound.withLock { $0 }?.rewind(to: position)
    return position
  }

  package func interrupt() { leader.interrupt() }
}
