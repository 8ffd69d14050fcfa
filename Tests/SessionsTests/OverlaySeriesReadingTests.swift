import Schedule
import Signal
import Testing

@testable import Markup
@testable import SessionFiles
@testable import Timelines

/// Overlays with several sounds, and gongs with several kinds of moments, as a session file has them.
struct OverlaySeriesReadingTests {
  /// The overlays and gongs of a stage of ten minutes.
  private static func read(stageWith cues: String) throws -> Session.Stage {
    let text = """
      {"prosper": 1, "title": "T", "sounds": {"a": "a.wav", "b": {"file": "b.wav", "volume": 0.5}, "c": "c.wav"},
       "stages": [{"name": "S", "duration": "10m", \(cues)}]}
      """
    let reader = SessionReader(catalogue: [], home: nil)
    let reading = reader.read(text: text, path: "s.json", folder: "/sessions")
    return try #require(reading.session?.stages.first, "\(reading.diagnostics)")
  }

  private static func read(overlayWith keys: String) throws -> Session.Overlay {
    try #require(try read(stageWith: "\"overlays\": [{\(keys), \"at\": 0}]").overlays.first)
  }

  @Test func `the sounds of a list play once, or as often as 'count' says`() throws {
    let list = try Self.read(overlayWith: #""sounds": ["a", "b", "c"], "every": "1m", "volume": 0.5"#)
    #expect(list.sounds.map(\.title) == ["a", "b", "c"] && list.interval == 60)
    #expect(list.sounds.map(\.volume.linear) == [0.5, 0.25, 0.5])
    #expect(list.repetition == Session.Repetition(times: .times(3), delay: 0))
    let gap = try Self.read(overlayWith: #""sounds": ["a", "b"], "gap": "20s", "count": 5"#)
    #expect(gap.interval == nil && gap.repetition == Session.Repetition(times: .times(5), delay: 20))
    #expect(try Self.read(overlayWith: #""sounds": ["a", "b"], "count": "forever""#).repetition.times == .forever)
  }

  @Test func `a single sound repeats until the end of its stage, or as often as 'count' says`() throws {
    let every = try Self.read(overlayWith: #""sound": "a", "every": "1m""#)
    #expect(every.interval == 60 && every.following.isEmpty && every.repetition.times == .forever)
    #expect(try Self.read(overlayWith: #""sound": "a", "every": "1m", "count": 3"#).repetition.times == .times(3))
    #expect(
      try Self.read(overlayWith: #""sound": "a", "gap": "5s", "count": 3"#).repetition
        == .init(times: .times(3), delay: 5))
  }

  @Test func `a gong can strike at positions and at an interval or at random`() throws {
    let gongs = try Self.read(
      stageWith:
        """
        "gongs": [{"sound": "a", "every": "1m", "at": ["start", "end"], "jitter": "20%"},
                  {"sound": "a", "random": 4, "minimum": "90s", "seed": 7, "at": "end"}]
        """
    ).gongs
    #expect(gongs.map(\.times) == [.every(60, count: nil), .random(4, minimum: 90)])
    #expect(gongs.map { $0.extra.map(\.anchor) } == [[.afterStart(0), .beforeEnd(0)], [.beforeEnd(0)]])
    #expect(gongs.map(\.jitter) == [0.2, 0] && gongs.map(\.seed) == [nil, 7])
  }

  @Test func `a sound that can't be played leaves the others`() throws {
    var series = overlay("one", at: at(0), Session.Repetition(.times(7)))
    series.following = [sound("two"), sound("ten")]
    let rest = session([stage("A", .seconds(60), overlays: [series])]).without([sound("one").source])
    let left = try #require(rest.stages[0].overlays.first)
    // Of one two ten one two ten one.
    #expect(left.sounds.map(\.title) == ["two", "ten"] && left.repetition.times == .times(4))
    #expect(
      rest.without([sound("two").source, sound("ten").source]).stages[0].overlays.isEmpty)
  }

  @Test func `a sound that is longer than the interval is told, unless a fade ends it or nothing follows`() throws {
    func warnings(_ change: (inout Session.Overlay) -> Void) throws -> [String] {
      var series = overlay("one", at: at(0), Session.Repetition(.times(3)))
      (series.following, series.interval) = ([sound("ten"), sound("two")], 8)
      change(&series)
      let made = session([stage("A", .seconds(60), overlays: [series])])
      return try Timeline.compile(made, library: sounds).warnings.map(\.problem)
    }
    let cut = "'ten' lasts 0:10 and is cut off after 0:08, when the next sound of its overlay begins"
    #expect(try warnings { _ in } == [cut])
    #expect(try warnings { $0.isLayer = true } == [] && warnings { $0.fadeOut = 2 } == [])
    #expect(try warnings { $0.repetition.times = .times(2) } == [] && warnings { $0.interval = 10 } == [])
    #expect(try warnings { ($0.sound, $0.following, $0.repetition.times) = (sound("ten"), [], .forever) } == [cut])
  }

  @Test func `every frame of a series is that of single overlays at its times`() throws {
    var series = overlay("two", at: at(3), fadeIn: 0.5, fadeOut: 1, Session.Repetition(.times(5)))
    (series.following, series.interval) = ([sound("one"), sound("ten")], 6)
    let singles = ["two", "one", "ten", "two", "one"].enumerated().map { index, name in
      overlay(name, at: at(3 + 6 * Double(index)), fadeIn: 0.5, fadeOut: 1)
    }
    func clips(_ overlays: [Session.Overlay], layer: Bool) throws -> [Clip] {
      let overlays = overlays.map { overlay in
        var overlay = overlay
        overlay.isLayer = layer
        return overlay
      }
      return try compile(session([stage("A", .seconds(60), overlays: overlays)])).stages[0].cues.map { clip in
        var clip = clip
        clip.id = ClipID(.cue(visit: 1, cue: 0, start: 0, time: 0), stage: 0)
        return clip
      }
    }
    for layer in [false, true] { #expect(try clips([series], layer: layer) == clips(singles, layer: layer)) }
    #expect(try clips([series], layer: false).contains { $0.leave != nil })
  }
}
