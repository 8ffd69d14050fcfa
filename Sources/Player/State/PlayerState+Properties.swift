import Schedule

extension PlayerState {
  /// Whether music is playing, crossfading or fading out. False while a crossfade is being prepared, although the
  /// current track plays in that state; `isAudible` includes it.
  package var isActive: Bool {
    switch kind {
    case .playing, .crossfading, .fadingOut: true
    default: false
    }
  }

  /// Whether music is playing, or would be if the stage were not silent.
  package var isAudible: Bool { isActive || kind == .preparingCrossfade }

  /// Whether `resume` has something to resume.
  package var canResume: Bool { kind == .paused || kind == .crossfadePaused }

  /// Whether at least half of a crossfade is complete, so that its rest can be shortened.
  package var canQuickFinish: Bool { progress.map { ResumeStrategy.threshold <= $0 } ?? false }
}

extension PlayerState {
  /// How a paused crossfade continues; a stale one is always finished quickly. Nil if no crossfade is paused.
  ///
  /// - Parameter now: seconds on the snapshot's clock.
  func resumption(at now: Double) -> ResumeStrategy? {
    guard case .crossfadePaused(_, _, _, let strategy, let snapshot) = self else { return nil }
    return snapshot.isStale(at: now) ? .quickFinish : strategy
  }
}
