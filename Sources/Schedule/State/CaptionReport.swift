import Signal
import Sounds

/// The sentences to come of the clips that play.
struct CaptionReport: Sendable {
  private let rate: SampleRate
  /// The clips that play, each with the index of its next caption.
  private var clips: [ClipID: (clip: Clip, next: Int)] = [:]
  /// The session frame at which the next sentence begins; `.endless` if there is none.
  private(set) var nextFrame: FrameTime = .endless

  init(rate: SampleRate) { self.rate = rate }

  /// A clip plays from `frame` on. A sentence in whose middle it begins is not reported.
  mutating func start(_ clip: Clip, at frame: FrameTime) {
    if clip.captions.isEmpty { return }
    clips[clip.id] = (clip, clip.captions.partitionPoint { frame <= clip.at + $0.begin })
    findNext()
  }

  mutating func end(_ id: ClipID) { if clips.removeValue(forKey: id) != nil { findNext() } }

  /// The clips that play after an edit at `frame`.
  mutating func replace(by playing: some Sequence<Clip>, at frame: FrameTime) {
    clips = [:]
    for clip in playing { start(clip, at: frame) }
    findNext()
  }

  /// The events of the sentences that begin at `now`, the frame of `nextFrame`, in the order of their clips.
  mutating func take(at now: FrameTime) -> [(ClipID, ScheduleEvent)] {
    var events: [(ClipID, ScheduleEvent)] = []
    for (id, entry) in clips.sorted(by: { $0.key.ordinal < $1.key.ordinal }) {
      guard let caption = caption(of: entry), entry.clip.at + caption.begin <= now else { continue }
      clips[id]?.next += 1
      let duration = rate.seconds(min(caption.end, entry.clip.length) - caption.begin)
      events.append((id, .caption(caption.text, title: entry.clip.title, duration: duration)))
    }
    findNext()
    return events
  }

  /// The next caption of a clip; nil if it ends before.
  private func caption(of entry: (clip: Clip, next: Int)) -> Caption? {
    guard entry.clip.captions.indices.contains(entry.next) else { return nil }
    let caption = entry.clip.captions[entry.next]
    return entry.clip.at + caption.begin < entry.clip.end ? caption : nil
  }

  private mutating func findNext() {
    nextFrame =
      clips.values.compactMap { entry in caption(of: entry).map { entry.clip.at + $0.begin } }.min() ?? .endless
  }
}
