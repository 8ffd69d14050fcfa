/// One piece of work for the queue.
public struct Operation: Sendable {
  public var name: String
  public var priority: OperationPriority
  /// How it moves the music to another place; nil when it doesn't.
  public var navigation: Navigation?
  /// Whether the queue's figures and log tell of it; false for what only reads them, and for preloads.
  public var isCounted: Bool
  /// Called once, before the work begins, with the operation's ID and whether it has been taken; from the queue, without
  /// waiting.
  public var whenTaken: @Sendable (_ id: String, _ isTaken: Bool) -> Void
  /// Does the work and tells what became of it. Never runs beside another operation's.
  public var body: @Sendable (OperationContext) async -> CommandOutcome

  public init(
    name: String, priority: OperationPriority = .normal, navigation: Navigation? = nil, isCounted: Bool = true,
    whenTaken: @escaping @Sendable (_ id: String, _ isTaken: Bool) -> Void = { _, _ in },
    body: @escaping @Sendable (OperationContext) async -> CommandOutcome
  ) {
    self.name = name
    self.priority = priority
    self.navigation = navigation
    self.isCounted = isCounted
    self.whenTaken = whenTaken
    self.body = body
  }
}

/// A move of the music: what a command of higher priority cancels, and what waiting moves do to one another.
public enum Navigation: Sendable, Hashable {
  /// So many tracks forward, or back when negative: adds up with the step that waits.
  case step(Int)
  /// To a place that doesn't depend on where the music is: replaces every move that waits.
  case other
  /// Within the track that the moves before it lead to: a seek. Neither adds up nor replaces.
  case within
  /// Playback, from where the moves before it lead to. It takes the moves that wait along, and gives way to a pause.
  case resume
}

/// What a running operation is handed.
public struct OperationContext: Sendable {
  /// `op-` and four lowercase hexadecimal digits, as in the log.
  public let id: String
  /// The net move of all steps that came together in this operation: 0 when it is no step.
  public let steps: Int
  let stop: StopRequest

  /// The name of the operation that asks this one to stop at its next safe point; nil means go on. From any thread.
  ///
  /// Whoever follows it answers with `CommandOutcome.cancelled(by:)`.
  public var shouldStop: String? { stop.name }

  /// Has `notify` called with that name as soon as the operation is asked to stop: at most once, at once when it
  /// already is, on the asking thread. It wakes whatever the operation waits for, and does not wait itself.
  public func whenAskedToStop(_ notify: @escaping @Sendable (String) -> Void) { stop.observe(notify) }
}
