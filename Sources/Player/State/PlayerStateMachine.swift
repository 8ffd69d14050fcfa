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
    guard state.canTransition(to: new) else { return .notAllowed(from: state, to: new) }
    state = new
    return nil
  }

  /// Makes `new` the current state, if necessary through intermediate states that take no time and are not reported.
  /// For example, a navigation turns a paused crossfade into a pause of another track, which no single transition
  /// allows.
  ///
  /// - Returns: why `new` was refused; nil if it is now the current state.
  package mutating func reach(_ new: PlayerState) -> RefusedTransition? {
    guard let refusal = apply(new) else { return nil }
    guard case .notAllowed = refusal, isReachable(new) else { return refusal }
    state = new
    return nil
  }

  /// Whether intermediate states lead to `new`.
  private func isReachable(_ new: PlayerState) -> Bool {
    var from = state
    // A paused crossfade resumes first.
    if case .crossfadePaused(let outgoing, let incoming, let progress, _, _) = state {
      from = .crossfading(from: outgoing, to: incoming, progress: progress)
    }
    // The intermediate state is the playing old, new or incoming track, whichever the transitions allow.
    let newTrack = PlayerState.playing(track: new.currentTrack)
    return [from.currentTrack, new.currentTrack, from.nextTrack].contains { track in
      let between = PlayerState.playing(track: track)
      return from.canTransition(to: between)
        && (between.canTransition(to: new) || between.canTransition(to: newTrack) && newTrack.canTransition(to: new))
    }
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
