package import Player
import Synchronization

/// A player without sound: it records its commands, and sends the events that a test passes to it.
package final class RecordingPlayer: PlayerControl {
  private struct Notes: Sendable {
    var commands: [Command] = []
    var readers = 0
    /// The `next` commands in progress. They wait for `releaseCommands`.
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let notes = Mutex(Notes())
  private let metrics: Mutex<QueueMetrics>
  private let reported = Mutex<QueueMetrics?>(nil)
  private let multicast = Multicast<StampedEvent>()
  private let outcome: @Sendable (Command) -> CommandOutcome

  package init(
    metrics: QueueMetrics = QueueMetrics(), outcome: @escaping @Sendable (Command) -> CommandOutcome = { _ in .done }
  ) {
    self.metrics = Mutex(metrics)
    self.outcome = outcome
  }

  package var commands: [Command] { notes.withLock { $0.commands } }
  package var readers: Int { notes.withLock { $0.readers } }
  /// How many `next` commands are in progress.
  package var held: Int { notes.withLock { $0.held.count } }

  package func destination(of command: Command) async -> UpcomingTrack? { nil }

  package func perform(_ command: Command) async -> CommandOutcome {
    notes.withLock { $0.commands.append(command) }
    if command.isAboutMetrics { reported.withLock { [current = metrics.withLock(\.self)] in $0 = current } }
    if command == .metrics(reset: true) { metrics.withLock { $0 = QueueMetrics() } }
    if command == .next { await withCheckedContinuation { held in notes.withLock { $0.held.append(held) } } }
    return outcome(command)
  }

  /// Completes all `next` commands in progress.
  package func releaseCommands() {
    let held = notes.withLock { notes in
      defer { notes.held = [] }
      return notes.held
    }
    for one in held { one.resume() }
  }

  package var status: PlayerStatus {
    let moment = PlayerMoment(
      run: 12, session: 10, state: "playing", stage: "Arrive", track: "rain", trackIndex: 0, position: 10, volume: 0.8)
    var status = PlayerStatus(title: "Morning sit", moment: moment, duration: 600)
    status.stages = ["Arrive", "Sit still"]
    return status
  }

  package func currentStatus() async -> PlayerStatus { status }

  package func queueMetrics() async -> QueueMetrics? { metrics.withLock { $0 } }

  package func reportedMetrics() async -> QueueMetrics? { reported.withLock { $0 } ?? QueueMetrics() }

  package func events(_ policy: Multicast<StampedEvent>.Policy) -> Multicast<StampedEvent>.Reader {
    defer { notes.withLock { $0.readers += 1 } }
    return multicast.reader(policy)
  }

  package func send(_ event: StampedEvent) { multicast.publish(event) }

  package func finish() { multicast.finish() }
}
