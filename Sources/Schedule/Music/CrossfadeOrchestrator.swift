package import Signal

/// Chooses the fades of each transition near a track's end, and computes how a running crossfade continues when the
/// listener navigates, or resumes it with a quick finish. Its results are fades; the mixer applies them.
///
/// A changed fade keeps its curve and continues from its current gain. Both sides of a crossfade stay on their original
/// curve at a different speed, so their summed loudness stays that of the original crossfade.
package struct CrossfadeOrchestrator: Sendable, Hashable {
  package let rate: SampleRate

  package init(rate: SampleRate) { self.rate = rate }

  /// The fades of a transition near the end of a track. Lengths are in frames.
  package enum Strategy: Sendable, Hashable {
    /// No crossfade is requested: the next track begins where the current one ends.
    case instant
    /// Both tracks fade for the requested length.
    case full(FrameCount)
    /// The current track has fewer frames left than requested. It fades out until its end, and the next one fades in as
    /// requested.
    case separate(fadeOut: FrameCount, fadeIn: FrameCount)

    /// The length of the current track's fade-out.
    package var fadeOut: FrameCount {
      switch self {
      case .instant: 0
      case .full(let length), .separate(let length, _): length
      }
    }
  }

  /// Chooses the fades of a transition.
  ///
  /// - Parameters:
  ///   - remaining: remaining frames of the current track; `.endless` if nothing ends it.
  ///   - wanted: requested frames of the crossfade.
  package static func strategy(remaining: FrameCount, wanted: FrameCount) -> Strategy {
    if wanted <= 0 { return .instant }
    return wanted <= remaining ? .full(wanted) : .separate(fadeOut: max(0, remaining), fadeIn: wanted)
  }

  /// The length of a planned crossfade: as requested, but at most half of either track.
  static func overlap(
    wanted: FrameCount, outgoing: FrameCount = .endless, incoming: FrameCount = .endless
  ) -> FrameCount { min(wanted, outgoing / 2, incoming / 2) }

  /// Frames for the rest of a crossfade that is finished quickly: 1 s.
  package var quickFinish: FrameCount { rate.frames(1) }

  /// Frames in which a navigation rolls a crossfade back or finishes it: 0.3 s.
  package var redirection: FrameCount { rate.frames(0.3) }
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

  /// Decides what happens to a running crossfade.
  ///
  /// - Parameter progress: the progress of the crossfade, 0…1.
  package func navigation(progress: Double) -> Navigation {
    if progress < 0.2 { return .rollBack }
    return progress <= 0.9 ? .fastForward : .letFinish
  }

  /// One fade of a running crossfade after a navigation at `frame`.
  package func redirected(_ fade: Fade, at frame: FrameTime, by navigation: Navigation) -> Fade {
    switch navigation {
    case .rollBack: fade.reversed(at: frame, over: redirection)
    case .fastForward: fade.shortened(at: frame, over: redirection)
    case .letFinish: fade
    }
  }
}
