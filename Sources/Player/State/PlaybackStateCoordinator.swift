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
