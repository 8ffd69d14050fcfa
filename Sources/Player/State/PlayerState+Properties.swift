import Schedule

extension PlayerState {
  /// What a listener can ask for in a state.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    case play, pause, resume, stop, skip, retry
  }

  /// Music is under way and heads somewhere. Not while a crossfade is being prepared, although music sounds then: see
  /// `isAudible`.
  public var isActive: Bool {
    switch kind {
    case .playing, .crossfading, .fadingOut: true
    default: false
    }
  }

  /// Music sounds, or would if the stage were not silent.
  public var isAudible: Bool { isActive || kind == .preparingCrossfade }

  /// A fade-out can be paused too: pausing freezes whatever is under way.
  public var canPause: Bool { isAudible }

  public var canResume: Bool { kind == .paused || kind == .crossfadePaused }

  /// Nothing follows unless the listener asks for it.
  public var isTerminal: Bool { kind == .finished || kind == .failed }

  public var isCrossfadeRelated: Bool {
    switch kind {
    case .preparingCrossfade, .crossfading, .crossfadePaused: true
    default: false
    }
  }

  /// Half of a crossfade is over: what is left can be hurried.
  public var canQuickFinish: Bool { progress.map { ResumeStrategy.threshold <= $0 } ?? false }

  /// There is something to show a bar for.
  public var showsProgress: Bool { isActive || canResume }

  /// Something is on its way that takes a moment.
  public var showsLoading: Bool {
    switch kind {
    case .preparing, .preparingCrossfade, .fadingOut: true
    default: false
    }
  }

  public var allowedActions: Set<Action> {
    switch self {
    case .idle, .finished: [.play]
    case .preparing: [.stop]
    case .preparingCrossfade, .playing, .crossfading: [.pause, .stop, .skip]
    case .paused, .crossfadePaused: [.resume, .stop]
    case .fadingOut: [.pause]
    case .failed(_, let recoverable): recoverable ? [.retry, .stop] : [.stop]
    }
  }
}

extension PlayerState {
  /// How a paused crossfade continues: what is stale is hurried, whatever it was to do. Nil where none is paused.
  ///
  /// - Parameter now: seconds on the clock of the snapshot.
  func resumption(at now: Double) -> ResumeStrategy? {
    guard case .crossfadePaused(_, _, _, let strategy, let snapshot) = self else { return nil }
    return snapshot.isStale(at: now) ? .quickFinish : strategy
  }
}
