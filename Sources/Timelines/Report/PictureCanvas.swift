import Schedule
import Signal

/// The horizontal geometry of the drawing: maps frames to pixels.
///
/// The frames after an open stage count from 0 again, so the page shows one run of stages after the other.
struct PictureCanvas {
  /// The stages from one open stage to the next.
  struct Run {
    var stages: Range<Int>
    /// The frames of all earlier runs, and those of this run.
    var offset: FrameCount
    var length: FrameCount
  }

  /// The left edge and the width of the time axis, in pixels.
  static let left = 24.0
  static let width = 960.0
  /// The width of the narrowest shape, in pixels. Narrower ones are merged with their neighbours.
  static let finest = 3.0

  private(set) var runs: [Run] = []
  private let rate: SampleRate
  private var total: FrameCount = 0

  init(of timeline: Timeline) {
    rate = timeline.rate
    for stages in timeline.runs {
      // There is an end only if no stage is open, so the run is the only one.
      let length = max(Self.length(of: timeline.stages[stages], rate), timeline.end ?? 0)
      runs.append(Run(stages: stages, offset: total, length: length))
      total += length
    }
    total = max(total, 1)
  }

  /// The horizontal position of a frame in pixels. Frames outside the run are moved to its edges.
  func x(_ frame: FrameTime, in run: Run) -> Double {
    let clipped = min(max(frame, 0), run.length)
    return Self.left + Double(run.offset + clipped) / Double(total) * Self.width
  }

  /// The frames that are drawn.
  var frames: FrameCount { total }

  /// The frame at a horizontal position of a drawing with one run.
  func frame(_ x: Double) -> Double { (x - Self.left) / Self.width * Double(total) }

  /// The length of the narrowest shape, in frames; at least 1.
  var finest: FrameCount { max(1, FrameCount(Double(total) * Self.finest / Self.width)) }

  /// The distance between the ticks of the axis, in seconds: a round number that gives at most twelve ticks.
  var tickStep: Double {
    let steps: [Double] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    ]
    let seconds = rate.seconds(total)
    return steps.first { seconds / $0 <= 12 } ?? (seconds / 12).rounded(.up)
  }

  /// The length of a run in frames. An open stage is shown with one pass of its tracks or its first 20 cues, whichever
  /// is longer; at least a minute and at most a day.
  private static func length(of stages: ArraySlice<Timeline.Stage>, _ rate: SampleRate) -> FrameCount {
    guard let last = stages.last else { return 0 }
    let first = stages.flatMap { $0.cues.prefix(20) }
    let cues = first.map { $0.length == .endless ? $0.at : $0.end }.max() ?? 0
    if let end = last.end { return max(end, cues) }
    let once = last.music.tracks.reduce(0.0) { $0 + ($1.length == .endless ? 0 : Double($1.length)) }
    let day = Double(rate.hertz) * Programme.plannedOpenStage
    let shown = max(Double(rate.hertz) * 60, min(once, day), Double(cues - last.begin))
    return last.begin + FrameTime(nearest: min(shown, day))
  }
}
