/// Owns the player's state and accepts only allowed transitions. It is a value, used on the control thread.
package struct PlayerStateMachine: Sendable {
  package private(set) var state: PlayerState
  /// The last state that was reported.
  private var reported: PlayerState

  package init(_ state: PlayerState = .idle) {
    self.state = state
    reported = state
  }

  /// Makes `new` the current state. A refused state changes nothing.
  ///
  /// - Returns: why `new` was refused; nil if it is now the current state.
  @discardableResult package mutating func apply(_ new: PlayerState) -> RefusedTransition? {
    if new == state { return nil }
    if let defect = new.defect { return .invalid(new, defect) }
    guard state.canBecome(new) else { return .notAllowed(from: state, to: new) }
    state = new
    return nil
  }

  /// Marks the current state as reported, unless it is equal to the last reported one or near it.
  ///
  /// - Parameter evenIfNear: whether a state near the last reported one is a change, such as the progress of a
  ///   crossfade.
  /// - Returns: the state that was reported before; nil if there is no change.
  package mutating func takeChange(evenIfNear: Bool = false) -> PlayerState? {
    guard evenIfNear ? state != reported : !state.isNear(reported) else { return nil }
    defer { reported = state }
    return reported
  }
}

/// The reason why a state was refused, in one sentence.
package enum RefusedTransition: Error, Sendable, Equatable, CustomStringConvertible {
  case notAllowed(from: PlayerState, to: PlayerState)
  case invalid(PlayerState, PlayerState.Defect)

  package var description: String {
    switch self {
    case .notAllowed(let old, let new): "'\(old)' can't become '\(new)'"
    case .invalid(let state, let defect): "'\(state)' is not a valid state: \(defect)"
    }
  }
}
