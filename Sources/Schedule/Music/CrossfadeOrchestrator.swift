public import Signal

/// Plans crossfades: which kind there is time for, and how one that sounds goes on when the listener pauses, resumes or
/// moves on. Fades go in and fades come out; the mixer does the rest.
///
/// A fade that is changed keeps its curve and goes on from the very gain that it has. Both sides of a crossfade then
/// stay on the curve that they were on, only at another pace, and their loudness together is that of the old crossfade.
public struct CrossfadeOrchestrator: Sendable, Hashable {
  public let rate: SampleRate

  public init(rate: SampleRate) { self.rate = rate }

  /// What there is time for.
  public enum Strategy: Sendable, Hashable {
    /// No crossfade is wanted: the next track begins where the other ends.
    case instant
    case full(FrameCount)
    /// Shorter than wanted, as long as what is left of the track.
    case reduced(FrameCount)
    /// The old track fades out, then the new one fades in.
    case separate(fadeOut: FrameCount, fadeIn: FrameCount)
  }

  /// - Parameters:
  ///   - remaining: frames that are left of the track that sounds; `.endless` when nothing ends it.
  ///   - wanted: frames that the crossfade is to take.
  public func strategy(remaining: FrameCount, wanted: FrameCount) -> Strategy {
    if wanted == 0 { return .instant }
    guard 0 < wanted, 0 < remaining else { return .separate(fadeOut: shortest, fadeIn: shortest) }
    if wanted <= remaining { return .full(wanted) }
    // Half of an odd length is not a whole frame.
    if wanted - remaining <= remaining { return .reduced(remaining) }
    return .separate(fadeOut: max(shortest, remaining), fadeIn: max(shortest, remaining))
  }

  /// The shortest fade that is one: a tenth of a second.
  private var shortest: FrameCount { rate.frames(0.1) }

  /// How long what is left of a hurried crossfade takes.
  public var quickFinish: FrameCount { rate.frames(1) }

  /// How long a crossfade takes to be undone, or to be brought to its end because of the next one.
  public var turn: FrameCount { rate.frames(0.3) }
}

extension CrossfadeOrchestrator {
  /// What happens to the crossfade under way when the listener moves on.
  public enum Navigation: Sendable, Hashable {
    /// Hardly begun: the old track comes back.
    case rollBack
    /// Well under way: it is brought to its end.
    case fastForward
    /// Nearly over: it ends by itself.
    case letFinish
  }

  public func navigation(progress: Double) -> Navigation {
    if progress < 0.2 { return .rollBack }
    return progress <= 0.9 ? .fastForward : .letFinish
  }

  /// How a fade goes on from `frame`.
  public func resumed(_ fade: Fade, at frame: FrameTime, by strategy: ResumeStrategy) -> Fade {
    switch strategy {
    case .continueFromProgress: fade
    case .quickFinish: fade.hurried(at: frame, over: quickFinish)
    }
  }

  /// A fade of the crossfade under way when the listener moves on at `frame`.
  public func turned(_ fade: Fade, at frame: FrameTime, by navigation: Navigation) -> Fade {
    switch navigation {
    case .rollBack: fade.undone(at: frame, over: turn)
    case .fastForward: fade.hurried(at: frame, over: turn)
    case .letFinish: fade
    }
  }
}
