import Schedule
import Synchronization

/// A command that the queue runs.
struct CommandRun: Sendable {
  let ticket: CommandTicket
  let context: OperationContext

  var command: Command { ticket.command }
}

/// Makes sure that the outcome of a command is reported once. May be used from any thread.
final class CommandTicket: Sendable {
  let command: Command
  private let id = Mutex<String?>(nil)

  init(_ command: Command) { self.command = command }

  /// Stores the ID that the queue has given the operation.
  func take(_ id: String) { if !command.isQuiet { self.id.withLock { $0 = id } } }

  /// Whether its outcome has yet to be reported.
  var isOpen: Bool { id.withLock { $0 != nil } }

  /// Reports an outcome, and the error of a sound that it needed, unless an outcome has been reported.
  ///
  /// - Returns: the outcome in the words for this command.
  func report(_ outcome: CommandOutcome, to control: inout Transport) -> CommandOutcome {
    let outcome = outcome.refusing(command)
    guard let id = id.withLock({ $0.take() }) else { return outcome }
    if case .rejected(let error) = outcome, error.kind == .sound { control.emit(.error(error), at: control.heard) }
    control.settle(command.name, id: id, outcome)
    return outcome
  }
}

/// What a command does next on the control thread.
enum CommandStep: Sendable {
  case ended(CommandOutcome)
  /// Applies an edit once its sounds are open; `then` decides how the command proceeds with the result.
  case edit(
    Edit, then: @Sendable (EditResult, inout Transport) -> CommandStep = { result, _ in .ended(result.outcome) })
}

/// The outcome of an edit, or the sound that can't be opened for it.
typealias EditResult = Result<CommandOutcome, SoundOpener.Failure>

extension EditResult {
  var outcome: CommandOutcome {
    switch self {
    case .success(let outcome): outcome
    case .failure(let failure): failure.outcome
    }
  }
}
