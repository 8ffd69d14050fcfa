import Schedule
import Signal
import Sounds

extension TimelineReport {
  /// Writes the timeline as an SVG picture: stages, the music with its fades, overlays, gongs, and a time axis.
  ///
  /// The picture has at most a few thousand shapes, whatever the length of the session: shapes narrower than three
  /// pixels are merged.
  package func svg(_ write: Writer) {
    let canvas = ReportCanvas(of: timeline)
    let rows = ReportRows(of: timeline, on: canvas)
    let height = ReportShape.number(rows.height)
    let size = "viewBox=\"0 0 1008 \(height)\" width=\"1008\" height=\"\(height)\""
    write("<svg xmlns=\"http://www.w3.org/2000/svg\" \(size)>\n")
    write("<title>\(ReportShape.escaped(timeline.title))</title>\n" + ReportShape.style)
    write("<rect class=\"paper\" width=\"1008\" height=\"\(height)\"/>\n")
    write(ReportShape.text(ReportWords.line(timeline.title, width: 80), x: ReportCanvas.left, y: 34, kind: "title"))
    stageNames(canvas, rows, write)
    for run in canvas.runs {
      for stage in timeline.stages[run.stages] { music(of: stage, in: run, canvas, write) }
    }
    overlays(canvas, rows, write)
    gongs(canvas, rows, write)
    axis(canvas, rows, write)
    write("</svg>\n")
  }

  /// Draws a line and a name for each stage, except where stages are closer than three pixels.
  private func stageNames(_ canvas: ReportCanvas, _ rows: ReportRows, _ write: Writer) {
    var drawn = -Double.infinity
    for run in canvas.runs {
      for stage in timeline.stages[run.stages] {
        let x = canvas.x(stage.begin, in: run)
        if x < drawn + ReportCanvas.finest { continue }
        drawn = x
        let kind = stage.begin == 0 && 0 < run.offset ? "rule open" : "rule"
        write(ReportShape.line(x: x, from: 50, to: rows.floor, kind: kind))
        let name = stage.end == nil ? "\(stage.name) (open)" : stage.name
        let room = canvas.x(stage.end ?? run.length, in: run) - x - 8
        if let label = ReportShape.label(name, width: room) { write(ReportShape.text(label, x: x + 5, y: 62)) }
      }
    }
  }

  /// Draws the clips of a stage. Clips that are too narrow are merged into one band.
  private func music(
    of stage: Timeline.Stage, in run: ReportCanvas.Run, _ canvas: ReportCanvas, _ write: Writer
  ) {
    var clips = stage.music.clips
    var band: (at: FrameTime, end: FrameTime)?
    while let clip = clips.next(), clip.at < run.length {
      let end = min(clip.end, run.length)
      if canvas.finest <= end - clip.at {
        if let dense = band { write(self.band(dense, in: run, canvas)) }
        band = nil
        write(shape(of: clip, until: end, in: run, canvas))
        continue
      }
      band = (band?.at ?? clip.at, max(band?.end ?? 0, end))
      // Skips the clips up to the next pixels without stepping through them, so that the time does not grow with their
      // number.
      if let trackPlay = stage.music.trackPlay(at: clip.at + canvas.finest), clip.at < trackPlay.at {
        clips = stage.music.clips(from: trackPlay)
      }
    }
    if let dense = band { write(self.band(dense, in: run, canvas)) }
  }

  /// One track with its title, which is placed where the track is not fading, if there is room.
  private func shape(
    of clip: Clip, until end: FrameTime, in run: ReportCanvas.Run, _ canvas: ReportCanvas
  ) -> String {
    let x = canvas.x(clip.at, in: run)
    let kind = "m\((clip.entry?.index ?? 0) % 4)"
    let shape = ReportShape.sound(
      clip, until: end, x: { canvas.x($0, in: run) }, floor: ReportRows.musicFloor, height: ReportRows.musicHeight,
      kind: kind, hint: hint(clip))
    let lead = canvas.x(clip.fadeIn?.end ?? clip.at, in: run)
    let out = canvas.x(min(end, clip.fadeOut?.start ?? end, clip.leave?.start ?? end), in: run)
    guard let label = ReportShape.label(clip.title, width: out - max(x, lead) - 8) else { return shape }
    return shape + ReportShape.text(label, x: max(x, lead) + 5, y: ReportRows.musicFloor - 8)
  }

  /// A band that replaces many short tracks.
  private func band(
    _ band: (at: FrameTime, end: FrameTime), in run: ReportCanvas.Run, _ canvas: ReportCanvas
  ) -> String {
    let width = max(1, band.end - band.at)
    let whole = Clip(
      ClipID(.track(move: 0, trackPlay: 0, entry: 0), stage: nil), layer: .music, source: SoundSource(.file(path: "")),
      title: "", at: band.at, length: width)
    return ReportShape.sound(
      whole, until: band.end, x: { canvas.x($0, in: run) }, floor: ReportRows.musicFloor,
      height: ReportRows.musicHeight, kind: "many", hint: "many short tracks")
  }

  /// The tooltip of a clip: its title, start and end.
  func hint(_ clip: Clip) -> String {
    let end = clip.end == .endless ? "open" : ReportWords.time(clip.end, rate)
    return "\(clip.title), \(ReportWords.time(clip.at, rate)) – \(end)"
  }
}
