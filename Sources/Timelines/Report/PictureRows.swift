import Schedule
import Signal

/// The vertical geometry of the drawing below the music, in pixels: overlays in up to four lanes, gongs, the axis.
struct PictureRows {
  /// The lower edge of the music, and the height of a track at a gain of 1.
  static let musicFloor = 172.0
  static let musicHeight = 98.0
  private static let lanes = 4
  private static let laneHeight = 26.0

  /// A cue that is drawn, with its run and the frame up to which it is drawn.
  struct Cue {
    var clip: Clip
    var run: PictureCanvas.Run
    var until: FrameTime
  }

  private(set) var overlays: [[Cue]] = []
  private(set) var gongs: [Cue] = []

  /// Assigns every cue to a lane. A cue that begins after the end of its run is left out.
  init(of timeline: Timeline, on canvas: PictureCanvas) {
    for run in canvas.runs {
      var cues = timeline.stages[run.stages].flatMap(\.cues)
      if run.offset == 0 { cues += timeline.cues }
      cues.sort { $0.at < $1.at }
      for cue in cues where cue.at <= run.length {
        let until = max(min(cue.end, run.length), cue.at + canvas.finest)
        add(Cue(clip: cue, run: run, until: until), on: canvas)
      }
    }
  }

  /// The overlay that follows another one in its lane; nil if there is none.
  func next(after cue: Cue, inLane lane: Int) -> Cue? {
    overlays[lane].first { $0.run.offset + $0.clip.at > cue.run.offset + cue.clip.at }
  }

  /// The lower edge of a lane.
  func floor(ofLane lane: Int) -> Double { Self.musicFloor + 10 + Double(lane + 1) * Self.laneHeight }
  var gongLine: Double { floor(ofLane: overlays.count - 1) + (gongs.isEmpty ? 0 : 34) }
  /// The vertical position of the axis.
  var floor: Double { gongLine + 14 }
  var height: Double { floor + 34 }

  /// Adds a cue, unless it begins within three pixels of one that is already drawn, because a long session may have
  /// thousands.
  private mutating func add(_ cue: Cue, on canvas: PictureCanvas) {
    let x = canvas.x(cue.clip.at, in: cue.run)
    func isClose(to other: Cue?) -> Bool {
      other.map { x < canvas.x($0.clip.at, in: $0.run) + PictureCanvas.finest } ?? false
    }
    guard cue.clip.layer == .overlay else {
      if !isClose(to: gongs.last) { gongs.append(cue) }
      return
    }
    // The first lane in which the previous overlay has ended; a new lane if there is none.
    let free = overlays.firstIndex { $0.last.map { canvas.x($0.until, in: $0.run) <= x + 0.01 } ?? true }
    if let lane = free, !isClose(to: overlays[lane].last) { return overlays[lane].append(cue) }
    if free == nil, overlays.count < Self.lanes { return overlays.append([cue]) }
    let last = overlays.count - 1
    if free == nil, !isClose(to: overlays[last].last) { overlays[last].append(cue) }
  }
}
