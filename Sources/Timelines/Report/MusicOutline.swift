import Schedule
import Signal

/// The lines of a report about the music of a stage: every clip, but of a long repetition only the first two
/// passes and the last clip.
struct MusicOutline: Sequence, IteratorProtocol {
  enum Line {
    case clip(Clip)
    /// Replaces that many passes, the last of which may be cut off at a frame; nil if they have no end.
    case passes(Int?, until: FrameTime)
  }

  private let plan: MusicPlan
  /// The track that plays last, if the music ends.
  private let last: MusicPlan.TrackPlay?
  private var clips: MusicPlan.Clips
  private var previous: FrameTime = 0
  private var isOver = false

  init(of plan: MusicPlan) {
    self.plan = plan
    clips = plan.clips
    if let ending = plan.ending {
      last = plan.trackPlay(at: ending.end - 1)
    } else {
      last = plan.naturalLength == .endless ? nil : plan.trackPlay(at: plan.begin + plan.naturalLength - 1)
    }
  }

  /// The next line. The third pass is replaced by a summary of all passes up to the last one.
  mutating func next() -> Line? {
    guard !isOver, let clip = clips.next() else { return nil }
    defer { previous = clip.at }
    // The third pass begins with its first track, or with the same track if a single one repeats.
    guard let entry = clip.entry, entry.pass == 2, plan.playlist.repetition == .track || entry.index == 0 else {
      return .clip(clip)
    }
    return rest(of: entry, from: clip.at) ?? .clip(clip)
  }

  /// Moves to the last clip of a repetition whose third pass begins at frame `third`; nil if the repetition has no more
  /// than three passes.
  private mutating func rest(of entry: PlaylistEntry, from third: FrameTime) -> Line? {
    guard let final = lastTrackPlay(repeating: entry, from: third) else {
      isOver = true
      return .passes(nil, until: .endless)
    }
    if final.entry.pass < 3 { return nil }
    clips = plan.clips(from: final)
    var ahead = clips
    return .passes(final.entry.pass - 1, until: ahead.next()?.end ?? .endless)
  }

  /// The last pass of a repetition, computed without stepping through the passes: there may be millions.
  private func lastTrackPlay(repeating entry: PlaylistEntry, from third: FrameTime) -> MusicPlan.TrackPlay? {
    if plan.playlist.repetition == .playlist || last?.entry.index == entry.index { return last }
    guard let count = plan.playlist.repeatCount else { return nil }
    return plan.trackPlay(at: third + FrameCount(count - 2) * (third - previous))
  }
}
