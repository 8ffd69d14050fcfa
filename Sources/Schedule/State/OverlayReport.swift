import Signal

/// The overlays that have begun and not ended: those that sound, and those that are paused. One that stays paused ends
/// when its stage ends, or when it is stopped or replaced.
struct OverlayReport: Sendable {
  private var begun: [ClipID: Clip] = [:]
  /// The frames at which pauses were reported.
  private var paused: [ClipID: FrameTime] = [:]
  /// The frames at which paused overlays end.
  private var ends: [ClipID: FrameTime] = [:]
  /// The next repeats of overlays that were paused between two repeats. No sound begins or ends with such a pause.
  private var waiting: Set<ClipID> = []

  /// The overlays that have begun, in the order of the schedule.
  var clips: [Clip] { begun.values.sorted { $0.id.ordinal < $1.id.ordinal } }

  /// The paused overlay that ends next, and the frame at which it ends.
  var nextEnd: (id: ClipID, frame: FrameTime)? {
    if paused.isEmpty { return nil }
    let next = ends.filter { paused[$0.key] != nil }.min { ($0.value, $0.key.ordinal) < ($1.value, $1.key.ordinal) }
    return next.map { ($0.key, max($0.value, paused[$0.key] ?? .min)) }
  }

  mutating func start(_ clip: Clip) -> [ScheduleEvent] {
    if clip.isContinued, paused.removeValue(forKey: clip.id.firstPart) != nil {
      return [.overlayResumed(title: clip.title)]
    }
    begun[clip.id.firstPart] = clip
    return [.overlayStarted(title: clip.title)]
  }

  mutating func pause(_ clip: Clip, at frame: FrameTime) -> [ScheduleEvent] {
    paused[clip.id.firstPart] = frame
    return [.overlayPaused(title: clip.title)]
  }

  mutating func end(_ id: ClipID) -> [ScheduleEvent] {
    (paused[id], ends[id]) = (nil, nil)
    waiting.remove(id)
    return begun.removeValue(forKey: id).map { [.overlayEnded(title: $0.title)] } ?? []
  }

  /// Updates the paused overlays from an edited schedule.
  ///
  /// - Returns: the events of the edit at `frame` that no sound shows: overlays that it has paused or resumed between
  ///   two repeats, and paused overlays that it has ended.
  mutating func replan(_ schedule: Schedule, at frame: FrameTime) -> [ScheduleEvent] {
    let known = schedule.pausedOverlays
    ends = Dictionary(known.map { ($0.clip.id.firstPart, $0.end) }) { first, _ in first }
    let gone = clips.filter { paused[$0.id.firstPart] != nil && ends[$0.id.firstPart] == nil }
    let resumed =
      gone.isEmpty ? [] : Set(schedule.clips(from: frame).prefix { $0.begin <= frame }.map(\.id.firstPart))
    var events: [ScheduleEvent] = []
    for clip in gone {
      let id = clip.id.firstPart
      if waiting.contains(id), schedule.isToCome(id, at: frame) {
        _ = end(id)
        events.append(.overlayResumed(title: clip.title))
      } else if !resumed.contains(id) {
        events += end(id)
      }
    }
    for (clip, _) in known where !clip.isPaused && waiting.insert(clip.id.firstPart).inserted {
      begun[clip.id.firstPart] = clip
      events += pause(clip, at: frame)
    }
    return events
  }
}
