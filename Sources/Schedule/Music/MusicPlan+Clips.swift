import Signal
import Sounds

extension MusicPlan {
  /// The clips of all tracks, ordered by their first frame.
  package var clips: Clips { Clips(plan: self, from: first, move: 0, stage: 0) }

  /// The clips from one track play of this plan on.
  package func clips(from trackPlay: TrackPlay) -> Clips { Clips(plan: self, from: trackPlay, move: 0, stage: 0) }

  /// Computes the clips one at a time.
  package struct Clips: Sequence, IteratorProtocol, Sendable {
    let plan: MusicPlan
    private let ending: MusicEnding?
    private var upcoming: TrackPlay?
    private let move: Int
    private let stage: Int

    init(plan: MusicPlan, from trackPlay: TrackPlay?, move: Int, stage: Int) {
      self.plan = plan
      upcoming = trackPlay
      ending = plan.effectiveEnding(from: trackPlay)
      (self.move, self.stage) = (move, stage)
    }

    package mutating func next() -> Clip? {
      guard let trackPlay = upcoming else { return nil }
      // No track begins after the stage's music has ended.
      if let ending, ending.end <= trackPlay.begin { return nil }
      let following = plan.successor(of: trackPlay)
      upcoming = following
      return plan.clip(of: trackPlay, before: following, ending: ending, move: move, stage: stage)
    }
  }

  /// The clip of one track play.
  func clip(of trackPlay: TrackPlay, move: Int, stage: Int) -> Clip {
    clip(
      of: trackPlay, before: successor(of: trackPlay), ending: effectiveEnding(from: trackPlay), move: move,
      stage: stage)
  }

  /// The ending of the plan, with its crossfade shortened to the music that is left.
  func effectiveEnding(from trackPlay: TrackPlay?) -> MusicEnding? {
    guard var ending, ending.kind == .crossfade, let trackPlay else { return ending }
    let end = end(from: trackPlay)
    guard end != .endless, ending.fade.start < end else { return ending }
    let strategy = CrossfadeOrchestrator.strategy(remaining: end - ending.fade.start, wanted: ending.fade.length)
    ending.fade.length = strategy.fadeOut
    return ending
  }

  /// Gives a clip whose crossfade into its successor is `fadeOut` a new ending.
  func replaceEnding(of clip: inout Clip, crossfading fadeOut: Fade, by ending: MusicEnding?) {
    clip.leave = nil
    clip.length = fadeOut.end - clip.at
    if let ending { end(&clip, with: ending) }
  }

  private func clip(
    of trackPlay: TrackPlay, before next: TrackPlay?, ending: MusicEnding?, move: Int, stage: Int
  ) -> Clip {
    let track = tracks[trackPlay.entry.index]
    var clip = Clip(
      ClipID(.track(move: move, trackPlay: trackPlay.ordinal, entry: track.id), stage: stage, part: trackPlay.part),
      layer: .music,
      source: track.source, title: track.title, at: trackPlay.at, length: length(of: trackPlay), gain: track.gain * gain
    )
    clip.entry = trackPlay.entry
    clip.playback = trackPlay.playback
    clip.number = track.number
    (clip.tags, clip.captions) = (track.tags, track.captions ?? [])
    clip.entryFrame = trackPlay.entryFrame
    clip.join = join(of: trackPlay, before: next)
    addFadeIn(to: &clip, of: trackPlay)
    if let overlap = next?.entry.overlap, 0 < overlap {
      clip.fadeOut = .falling(at: clip.end - overlap, over: overlap, crossfade.curve)
    }
    if let ending { end(&clip, with: ending) }
    return clip
  }

  /// How a track joins its neighbours; nil if it is converted on its own.
  private func join(of trackPlay: TrackPlay, before next: TrackPlay?) -> SoundJoin? {
    guard let length = tracks[trackPlay.entry.index].resampled else { return nil }
    // If the track has taken the place of another one, the sound before it can have another rate.
    let before = trackPlay.before.flatMap { $0.length.source == length.source ? $0 : nil }
    let after = next.flatMap { $0.before == nil ? nil : tracks[$0.entry.index].source }
    return SoundJoin(delay: trackPlay.exactAt.fraction, before: before, after: after)
  }

  /// Sets the fade-in or the ramp at the clip's beginning.
  private func addFadeIn(to clip: inout Clip, of trackPlay: TrackPlay) {
    // A resumed track, or one that starts in its middle without a fade-in, starts with the ramp.
    if 0 < trackPlay.part || trackPlay.requestedFadeIn?.length ?? 0 == 0, let entryFrame = trackPlay.entryFrame {
      clip.ramp = .rising(at: entryFrame, over: trackPlay.ramp, .sCurve)
    }
    // A fade-in that was running before a pause or a change of the crossfade continues unchanged.
    if 0 < trackPlay.part || trackPlay.fadeIn != nil { return clip.fadeIn = trackPlay.fadeIn }
    // Only the first track of a stage uses the stage's fade-in. The others crossfade with the track before.
    let isFirst = trackPlay.ordinal == 0 && trackPlay.entry.overlap == 0
    let planned = isFirst ? openingFade : FadeShape(length: trackPlay.entry.overlap, curve: crossfade.curve)
    let fadeIn = trackPlay.requestedFadeIn ?? planned
    let begin = trackPlay.requestedFadeIn == nil ? trackPlay.at : clip.begin
    if 0 < fadeIn.length { clip.fadeIn = .rising(at: begin, over: fadeIn.length, fadeIn.curve) }
  }

  /// Ends the clip with the stage. If the stage ends before the crossfade into the next track begins, that crossfade is
  /// dropped.
  private func end(_ clip: inout Clip, with ending: MusicEnding) {
    if clip.end <= ending.fade.start { return }
    let endsByItself = clip.end <= ending.end
    // A track that ends before a cut needs no ramp.
    if ending.kind == .cut, endsByItself { return }
    if !endsByItself {
      clip.length = ending.end - clip.at
      if let fadeOut = clip.fadeOut, ending.end <= fadeOut.start { clip.fadeOut = nil }
    }
    clip.leave = ending.fade
  }
}
