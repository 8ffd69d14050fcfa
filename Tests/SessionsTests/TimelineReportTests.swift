import Foundation
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct TimelineReportTests {
  @Test func `the text states every time to the millisecond`() throws {
    var breath = overlay("one", at: at(2), fadeIn: 0.25, fadeOut: 0.5)
    breath.duck = Session.Ducking(depth: Gain(decibels: -9), attack: 0.3, release: 1.5)
    let arrive = stage("Arrive", .natural, ["ten"], overlays: [breath], gongs: [gong("bell", .at([at(2.5)]))])
    let whole = session([arrive, stage("Sit", .seconds(5), ["one"], crossfade: 4)], fadeIn: 0.5, fadeOut: 2)
    #expect(
      try written(whole, TimelineReport.text) == """
        Test
        8000 Hz, 0:14.500

        0:00.000 – 0:09.500  Arrive
        0:00.000 – 0:10.000    track    ten   in 0.5 s, leaves at 0:09.500 over 0.5 s equalPower
        0:02.000 – 0:03.000    overlay  one   in 0.25 s, out 0.5 s linear, music -9 dB in 0.3 s, back in
                                              1.5 s
        0:02.500 – 0:05.500    gong     bell

        0:09.500 – 0:14.500  Sit              crossfade 0.5 s instead of 4 s, equalPower
        0:09.500 – 0:10.500    track    one   in 0.5 s equalPower

        The last sound ends at 0:14.500.

        """)
  }

  @Test func `a long repetition is shown by its first two passes and its last track`() throws {
    let text = try written(session([stage("Sit", .natural, ["one"], repeat: .track, count: 9)]), TimelineReport.text)
    #expect(
      text.split(separator: "\n").dropFirst(2) == [
        "0:00.000 – 0:10.000  Sit",
        "0:00.000 – 0:01.000    track    one",
        "0:01.000 – 0:02.000    track    one",
        "                                … and 8 more passes until 0:10.000",
        "0:09.000 – 0:10.000    track    one",
        "The last sound ends at 0:10.000.",
      ])
  }

  @Test func `chapters of a podcast have the times of the stages in seconds`() throws {
    var whole = session([
      stage("\"A\"\t1", .seconds(1.25), gongs: [gong("bell", .at([at(1)]))]), stage("B", .seconds(0.5)),
    ])
    #expect(
      try written(whole, .chapters) == """
        {"version":"1.2.0","title":"Test","chapters":[
          {"startTime":0.000,"title":"\\"A\\"\\t1","endTime":1.250},
          {"startTime":1.250,"title":"B","endTime":4.000}
        ]}

        """)
    (whole.artist, whole.description) = ("Anna", "x\ny")
    #expect(
      try written(whole, .chapters).hasPrefix(
        #"{"version":"1.2.0","title":"Test","author":"Anna","description":"x\ny","chapters":["#))
    let open = try written(session([stage("A", .seconds(1)), stage("B", .open)]), .chapters)
    #expect(open.contains(#"{"startTime":1.000,"title":"B"}"#), "\(open)")
  }

  @Test func `a cue sheet has 75 frames a second, and no quotation mark in a name`() throws {
    var whole = session([stage("\"A\"\n1", .seconds(61.2)), stage("B", .seconds(6_000)), stage("C", .seconds(1))])
    whole.artist = "Anna \"x\""
    #expect(
      try written(whole, .cueSheet(of: "a \"b\".MP3")) == """
        PERFORMER "Anna 'x'"
        TITLE "Test"
        FILE "a 'b'.MP3" MP3
          TRACK 01 AUDIO
            TITLE "'A' 1"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            TITLE "B"
            INDEX 01 01:01:15
          TRACK 03 AUDIO
            TITLE "C"
            INDEX 01 101:01:15

        """)
  }

  @Test func `labels have begin, end and name between tabs`() throws {
    let whole = session([stage("A\tx", .seconds(1.25)), stage("B", .seconds(0.5))])
    #expect(try written(whole, .labels) == "0.000000\t1.250000\tA x\n1.250000\t1.750000\tB\n")
  }

  @Test func `the text states that an open stage continues until a command ends it`() throws {
    let text = try written(session([stage("Sit", .open, ["one"], repeat: .playlist)]), TimelineReport.text)
    #expect(text.contains("… and so on until the listener moves on\n\nThe listener decides when it ends.\n"))
  }

  @Test func `commands are listed in the order of time`() throws {
    let bells = gong("bell", .at([at(0), beforeEnd(0)]))
    var whole = session(
      [
        stage("A", .seconds(5), overlays: [overlay("one", at: at(2), fadeIn: 0.25, layer: true)], gongs: [bells]),
        stage("B", .seconds(9), ["ten"]),
      ], fadeOut: 3, gongs: [gong("bell", .at([at(3)]))])
    whole.volume = Gain(linear: 0.5)
    #expect(
      try written(whole, TimelineReport.commands) == """
        {"at":0.000,"do":"volume","to":0.5}
        {"at":0.000,"do":"goto","stage":"A"}
        {"at":0.000,"do":"gong","sound":"bell","volume":1.0}
        {"at":2.000,"do":"overlay","op":"play","sound":"one","volume":1.0,"fadeIn":0.250,"fadeOut":0.000,\
        "curve":"linear","layer":true}
        {"at":3.000,"do":"gong","sound":"bell","volume":1.0}
        {"at":5.000,"do":"gong","sound":"bell","volume":1.0}
        {"at":5.000,"do":"goto","stage":"B"}
        {"at":11.000,"do":"finish","fade":3.000}

        """)
  }

  @Test func `commands after an open stage count from the stage that follows it`() throws {
    let whole = session([stage("A", .open), stage("B", .seconds(3), gongs: [gong("bell", .at([at(1)]))])])
    #expect(
      try written(whole, TimelineReport.commands) == """
        {"at":0.000,"do":"goto","stage":"A"}
        {"at":0.000,"since":"B","do":"goto","stage":"B"}
        {"at":1.000,"since":"B","do":"gong","sound":"bell","volume":1.0}

        """)
  }

  @Test func `the JSON agrees with the timeline to the frame`() throws {
    let whole = session(
      [
        stage("A", .seconds(30), ["ten", "two"], repeat: .playlist, overlays: [overlay("one", at: at(2))]),
        stage("B", .open, ["one"], repeat: .playlist, crossfade: 1),
      ], gongs: [gong("bell", .at([at(3)]))])
    let timeline = try compile(whole)
    let json = try object(whole)
    #expect(json["frames"] is NSNull)
    let stages = try #require(json["stages"] as? [[String: Any]])
    #expect(stages.map { $0["endFrame"] as? Int64 } == timeline.stages.map(\.end))
    let tracks = try #require(stages[0]["tracks"] as? [[String: Any]])
    let clips = Array(timeline.stages[0].music.clips)
    #expect(tracks.map { $0["atFrame"] as? Int64 } == clips.map(\.at))
    #expect(tracks.map { $0["endFrame"] as? Int64 } == clips.map(\.end))
    #expect(stages[1]["open"] as? Bool == true)
    #expect((stages[1]["tracks"] as? [Any])?.count == 1)
    #expect((stages[0]["overlays"] as? [[String: Any]])?.map { $0["atFrame"] as? Int64 } == [ms(2000)])
    #expect((json["gongs"] as? [[String: Any]])?.map { $0["atFrame"] as? Int64 } == [ms(3000)])
  }

  @Test func `a week of short tracks is described and drawn without listing them all`() throws {
    var week = session([stage("Sit & <rest>", .seconds(604_800), ["one", "two"], repeat: .playlist)])
    week.title = "\"A\" & <B>\u{1}"
    let text = try written(week, TimelineReport.text)
    #expect(text.split(separator: "\n").count == 10)
    #expect(text.contains("… and 201598 more passes until 168:00:00.000\n"))
    let svg = try written(week, TimelineReport.svg(nil))
    #expect(svg.count < 20_000)
    let parser = XMLText(svg)
    #expect(parser.isClosed)
    #expect(svg.contains("&quot;A&quot; &amp; &lt;B&gt;\u{FFFD}</title>"))
    #expect(svg.contains("Sit &amp; &lt;rest&gt;</text>"))
  }

  @Test func `a drawing shows how loud each layer is, and the names of short overlays`() throws {
    let voice = overlay("ten", at: at(30))
    let session = session([stage("A", .seconds(600), ["one"], repeat: .playlist, overlays: [voice])])
    let peaks: [Layer: [Float]] = [.music: [1, 0.25], .overlay: [0, 0.01], .effect: []]
    let timeline = try compile(session)
    let end = try #require(timeline.end)
    var svg = ""
    TimelineReport.svg(Waveforms(peaks: peaks, step: Double(end) / 2)).write(timeline) { svg += $0 }
    let waves = svg.split(separator: "\n").filter { $0.hasPrefix("<path class=\"wave\"") }
    #expect(waves.count == 2, "no gongs, so no waveform of them")
    // A peak of 1 is as high as a track at full volume, one of a quarter half as high.
    #expect(
      waves[0].contains("M25.0 74.0L") && waves[0].contains("L503.0 74.0L505.0 123.0L")
        && waves[0].contains("L983.0 123.0V172.0"))
    // The overlay is narrower than its name.
    #expect(svg.contains(">ten</text>"))
    #expect(XMLText(svg).isClosed)
  }

  @Test func `a drawing has a bounded size, however many cues and stages there are`() throws {
    let bells = gong("bell", .every(0.1, count: nil))
    let breaths = overlay("ten", at: at(0), Session.Repetition(times: .forever, delay: 1), layer: true)
    let stages = (0..<900).map { stage("\($0)", .seconds(10), ["one"], overlays: [breaths], gongs: [bells]) }
    let svg = try written(session(stages), TimelineReport.svg(nil))
    #expect(svg.split(separator: "\n").count < 5000)
    #expect(XMLText(svg).isClosed)
  }

  private func written(
    _ session: Session, _ report: TimelineReport
  ) throws -> String {
    var text = ""
    report.write(try compile(session)) { text += $0 }
    return text
  }

  private func object(_ session: Session) throws -> [String: Any] {
    let text = try written(session, TimelineReport.json)
    #expect(text.filter { $0 == "\n" }.count == 1 && text.hasSuffix("\n"))
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }
}

/// Just enough of an XML reader to check that all elements are closed in order, and that nothing between them is
/// unescaped.
struct XMLText {
  private(set) var isClosed = false

  init(_ text: String) {
    var open: [Substring] = []
    for part in text.split(separator: "<") {
      guard let end = part.firstIndex(of: ">"), !part[part.index(after: end)...].contains(">") else { return }
      let name = part.prefix { !" >/".contains($0) }
      if part.hasPrefix("/") {
        guard open.popLast() == part[part.index(after: part.startIndex)..<end] else { return }
      } else if !part[..<end].hasSuffix("/") {
        open.append(name)
      }
    }
    isClosed = open.isEmpty
  }
}
