import Engine
import Sounds
@testable import Player
import Schedule
import Signal
import Testing

@Suite struct EventJSONTests {
  @Test(arguments: ExampleStates.all) func `a state event begins with the state's name and ends with the previous one`(
    row: ExampleStates.Named
  ) {
    let line = json(.state(row.state, previous: "playing"))
    #expect(line.hasPrefix(#""event":"state","state":"\#(row.state.name)""#))
    #expect(line.hasSuffix(#","previous":"playing"}"#))
  }

  @Test func `a state event contains the values of its state`() {
    #expect(state(.playing(track: ExampleStates.a)) == #""state":"playing","track":"Dawn""#)
    #expect(state(.playing(track: nil)) == #""state":"playing""#)
    #expect(
      state(.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.47))
        == #""state":"crossfading","from":"Dawn","to":"Rain","progress":0.470,"canQuickFinish":false"#)
    #expect(
      state(.paused(track: ExampleStates.a, position: 12)) == #""state":"paused","track":"Dawn","position":12.000"#)
    #expect(
      state(ExampleStates.paused(progress: 0.47, .continueFromProgress))
        == #""state":"crossfadePaused","from":"Dawn","to":"Rain","progress":0.470,"#
        + #""strategy":"continueFromProgress","#
        + #""positions":[57.4,2.4]"#)
    #expect(
      state(.fadingOut(track: ExampleStates.a, duration: 3)) == #""state":"fadingOut","track":"Dawn","duration":3.000"#)
    #expect(
      state(.failed(.outputFailed(.lost(cause: "gone"))))
        == #""state":"failed","code":"sessionConfigurationFailed","recoverable":true"#)
  }

  @Test func `a command event contains the name, the ID and the outcome of the command`() {
    let reported = { (report: CommandReport) in json(.command(name: "next", id: "op-00a1", report)) }
    let head = #""event":"command","name":"next","id":"op-00a1","outcome":"#
    #expect(reported(.accepted) == head + #""accepted"}"#)
    #expect(reported(.ended(.done)) == head + #""done"}"#)
    #expect(reported(.ended(.coalesced)) == head + #""coalesced"}"#)
    #expect(reported(.ended(.cancelled(by: "pause"))) == head + #""cancelled","by":"pause"}"#)
    let rejected = reported(.ended(.rejected(.edit(.invalidPlaylistIndex(index: 7, count: 3)))))
    #expect(
      rejected == head
        + #""rejected","code":"invalidPlaylistIndex","reason":"there is no track 7: the stage's tracks are "#
        + #"0 to 2","recoverable":false}"#)
  }

  @Test func `an error event contains the code, the message and whether another attempt may succeed`() {
    #expect(
      json(.error(.queueFull(limit: 3)))
        == #""event":"error","code":"queueFull","message":"3 commands are already waiting; "#
        + #"try again in a moment","recoverable":true}"#)
    #expect(
      json(.error(.fileLoadFailed(.empty(path: "a.mp3")))).hasPrefix(#""event":"error","code":"invalidFormat","#))
  }

  @Test func `an event of an underrun or a late start names the sound and its duration`() {
    #expect(
      json(.underrun(nil, title: "the output", milliseconds: 2_500))
        == #""event":"underrun","of":"output","title":"the output","milliseconds":2500.000}"#)
    #expect(
      json(.underrun(.overlay, title: "rain", milliseconds: 12.5))
        == #""event":"underrun","of":"overlay","title":"rain","milliseconds":12.500}"#)
    #expect(
      json(.late(title: "bell", due: 5, milliseconds: 105))
        == #""event":"warning","title":"bell","due":5.000,"milliseconds":105.000,"#
        + #""message":"'bell' was to begin at 5.000 s and came 0.105 s late"}"#)
    #expect(
      json(.late(title: nil, due: 5, milliseconds: 1))
        == #""event":"warning","due":5.000,"milliseconds":1.000,"message":"a command for 5.000 s came 0.001 s late"}"#)
    var totals = Totals(played: 1)
    totals.shortfalls = Shortfalls(underruns: 1, starved: 2, late: 3)
    (totals.gaps, totals.gapSeconds) = (2, 1.5)
    totals.sound = MeasuredSound(loudness: -23.4, reduction: 3.2, limitedSeconds: 0.25)
    #expect(
      json(.sessionFinished(reason: .completed, totals: totals)).hasSuffix(
        #""gongs":0,"underruns":1,"starved":2,"late":3,"damaged":0,"gaps":2,"gapSeconds":1.500,"loudness":-23.400,"#
          + #""reduction":3.200,"limitedSeconds":0.250}"#))
    totals.sound.loudness = -.infinity
    #expect(json(.sessionFinished(reason: .completed, totals: totals)).contains(#""loudness":null,"#))
  }

  @Test func `events of crossfades, loads, volumes and the output contain their values`() {
    #expect(
      json(.crossfadePaused(progress: 0.5, .quickFinish))
        == #""event":"crossfade.paused","progress":0.500,"strategy":"quickFinish"}"#)
    #expect(
      json(.crossfadeResumed(progress: 0.25, .continueFromProgress))
        == #""event":"crossfade.resumed","progress":0.250,"strategy":"continueFromProgress"}"#)
    #expect(
      json(.loadTimeout(title: "Rain", id: LoadID(7), milliseconds: 5_000))
        == #""event":"load.timeout","title":"Rain","id":"load-7","milliseconds":5000.000,"#
        + #""code":"fileLoadTimeout","recoverable":true}"#)
    let lost = SourceError.missing(path: "a.flac")
    for (event, start) in [
      (PlayerEvent.loadFailed(title: "A", id: LoadID(7), .failed(lost)), #""load.failed","title":"A","id":"load-7""#),
      (.trackSkipped(title: "A", reason: lost), #""track.skipped","title":"A""#),
    ] {
      let line = json(event)
      #expect(line.hasPrefix(#""event":\#(start),"reason":"a.flac: "#))
      #expect(line.hasSuffix(#"","code":"fileNotFound","recoverable":true}"#))
    }
    #expect(
      json(.volume(nil, Gain(linear: 0.5), over: 2)) == #""event":"volume","of":"master","to":0.5,"over":2.000}"#)
    #expect(json(.volume(.overlay, .unity, over: 0)) == #""event":"volume","of":"overlay","to":1.0,"over":0.000}"#)
    #expect(
      json(.output(.lost(cause: "killed", ofDevice: true)))
        == #""event":"output.lost","reason":"killed","code":"routeChangeFailed","recoverable":true}"#)
    #expect(
      json(.output(.lost(cause: "gone")))
        == #""event":"output.lost","reason":"gone","code":"sessionConfigurationFailed","recoverable":true}"#)
    #expect(json(.output(.restored(after: 1.5))) == #""event":"output.restored","after":1.500}"#)
    #expect(json(.output(.moved(to: "hall"))) == #""event":"output.moved","to":"hall"}"#)
    #expect(json(.output(.corked)) == #""event":"output.corked"}"#)
    #expect(json(.output(.asleep)) == #""event":"output.corked","reason":"the computer goes to sleep"}"#)
  }

  @Test func `the queue's metrics are members of the metrics event`() {
    var metrics = QueueMetrics()
    metrics.maxDepth = 3
    #expect(json(.metrics(metrics)).hasPrefix(#""event":"metrics","depth":0,"peakDepth":0,"maxDepth":3,"idle":true,"#))
  }

  /// The line from the name of the event onwards.
  private func json(_ event: PlayerEvent) -> String {
    let line = StampedEvent(run: 0, session: 0, stage: nil, event: event).json(sequence: 1)
    let head = #"{"v":1,"seq":1,"run":0.000,"session":0.000,"#
    return line.hasPrefix(head) ? String(line.dropFirst(head.count)) : line
  }

  private func state(_ state: PlayerState) -> String {
    String(
      json(.state(state, previous: "x")).dropFirst(#""event":"state","#.count).dropLast(#","previous":"x"}"#.count))
  }
}
