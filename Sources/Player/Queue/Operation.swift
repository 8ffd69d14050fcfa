/// A unit of work for the queue.
package struct Operation: Sendable {
  /// The name in logs, metrics and events.
  package var name: String
  package var priority: OperationPriority
  /// How it changes the position of the music; nil if it doesn't.
  package var navigation: Navigation?
  /// Whether it only interrupts playback.
  package var isInterruption: Bool
  /// Whether it changes only what plays later and starts no sound, so that it is still wanted after an interruption,
  /// which does not stop it.
  package var outlastsInterruptions: Bool
  /// Whether it only asks the operations that wait for loads to stop, when it arrives.
  package var endsLoads: Bool
  /// Whether metrics and log include it, and whether it counts against the queue's limit. False for operations that
  /// only read metrics, and for preloads.
  package var isCounted: Bool
  /// Called once, before the body runs, with the operation's ID. Called on the queue's actor; must not wait.
  package var onArrival: @Sendable (_ id: String, _ arrival: Arrival) -> Void
  /// Does the work and returns its outcome. While it waits for a load, the body of an urgent operation may run; apart
  /// from that, the bodies of two operations never run at the same time.
  package var body: @Sendable (OperationContext) async -> CommandOutcome

  /// What becomes of a new operation.
  package enum Arrival: Sendable {
    /// No other operation has to end before it.
    case begins
    case waits
    case rejected
  }

  package init(
    name: String, priority: OperationPriority = .normal, navigation: Navigation? = nil, isInterruption: Bool = false,
    outlastsInterruptions: Bool = false, endsLoads: Bool = false, isCounted: Bool = true,
    onArrival: @escaping @Sendable (_ id: String, _ arrival: Arrival) -> Void = { _, _ in },
    body: @escaping @Sendable (OperationContext) async -> CommandOutcome
  ) {
    self.name = name
    self.priority = priority
    self.navigation = navigation
    self.isInterruption = isInterruption
    self.outlastsInterruptions = outlastsInterruptions
    self.endsLoads = endsLoads
    self.isCounted = isCounted
    self.onArrival = onArrival
    self.body = body
  }
}

/// How an operation changes the position of the music. Some navigations merge with waiting ones or replace them.
package enum Navigation: Sendable, Hashable {
  /// A number of tracks forward, or backward if negative. Waiting steps of the same priority are merged into it.
  case step(Int)
  /// A navigation to a position that doesn't depend on the current one. It replaces waiting navigations of its priority
  /// or lower.
  case other
  /// A navigation from the position to which the earlier ones lead, such as a seek. It neither merges nor replaces.
  case within
  /// Playback from the position to which the earlier navigations lead. These are raised to its priority and run before
  /// it. A pause cancels it.
  case resume
}
