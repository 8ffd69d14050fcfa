import Markup
import Schedule
import Signal
import Sounds

/// Writes a timeline as an SVG picture: stages, the music with its fades, overlays, gongs, and a time axis. With the
/// waveforms, each layer also shows how loud it is, so that one sees the music lowered under a voice.
///
/// The picture has at most a few thousand shapes, whatever the length of the session: shapes narrower than three pixels
/// are merged.
struct Picture {
  private let timeline: Timeline
  /// Nil if the sound is not known.
  private let waveforms: Waveforms?
  private let write: TimelineReport.Writer
  private let canvas: PictureCanvas
  private let rows: PictureRows
  private var rate: SampleRate { timeline.rate }

  init(_ timeline: Timeline, _ waveforms: Waveforms? = nil, _ write: @escaping TimelineReport.Writer) {
    self.waveforms = waveforms
    (self.timeline, self.write, canvas) = (timeline, write, PictureCanvas(of: timeline))
    rows = PictureRows(of: timeline, on: canvas)
  }

  func draw() {
    let height = SVG.number(rows.height)
    let size = "viewBox=\"0 0 1008 \(height)\" width=\"1008\" height=\"\(height)\""
    write("<svg xmlns=\"http://www.w3.org/2000/svg\" \(size)>\n")
    write("<title>\(timeline.title.forXML)</title>\n" + SVG.style)
    write("<rect class=\"paper\" width=\"1008\" height=\"\(height)\"/>\n")
    write(SVG.text(ReportWords.line(timeline.title, width: 80), x: PictureCanvas.left, y: 34, kind: "title"))
    stageNames()
    for run in canvas.runs {
      for stage in timeline.stages[run.stages] { music(of: stage, in: run) }
    }
    wave(of: .music, from: 0, to: canvas.frames, floor: PictureRows.musicFloor, height: PictureRows.musicHeight)
    overlays()
    gongs()
    axis()
    write("</svg>\n")
  }

  /// Draws a line and a name for each stage, except where stages are closer than three pixels.
  private func stageNames() {
    var drawn = -Double.infinity
    for run in canvas.runs {
      for stage in timeline.stages[run.stages] {
        let x = canvas.x(stage.begin, in: run)
        if x < drawn + PictureCanvas.finest { continue }
        drawn = x
        let kind = stage.begin == 0 && 0 < run.offset ? "rule open" : "rule"
        write(SVG.line(x: x, from: 50, to: rows.floor, kind: kind))
        let name = stage.end == nil ? "\(stage.name) (open)" : stage.name
        let room = canvas.x(stage.end ?? run.length, in: run) - x - 8
        if let label = SVG.label(name, width: room) { write(SVG.text(label, x: x + 5, y: 62)) }
      }
    }
  }

  /// Draws the clips of a stage. Clips that are too narrow are merged into one band.
  private func music(of stage: Timeline.Stage, in run: PictureCanvas.Run) {
    var clips = stage.music.clips
    var band: (at: FrameTime, end: FrameTime)?
    while let clip = clips.next(), clip.at < run.length {
      let end = min(clip.end, run.length)
      if canvas.finest <= end - clip.at {
        if let dense = band { write(self.band(dense, in: run)) }
        band = nil
        write(shape(of: clip, until: end, in: run))
        continue
      }
      band = (band?.at ?? clip.at, max(band?.end ?? 0, end))
      // Skips the clips up to the next pixels without stepping through them, so that the time does not grow with their
      // number.
      if let trackPlay = stage.music.trackPlay(at: clip.at + canvas.finest), clip.at < trackPlay.at {
        clips = stage.music.clips(from: trackPlay)
      }
    }
    if let dense = band { write(self.band(dense, in: run)) }
  }

  /// One track with its title, which is placed where the track is not fading, if there is room.
  private func shape(of clip: Clip, until end: FrameTime, in run: PictureCanvas.Run) -> String {
    let x = canvas.x(clip.at, in: run)
    let kind = "m\((clip.entry?.index ?? 0) % 4)"
    let shape = SVG.sound(
      clip, until: end, x: { canvas.x($0, in: run) }, floor: PictureRows.musicFloor, height: PictureRows.musicHeight,
      kind: kind, hint: hint(clip))
    let lead = canvas.x(clip.fadeIn?.end ?? clip.at, in: run)
    let out = canvas.x(min(end, clip.fadeOut?.start ?? end, clip.leave?.start ?? end), in: run)
    guard let label = SVG.label(clip.title, width: out - max(x, lead) - 8) else { return shape }
    return shape + SVG.text(label, x: max(x, lead) + 5, y: PictureRows.musicFloor - 8)
  }

