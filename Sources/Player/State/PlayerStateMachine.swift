/// Owns the player's state and accepts only allowed transitions. It is a value, used on the control thread.
package struct PlayerStateMachine: Sendable {
  /// A change to report to readers.
  package struct Change: Sendable, Equatable {
    package var state: PlayerState
    package var previous: PlayerState
  }

  package private(set) var state: PlayerState
  /// The last state that was reported.
  private var reported: PlayerState

  package init(_ state: PlayerState = .idle) {
    self.state = state
    reported = state
  }

  /// Makes `new` the current state. A refused state changes nothing. A state equal to the current one succeeds without
  /// a change.
  @discardableResult package mutating func apply(_ new: PlayerState) -> Result<PlayerState, RefusedTransition> {
    if new == state { return .success(state) }
    if let defect = new.defect { return .failure(.invalid(new, defect)) }
    guard state.canTransition(to: new) else { return .failure(.notAllowed(from: state, to: new)) }
    state = new
    return .success(new)
  }

  /// Makes `new` the current state, if necessary through intermediate states that take no time and are not reported.
  /// For example, a navigation turns a paused crossfade into a pause of another track, which no single transition
  /// allows.
  @discardableResult package mutating func reach(_ new: PlayerState) -> Result<PlayerState, RefusedTransition> {
    let result = apply(new)
    guard case .failure = result else { return result }
    // A paused crossfade resumes first.
    var (from, path) = (state, [PlayerState]())
    if case .crossfadePaused(let outgoing, let incoming, let progress, _, _) = state {
      from = .crossfading(from: outgoing, to: incoming, progress: progress)
      path = [from]
    }
    // The intermediate state is the playing old, new or incoming track, whichever the transitions allow.
    let newTrack = PlayerState.playing(track: new.currentTrack)
    for track in [from.currentTrack, new.currentTrack, from.nextTrack] {
      let between = PlayerState.playing(track: track)
      guard from.canTransition(to: between) else { continue }
      if between.canTransition(to: new) {
        path += [between, new]
      } else if between.canTransition(to: newTrack), newTrack.canTransition(to: new) {
        path += [between, newTrack, new]
      } else {
        continue
      }
      for step in path { apply(step) }
      return .success(new)
    }
    return result
  }

  /// Returns the change to report; nil if the last reported state is equal to the current one or near it.
  ///
  /// - Parameter evenIfNear: whether a state near the last reported one is a change, such as the progress of a
  ///   crossfade.
  package mutating func takeChange(evenIfNear: Bool = false) -> Change? {
    guard evenIfNear ? state != reported : !state.isNear(reported) else { return nil }
    defer { reported = state }
    return Change(state: state, previous: reported)
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
