/// Owns the player's state and decides which transitions are allowed.
///
/// A value, used on the control thread, so that a state and its consequences change together or not at all.
package struct PlaybackStateCoordinator: Sendable {
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
  /// After a navigation, for example, a paused crossfade becomes the pause of another track, which no single transition
  /// allows.
  @discardableResult package mutating func reach(_ new: PlayerState) -> Result<PlayerState, RefusedTransition> {
    let result = apply(new)
    guard case .failure = result else { return result }
    // A paused crossfade resumes first.
    var (from, way) = (state, [PlayerState]())
    if case .crossfadePaused(let outgoing, let incoming, let progress, _, _) = state {
      from = .crossfading(from: outgoing, to: incoming, progress: progress)
      way = [from]
    }
    // In between, the old, the new or the incoming track plays, whichever the transitions allow.
    let arrival = PlayerState.playing(track: new.currentTrack)
    for track in [from.currentTrack, new.currentTrack, from.nextTrack] {
      let alone = PlayerState.playing(track: track)
      guard from.canTransition(to: alone) else { continue }
      if alone.canTransition(to: new) {
        way += [alone, new]
      } else if alone.canTransition(to: arrival), arrival.canTransition(to: new) {
        way += [alone, arrival, new]
      } else {
        continue
      }
      for step in way { apply(step) }
      return .success(new)
    }
    return result
  }

  /// Returns the change to report; nil if readers know the state, or know one that is near enough.
  ///
  /// - Parameter evenIfNear: also report small steps, such as the progress of a crossfade.
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
