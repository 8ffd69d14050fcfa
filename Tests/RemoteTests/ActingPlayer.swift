import Engine
import Player
import Synchronization

/// A player that only takes note of what it is told.
final class ActingPlayer: PlayerControl {
  struct Notes: Sendable {
    var commands: [Command] = []
    var readers: [AsyncStream<StampedEvent>.Continuation] = []
    /// Commands of this name wait until they are let go.
    var held: [CheckedContinuation<Void, Never>] = []
  }

  let notes = Mutex(Notes())
  let outcome: @Sendable (Command) -> CommandOutcome

  init(outcome: @escaping @Sendable (Command) -> CommandOutcome = { _ in .done }) { self.outcome = outcome }

  var commands: [Command] { notes.withLock { $0.commands } }
  var readers: Int { notes.withLock { $0.readers.count } }
  var held: Int { notes.withLock { $0.held.count } }

  func perform(_ command: Command) async -> CommandOutcome {
    notes.withLock { $0.commands.append(command) }
    if command == .next { await withCheckedContinuation { held in notes.withLock { $0.held.append(held) } } }
    return outcome(command)
  }

  func letGo() {
    let held = notes.withLock { notes in
      defer { notes.held = [] }
      return notes.held
    }
    for one in held { one.resume() }
  }

  var status: PlayerStatus {
    let moment = PlayerMoment(
      run: 12, session: 10, state: "playing", stage: "Arrive", track: "rain", trackIndex: 0, position: 10, volume: 0.8)
    return PlayerStatus(title: "Morning sit", moment: moment, duration: 600)
  }

  func queueMetrics() async -> QueueMetrics { QueueMetrics() }

  func events(buffer: Int) -> any AsyncSequence<StampedEvent, Never> & Sendable {
    AsyncStream(bufferingPolicy: .bufferingNewest(buffer)) { reader in notes.withLock { $0.readers.append(reader) } }
  }

  func tell(_ event: StampedEvent) {
    for reader in notes.withLock({ $0.readers }) { reader.yield(event) }
  }

  func finish() {
    for reader in notes.withLock({ $0.readers }) { reader.finish() }
  }
}
