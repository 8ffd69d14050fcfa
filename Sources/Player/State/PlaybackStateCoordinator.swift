/// The one owner of the player's state: nothing else decides what follows what.
///
/// A value, held by the thread that plans: the state and what follows from it change together or not at all.
public struct PlaybackStateCoordinator: Sendable {
  /// A change that readers are to be told of.
  public struct Change: Sendable, Equatable {
    public var state: PlayerState
    public var previous: PlayerState
  }

  public private(set) var state: PlayerState
  /// What readers know.
  private var told: PlayerState

  public init(_ state: PlayerState = .idle) {
    self.state = state
    told = state
  }

  /// Makes `new` the state. What it refuses changes nothing; what is the same already is no change, and succeeds.
  @discardableResult public mutating func apply(_ new: PlayerState) -> Result<PlayerState, RefusedTransition> {
    if new == state { return .success(state) }
    if let defect = new.defect { return .failure(.invalid(new, defect)) }
    guard state.canTransition(to: new) else { return .failure(.notAllowed(from: state, to: new)) }
    state = new
    return .success(new)
  }

  /// Makes `new` the state, by way of others that last no time and are not reported where the listener has left what was
  /// under way: a paused crossfade, for one, can't become another track's pause.
  @discardableResult public mutating func reach(_ new: PlayerState) -> Result<PlayerState, RefusedTransition> {
    let result = apply(new)
    guard case .failure = result else { return result }
    var (from, way) = (state, [PlayerState]())
    if case .crossfadePaused(let outgoing, let incoming, let progress, _, _) = state {
      from = .crossfading(from: outgoing, to: incoming, progress: progress)
      way = [from]
    }
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

  /// What readers are to be told: nil when they know the state, or one so near to it that they would see no difference.
  ///
  /// - Parameter evenIfNear: tells of small steps too, as a crossfade's progress does.
  public mutating func takeChange(evenIfNear: Bool = false) -> Change? {
    guard evenIfNear ? state != told : !state.isNear(told) else { return nil }
    defer { told = state }
    return Change(state: state, previous: told)
  }
}

/// Why a state did not become the current one; one sentence.
public enum RefusedTransition: Error, Sendable, Equatable, CustomStringConvertible {
  case notAllowed(from: PlayerState, to: PlayerState)
  case invalid(PlayerState, PlayerState.Defect)

  public var description: String {
    switch self {
    case .notAllowed(let old, let new): "'\(old)' can't become '\(new)'"
    case .invalid(let state, let defect): "'\(state)' is no state: \(defect)"
    }
  }
}
