/// The player's state, checked against the table of transitions, and what has been reported of it.
struct ReportedState: Sendable {
  private(set) var state = PlayerState.idle
  /// The last state whose event has been returned.
  private var reported = PlayerState.idle
  /// The last transition that the table refused; nil if there is none.
  private(set) var refusal: RefusedTransition?

  /// Applies a state and returns its event, unless the table refuses it or it is near the last reported one.
  ///
  /// - Parameter isStep: whether a state that is only near the last one is reported, too, such as the progress of a
  ///   crossfade.
  mutating func become(_ new: PlayerState, isStep: Bool) -> [ScheduleEvent] {
    if let refused = state.refusal(of: new) { refusal = refused } else { state = new }
    guard isStep ? state != reported : !state.isNear(reported) else { return [] }
    defer { reported = state }
    return [.state(state, previous: reported.name)]
  }
}
