import Schedule
import Signal

/// The vertical geometry of the drawing below the music, in pixels: overlays in up to four lanes, gongs, the axis.
struct ReportRows {
  /// The lower edge of the music, and the height of a track at a gain of 1.
  static let musicFloor = 172.0
  static let musicHeight = 98.0
  private static let lanes = 4
  private static let laneHeight = 26.0

  /// A cue that is drawn, with its run and the frame up to which it is drawn.
  struct Cue {
    var clip: Clip
    var run: ReportCanvas.Run
    var until: FrameTime
  }

  private(set) var overlays: [[Cue]] = []
  private(set) var gongs: [Cue] = []

  /// Assigns every cue to a lane. A cue that begins after the end of its run is left out.
  init(of timeline: Timeline, on canvas: ReportCanvas) {
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

  /// The lower edge of a lane.
  func floor(ofLane lane: Int) -> Double { Self.musicFloor + 10 + Double(lane + 1) * Self.laneHeight }
  var gongLine: Double { floor(ofLane: overlays.count - 1) + (gongs.isEmpty ? 0 : 34) }
  /// The vertical position of the axis.
  var floor: Double { gongLine + 14 }
  var height: Double { floor + 34 }

  /// Adds a cue, unless it begins within three pixels of one that is already drawn, because a long session may have
  /// thousands.
  private mutating func add(_ cue: Cue, on canvas: ReportCanvas) {
    let x = canvas.x(cue.clip.at, in: cue.run)
    func isClose(to other: Cue?) -> Bool {
      other.map { x < canvas.x($0.clip.at, in: $0.run) + ReportCanvas.finest } ?? false
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

extension TimelineReport {
  /// Draws the overlays, each with its title if there is room.
  func overlays(_ canvas: ReportCanvas, _ rows: ReportRows, _ write: (String) -> Void) {
    for (lane, cues) in rows.overlays.enumerated() {
      let floor = rows.floor(ofLane: lane)
      for cue in cues {
        let x = canvas.x(cue.clip.at, in: cue.run)
        write(
          ReportShape.sound(
            cue.clip, until: cue.until, x: { canvas.x($0, in: cue.run) }, floor: floor, height: 20,
            kind: "overlay", hint: hint(cue.clip)))
        let room = canvas.x(cue.until, in: cue.run) - x - 8
        guard let label = ReportShape.label(cue.clip.title, width: room) else { continue }
        write(ReportShape.text(label, x: x + 4, y: floor - 5))
      }
    }
  }

  /// Draws the gongs, each with its title if there is room before the next one.
  func gongs(_ canvas: ReportCanvas, _ rows: ReportRows, _ write: (String) -> Void) {
    for (index, gong) in rows.gongs.enumerated() {
      let x = canvas.x(gong.clip.at, in: gong.run)
      let hint = ReportShape.escaped(hint(gong.clip))
      let (shown, y) = (ReportShape.number(x), rows.gongLine)
      let top = ReportShape.number(y - 16)
      write("<g class=\"gong\"><title>\(hint)</title><circle cx=\"\(shown)\" cy=\"\(top)\" r=\"3\"/>")
      write("<path d=\"M\(shown) \(top)V\(ReportShape.number(rows.floor))\"/></g>\n")
      let following = index + 1 < rows.gongs.count ? rows.gongs[index + 1] : nil
      let room = (following.map { canvas.x($0.clip.at, in: $0.run) } ?? 1004) - x - 10
      guard let label = ReportShape.label(gong.clip.title, width: room) else { continue }
      write(ReportShape.text(label, x: x + 6, y: y - 12, kind: "faint"))
    }
  }

  /// Draws the time axis. Labels that would overlap are left out.
  func axis(_ canvas: ReportCanvas, _ rows: ReportRows, _ write: (String) -> Void) {
    let (left, right) = (ReportCanvas.left, ReportCanvas.left + ReportCanvas.width)
    write("<path class=\"rule\" d=\"M\(left) \(ReportShape.number(rows.floor))H\(right)\"/>\n")
    let step = max(1, rate.frames(canvas.tickStep))
    var labelled = -Double.infinity
    for run in canvas.runs {
      // If another run follows, its label 0:00 is at the end of this one.
      let isLast = run.stages.upperBound == timeline.stages.count
      for frame in stride(from: 0, to: run.length + (isLast ? 1 : 0), by: FrameCount.Stride(step)) {
        let x = canvas.x(frame, in: run)
        if x < labelled + 48 { continue }
        labelled = x
        write(ReportShape.line(x: x, from: rows.floor, to: rows.floor + 5, kind: "rule"))
        write(ReportShape.text(Clock.text(frame, rate), x: x - 1, y: rows.floor + 19, kind: "faint"))
      }
    }
  }
}
