import Engine
import Schedule
import Signal
import Sounds

extension Executor {
  /// Processes the mixer's reports and releases the voices whose ends have been heard. Live, reports of frames that
  /// have not been heard are kept back, because a rewind can still revoke them.
  mutating func collectReports(heardUpTo heard: FrameTime = .endless) {
    // Reports are complete up to the mixed frame, so the result does not depend on the timing of the threads.
    let certain = isVirtual ? renderSync.mixedFrame : min(heard, renderSync.mixedFrame)
    self.heard = max(self.heard, certain)
    mixerControl.reclaim()
    while let report = mixerControl.nextReport() { reports.append(report) }
    let limit = isVirtual ? .endless : heard
    var rest: [RenderReport] = []
    for report in reports { if report.holds(before: limit) { take(report) } else { rest.append(report) } }
    reports = rest
    for voice in voices.playing.keys.sorted() {
      if !begun.contains(voice), let clip = voices.playing[voice], clip.begin < certain {
        timeline.playhead.postpone(clip.id)
      }
      reportDamage(of: voice, before: certain)
    }
  }

  /// The frame of the earliest report that is kept back; `.endless` if there is none.
  var nextReport: FrameTime { reports.map(\.frame).min() ?? .endless }

  private mutating func take(_ report: RenderReport) {
    switch report {
    case .started(let voice, let frame):
      guard let clip = voices.playing[voice], begun.insert(voice).inserted else { return }
      if clip.begin < frame { timeline.playhead.postpone(clip.id) }
      timeline.playhead.begin(clip.id, at: frame)
    case .ended(let voice, let frame, let missing): end(voice, at: frame, missing: missing)
    case .starved(let voice, let frame, let frames): reportStarved(voice, at: frame, frames: frames)
    case .stalled(let voice, let frame): reportStalled(voice, at: frame)
    case .late(let voice, let frame, let by): reportLate(voice, for: frame, by: by)
    case .lost(let count, let frame):
      let text = "gaps of sound and late commands that were not reported, because the computer was too slow: \(count)"
      timeline.note(.emitted(.warning(text)), at: frame)
    }
  }

  /// Ends a voice and releases it.
  ///
  /// - Parameter missing: frames by which the sound was shorter than planned.
  private mutating func end(_ voice: Int32, at frame: FrameTime, missing: FrameCount) {
    guard let clip = voices.playing[voice] else { return }
    if 0 < missing { timeline.playhead.end(clip.id, at: frame) }
    reportDamage(of: voice, before: 0 < missing ? frame + 1 : frame)
    voices.playing[voice] = nil
    let isReported = reported.remove(voice) != nil
    begun.remove(voice)
    mixerControl.release(voice)
    guard 0 < missing, clip.length != .endless else { return }
    if !isReported {
      report(
        .damaged(
          path: clip.source.label, atSecond: rate.seconds(clip.length - missing),
          cause: "it ends before its stated length"),
        of: clip, at: frame)
    }
    voices.over.insert(clip.id)
    // The music is raised now, not at the clip's planned end.
    ducking.silence(clip.id, from: max(frame, renderSync.mixedFrame))
    ducking.command(clip, from: renderSync.mixedFrame, on: &mixerControl)
  }

  /// Reports the damage of a voice's sound once, when the damaged frame has been heard.
  private mutating func reportDamage(of voice: Int32, before frame: FrameTime) {
    guard let clip = voices.playing[voice], !reported.contains(voice), let damage = mixerControl.damage(of: voice)
    else {
      return
    }
    let damagedFrame = clip.begin + damage.frame
    guard damagedFrame < frame else { return }
    reported.insert(voice)
    report(damage.error, of: clip, at: damagedFrame)
  }

  /// Reports once that a voice's decoder does not deliver.
  private mutating func reportStalled(_ voice: Int32, at frame: FrameTime) {
    guard let clip = voices.playing[voice], reported.insert(voice).inserted else { return }
    let cause = "it doesn't answer; check the disk or the network that it comes from"
    report(.unavailable(path: clip.source.label, cause: cause), of: clip, at: frame)
  }

  /// Counts the damage and emits an `error` event.
  private mutating func report(_ error: SourceError, of clip: Clip, at frame: FrameTime) {
    count(error, at: frame)
    timeline.note(.emitted(.error(.fileLoadFailed(error)), of: clip), at: frame)
  }

  /// Emits an `underrun` event for a voice that was silent for `frames` because its decoder was too slow.
  private mutating func reportStarved(_ voice: Int32, at frame: FrameTime, frames: FrameCount) {
    guard let clip = voices.playing[voice] else { return }
    timeline.totals.shortfalls.starved += 1
    let missing = 1_000 * rate.seconds(frames)
    timeline.note(.emitted(.underrun(clip.layer, title: clip.title, milliseconds: missing)), at: frame)
  }

  /// Emits a `late` event for a command that reached the mixer `delay` frames after `frame`.
  private mutating func reportLate(_ voice: Int32?, for frame: FrameTime, by delay: FrameCount) {
    timeline.totals.shortfalls.late += 1
    let title = voice.flatMap { voices.playing[$0]?.title }
    let event = PlayerEvent.late(
      title: title, due: rate.seconds(frame), milliseconds: 1_000 * rate.seconds(delay))
    timeline.note(.emitted(event), at: frame + delay)
  }
}

extension RenderReport {
  /// Whether the report stays valid after a rewind to `heard`. A clip that begins exactly there begins again after the
  /// rewind; one that ends there has ended.
  fileprivate func holds(before heard: FrameTime) -> Bool {
    if case .ended = self { frame <= heard } else { frame < heard }
  }

  /// The session frame of the reported event.
  fileprivate var frame: FrameTime {
    switch self {
    case .started(_, let frame), .starved(_, let frame, _), .stalled(_, let frame), .ended(_, let frame, _),
      .lost(_, let frame):
      frame
    case .late(_, let frame, let by): frame + by
    }
  }
}
