import Schedule

extension PlayerState {
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

  public var canResume: Bool { kind == .paused || kind == .crossfadePaused }

  public var isCrossfadeRelated: Bool {
    switch kind {
    case .preparingCrossfade, .crossfading, .crossfadePaused: true
    default: false
    }
  }

  /// Half of a crossfade is over: what is left can be hurried.
  public var canQuickFinish: Bool { progress.map { ResumeStrategy.threshold <= $0 } ?? false }
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
