import Synchronization

/// A sound that is being opened before anybody has asked for it, for the first who does.
final class Preload<Sound: Sendable>: Sendable {
  private enum State {
    case loading(claim: LoadTicket<Sound>?)
    case ready(Loaded<Sound>)
    /// It failed, or was claimed: nothing more comes of it.
    case over
  }

  private let state = Mutex(State.loading(claim: nil))

  /// Whether somebody may still claim it.
  var isOpenToClaims: Bool {
    state.withLock { state in
      switch state {
      case .loading(let claim): claim == nil
      case .ready: true
      case .over: false
      }
    }
  }

  var isReady: Bool {
    state.withLock { state in
      if case .ready = state { true } else { false }
    }
  }

  /// Hands the sound over, now or when it comes.
  ///
  /// - Returns: false when there is none to hand over.
  func claim(for ticket: LoadTicket<Sound>) -> Bool {
    let (isClaimed, sound) = state.withLock { state -> (Bool, Loaded<Sound>?) in
      switch state {
      case .loading(nil):
        state = .loading(claim: ticket)
        return (true, nil)
      case .ready(let sound):
        state = .over
        return (true, sound)
      case .loading, .over: return (false, nil)
      }
    }
    if let sound { ticket.settle(.success(sound)) }
    return isClaimed
  }

  /// What the load has come to.
  func arrive(_ result: LoadTicket<Sound>.Result) {
    let claim = state.withLock { state -> LoadTicket<Sound>? in
      guard case .loading(let claim) = state else { return nil }
      state = .over
      if claim == nil, case .success(let sound) = result { state = .ready(sound) }
      return claim
    }
    claim?.settle(result)
  }
}
