package import Signal

/// Chooses the kind of crossfade for which there is time, and computes how a running crossfade continues when the
/// listener pauses, resumes or navigates. Its results are fades; the mixer applies them.
///
/// A changed fade keeps its curve and continues from its current gain. Both sides of a crossfade stay on their original
/// curve at a different speed, so their summed loudness stays that of the original crossfade.
package struct CrossfadeOrchestrator: Sendable, Hashable {
  package let rate: SampleRate

  package init(rate: SampleRate) { self.rate = rate }

  /// The kind of crossfade for which there is time. Lengths are in frames.
  package enum Strategy: Sendable, Hashable {
    /// No crossfade is requested: the next track begins where the current one ends.
    case instant
    case full(FrameCount)
    /// At least half as long as requested: as long as the rest of the current track.
    case reduced(FrameCount)
    /// The current track fades out, then the next one fades in.
    case separate(fadeOut: FrameCount, fadeIn: FrameCount)
  }

  /// Chooses the kind of crossfade.
  ///
  /// - Parameters:
  ///   - remaining: remaining frames of the current track; `.endless` if nothing ends it.
  ///   - wanted: requested frames of the crossfade.
  package func strategy(remaining: FrameCount, wanted: FrameCount) -> Strategy {
    if wanted == 0 { return .instant }
    guard 0 < wanted, 0 < remaining else { return .separate(fadeOut: shortest, fadeIn: shortest) }
    if wanted <= remaining { return .full(wanted) }
    // Compares without halving: half of an odd length is not a whole frame.
    if wanted - remaining <= remaining { return .reduced(remaining) }
    return .separate(fadeOut: max(shortest, remaining), fadeIn: max(shortest, remaining))
  }

  /// The shortest separate fade: 0.1 s.
  private var shortest: FrameCount { rate.frames(0.1) }

  /// Frames for the rest of a crossfade that is finished quickly: 1 s.
  package var quickFinish: FrameCount { rate.frames(1) }

  /// Frames in which a navigation rolls a crossfade back or finishes it: 0.3 s.
  package var turn: FrameCount { rate.frames(0.3) }
}

extension CrossfadeOrchestrator {
  /// What happens to a running crossfade when the listener navigates.
  package enum Navigation: Sendable, Hashable {
    /// Less than 20 % done: it is reversed.
    case rollBack
    /// 20 % to 90 % done: its rest is shortened.
    case fastForward
    /// More than 90 % done: it finishes unchanged.
    case letFinish
  }

  /// - Parameter progress: of the running crossfade, 0…1.
  package func navigation(progress: Double) -> Navigation {
    if progress < 0.2 { return .rollBack }
    return progress <= 0.9 ? .fastForward : .letFinish
  }

  /// One fade of a paused crossfade, resumed at `frame`.
  package func resumed(_ fade: Fade, at frame: FrameTime, by strategy: ResumeStrategy) -> Fade {
    switch strategy {
    case .continueFromProgress: fade
    case .quickFinish: fade.hurried(at: frame, over: quickFinish)
    }
  }

  /// One fade of a running crossfade after a navigation at `frame`.
  package func turned(_ fade: Fade, at frame: FrameTime, by navigation: Navigation) -> Fade {
    switch navigation {
    case .rollBack: fade.undone(at: frame, over: turn)
    case .fastForward: fade.hurried(at: frame, over: turn)
    case .letFinish: fade
    }
  }
}
