import Engine
import Player
import Signal

/// One gong's strikes from one start on, not yet written out.
struct GongSeries {
  var gong: Session.Gong
  var stage: Int?
  /// In frames, with their fractions.
  var start: Double
  var countsFromEnd = false
  var interval: Double
  var count: Double

  var expected: Double { count * Double(gong.strikes) }
}

extension TimelineCues {
  /// Strikes of "every" come one interval after the start first. Without a count they go on until before the end: one
  /// exactly there would fall into the next stage. Those that are counted all have to fit, at the end too.
  mutating func gongSeries() -> [GongSeries] {
    var series: [GongSeries] = []
    for index in spans.indices {
      for gong in session.stages[index].gongs { series += self.series(of: gong, in: span(ofStage: index)) }
    }
    for gong in session.gongs { series += self.series(of: gong, in: wholeSession) }
    return series
  }

  private mutating func series(of gong: Session.Gong, in span: CueSpan) -> [GongSeries] {
    if sounds.length(of: gong.sound) == .endless {
      notes.error(
        gong.sound.place, "'\(gong.sound.title)' never ends and can't be a gong", mend: "make it an overlay or a track")
      return []
    }
    switch gong.times {
    case .at(let positions):
      var series: [GongSeries] = []
      for position in positions {
        guard let frame = frame(of: position, in: span) else { continue }
        series.append(
          GongSeries(
            gong: gong, stage: span.stage, start: Double(frame), countsFromEnd: position.countsFromEnd, interval: 0,
            count: 1))
      }
      return series
    case .every(let seconds, let count):
      let interval = seconds * Double(rate.hertz)
      let first = span.begin + interval
      return [
        GongSeries(
          gong: gong, stage: span.stage, start: first, interval: interval,
          count: strikes(of: gong, from: first, every: interval, count: count, in: span))
      ]
    }
  }

  private mutating func strikes(
    of gong: Session.Gong, from first: Double, every interval: Double, count: Int?, in span: CueSpan
  ) -> Double {
    let room = span.horizon(rate).rounded() - first
    guard 0 < interval else { return 0 }
    var fitting = max(0, (room / interval).rounded(.up) + 1)
    // Beyond the limit the exact number doesn't matter, and counting down by one would not end.
    while 0 < fitting, fitting < 10 * TimelineLimits.cues,
      span.horizon(rate).rounded() <= (first + (fitting - 1) * interval).rounded()
    { fitting -= 1 }
    guard let count else {
      if fitting == 0 { tellNone(of: gong, in: span) }
      return fitting
    }
    tellExcess(of: gong, last: first + Double(count - 1) * interval, in: span)
    return Double(count)
  }

  private mutating func tellNone(of gong: Session.Gong, in span: CueSpan) {
    notes.warn(
      gong.place, "gong '\(gong.sound.title)' never sounds within \(span.name)",
      mend: "make 'every' smaller, or strike it \"at\": \"end\"")
  }

  private mutating func tellExcess(of gong: Session.Gong, last: Double, in span: CueSpan) {
    guard let end = span.end, end.rounded() < last.rounded() else { return }
    let (time, length) = (FrameCount((last - span.begin).rounded()), FrameCount((end - span.begin).rounded()))
    notes.error(
      gong.place,
      "the last gong would sound at \(Clock.text(time, rate)), outside \(span.name), which lasts "
        + Clock.text(length, rate), mend: "make 'every' or 'count' smaller")
  }

  func expand(_ series: GongSeries) -> [Placement] {
    let spacing = series.gong.spacing * Double(rate.hertz)
    let sound = series.gong.sound
    return (0..<Int(series.count)).flatMap { time in
      (0..<series.gong.strikes).map { strike in
        let first = series.start + Double(time) * series.interval
        let at = FrameTime(nearest: first + Double(strike) * spacing)
        var placement = Placement(
          layer: .effect, source: sound.source, title: sound.title, stage: series.stage,
          at: at, length: sounds.length(of: sound), gain: sound.volume)
        placement.offsetInSeries = at - FrameTime(nearest: first)
        placement.countsFromEnd = series.countsFromEnd
        return placement
      }
    }
  }
}
