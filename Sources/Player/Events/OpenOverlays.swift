import Schedule
import Signal

/// The overlays that have begun and not ended. One that stays paused ends when its stage ends, or when it is stopped or
/// replaced.
struct OpenOverlays: Sendable {
  private var begun: [ClipID: Clip] = [:]
  /// The frames at which pauses were reported.
  private var paused: [ClipID: FrameTime] = [:]
  /// The frames at which paused overlays end.
  private var ends: [ClipID: FrameTime] = [:]

  /// The overlays that have begun, in the order of the schedule.
  var clips: [Clip] { begun.values.sorted { $0.id.ordinal < $1.id.ordinal } }

  /// The paused overlay that ends next, and the frame at which it ends.
  var nextEnd: (id: ClipID, frame: FrameTime)? {
    let next = ends.filter { paused[$0.key] != nil }.min { ($0.value, $0.key.ordinal) < ($1.value, $1.key.ordinal) }
    return next.map { ($0.key, max($0.value, paused[$0.key] ?? .min)) }
  }

  mutating func start(_ clip: Clip) -> [PlayerEvent] {
    if clip.isContinued, paused.removeValue(forKey: clip.id.firstPart) != nil {
      return [.overlayResumed(title: clip.title)]
    }
    begun[clip.id.firstPart] = clip
    return [.overlayStarted(title: clip.title)]
  }

  mutating func pause(_ clip: Clip, at frame: FrameTime) -> [PlayerEvent] {
    paused[clip.id.firstPart] = frame
    return [.overlayPaused(title: clip.title)]
  }

  mutating func end(_ id: ClipID) -> [PlayerEvent] {
    (paused[id], ends[id]) = (nil, nil)
    return begun.removeValue(forKey: id).map { [.overlayEnded(title: $0.title)] } ?? []
  }

  /// Updates the ends of paused overlays from an edited schedule.
  ///
  /// - Returns: the events of paused overlays that the edit at `frame` has ended: in the schedule they are neither
  ///   paused nor resumed.
  mutating func replan(_ schedule: Schedule, at frame: FrameTime) -> [PlayerEvent] {
    ends = Dictionary(schedule.pausedOverlays.map { ($0.clip.id.firstPart, $0.end) }) { first, _ in first }
    let gone = clips.map(\.id.firstPart).filter { paused[$0] != nil && ends[$0] == nil }
    if gone.isEmpty { return [] }
    let resumed = Set(schedule.clips(from: frame).prefix { $0.begin <= frame }.map(\.id.firstPart))
    return gone.filter { !resumed.contains($0) }.flatMap { end($0) }
  }
}
