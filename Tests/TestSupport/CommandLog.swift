package import Player
import Synchronization

/// Records the outcomes of commands, and the state of the player whenever commands were due.
package final class CommandLog: Sendable {
  private struct State: Sendable {
    var outcomes: [CommandOutcome] = []
    var moments: [PlayerMoment] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var outcomes: [CommandOutcome] { state.withLock { $0.outcomes } }
  /// Read within the lock: ThreadSanitizer does not see that a copy of the array protects its buffer.
  package var count: Int { state.withLock { $0.outcomes.count } }
  package var moments: [PlayerMoment] { state.withLock { $0.moments } }

  func add(_ outcomes: [CommandOutcome]) { state.withLock { $0.outcomes += outcomes } }
  func add(_ moment: PlayerMoment) { state.withLock { $0.moments.append(moment) } }
}