  /// A band that replaces many short tracks.
  private func band(_ band: (at: FrameTime, end: FrameTime), in run: PictureCanvas.Run) -> String {
    let width = max(1, band.end - band.at)
    let whole = Clip(
      ClipID(.track(move: 0, trackPlay: 0, entry: 0), stage: nil), layer: .music, source: SoundSource(.file(path: "")),
      title: "", at: band.at, length: width)
    return SVG.sound(
      whole, until: band.end, x: { canvas.x($0, in: run) }, floor: PictureRows.musicFloor,
      height: PictureRows.musicHeight, kind: "many", hint: "many short tracks")
  }

  /// The tooltip of a clip: its title, start and end.
  private func hint(_ clip: Clip) -> String {
    let end = clip.end == .endless ? "open" : ReportWords.time(clip.end, rate)
    return "\(clip.title), \(ReportWords.time(clip.at, rate)) – \(end)"
  }

  /// Draws the overlays, each with its title if there is room.
  private func overlays() {
    for (lane, cues) in rows.overlays.enumerated() {
      let floor = rows.floor(ofLane: lane)
      for cue in cues {
        let x = canvas.x(cue.clip.at, in: cue.run)
        write(
          SVG.sound(
            cue.clip, until: cue.until, x: { canvas.x($0, in: cue.run) }, floor: floor, height: 20,
            kind: "overlay", hint: hint(cue.clip)))
        wave(of: .overlay, from: cue.clip.at, to: cue.until, floor: floor, height: 20)
        // A name may be longer than its sound, up to the next one in the lane.
        let room = (rows.next(after: cue, inLane: lane).map { canvas.x($0.clip.at, in: $0.run) } ?? 1_004) - x - 8
        guard let label = SVG.label(cue.clip.title, width: room) else { continue }
        write(SVG.text(label, x: x + 4, y: floor - 5))
      }
    }
  }

  /// Draws the waveform of a layer between two frames of a session without open stages.
  private func wave(of layer: Layer, from begin: FrameTime, to end: FrameTime, floor: Double, height: Double) {
    guard let waveforms, let run = canvas.runs.first else { return }
    write(
      SVG.wave(
        waveforms, of: layer, from: canvas.x(begin, in: run), to: canvas.x(end, in: run), frame: canvas.frame,
        floor: floor, height: height))
  }

  /// Draws the gongs, each with its title if there is room before the next one.
  private func gongs() {
    if !rows.gongs.isEmpty { wave(of: .effect, from: 0, to: canvas.frames, floor: rows.floor, height: 24) }
    for (index, gong) in rows.gongs.enumerated() {
      let x = canvas.x(gong.clip.at, in: gong.run)
      let hint = hint(gong.clip).forXML
      let (shown, y) = (SVG.number(x), rows.gongLine)
      let top = SVG.number(y - 16)
      write("<g class=\"gong\"><title>\(hint)</title><circle cx=\"\(shown)\" cy=\"\(top)\" r=\"3\"/>")
      write("<path d=\"M\(shown) \(top)V\(SVG.number(rows.floor))\"/></g>\n")
      let following = index + 1 < rows.gongs.count ? rows.gongs[index + 1] : nil
      let room = (following.map { canvas.x($0.clip.at, in: $0.run) } ?? 1004) - x - 10
      guard let label = SVG.label(gong.clip.title, width: room) else { continue }
      write(SVG.text(label, x: x + 6, y: y - 12, kind: "faint"))
    }
  }

  /// Draws the time axis. Labels that would overlap are left out.
  private func axis() {
    let (left, right) = (PictureCanvas.left, PictureCanvas.left + PictureCanvas.width)
    write("<path class=\"rule\" d=\"M\(left) \(SVG.number(rows.floor))H\(right)\"/>\n")
    let step = max(1, rate.frames(canvas.tickStep))
    var labelled = -Double.infinity
    for run in canvas.runs {
      // If another run follows, its label 0:00 is at the end of this one.
      let isLast = run.stages.upperBound == timeline.stages.count
      for frame in stride(from: 0, to: run.length + (isLast ? 1 : 0), by: FrameCount.Stride(step)) {
        let x = canvas.x(frame, in: run)
        if x < labelled + 48 { continue }
        labelled = x
        write(SVG.line(x: x, from: rows.floor, to: rows.floor + 5, kind: "rule"))
        write(SVG.text(Clock.text(frame, rate), x: x - 1, y: rows.floor + 19, kind: "faint"))
      }
    }
  }
}
