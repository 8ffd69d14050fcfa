import Player
import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct CommandReaderTests {
  static let rain = SoundSource(.generated(Recipe(generator: "rain", seed: 7)))
  static let bowl = SoundSource(.generated(Recipe(generator: "bowl")))

  static let scope: CommandScope = {
    var session = session([stage("Arrive", .seconds(60)), stage("Practice", .seconds(600))])
    session.named = [
      "rain": Session.Sound(source: rain, volume: Gain(linear: 0.5), title: "rain", location: noLocation),
      "bowl": Session.Sound(source: bowl, volume: .unity, title: "bowl", location: noLocation),
    ]
    session.folder = "/sits"
    return CommandScope(of: session)
  }()
  static let reader = CommandReader(scope: scope, catalogue: catalogue, home: "/people/someone")

  static func file(_ name: String) -> Cue {
    Cue(source: SoundSource(.file(path: "/sits/" + name)), title: name, gain: .unity)
  }
  static let rainCue = Cue(source: rain, title: "rain", gain: Gain(linear: 0.5))
  static let bowlCue = Cue(source: bowl, title: "bowl", gain: .unity)

  @Test func `a remote control may name any stage, because the player refuses an unknown one`() {
    let line = #"{"do":"goto","stage":"Nowhere"}"#
    #expect(Self.reader.request(line) == ControlRequest(.command(.goto(stage: "Nowhere", at: 0))))
    #expect(Self.reader.command(line).diagnostics.count == 1)
  }

  @Test func `only the volumes of music and overlays go up to +12 dB`() {
    for (words, layer) in [(#""overlay","op":"volume""#, Layer.overlay), (#""music","op":"volume""#, .music)] {
      let command: Command =
        layer == .music
        ? .music(.volume(.maximumVolume(of: layer), over: 0)) : .overlay(.volume(.maximumVolume(of: layer), over: 0))
      #expect(Self.reader.command(#"{"do":\#(words),"to":"+12dB"}"#).command == command)
      #expect(
        Self.reader.command(#"{"do":\#(words),"by":"+3dB"}"#).command == .volumeStep(.decibels(3), of: layer, over: 0))
      #expect(Self.reader.command(#"{"do":\#(words),"to":"+13dB"}"#).diagnostics.first?.fix == "write -60dB to +12dB")
    }
    for words in [#""volume""#, #""effects","op":"volume""#] {
      #expect(Self.reader.command(#"{"do":\#(words),"to":"+1dB"}"#).command == nil)
    }
  }

  @Test(
    arguments: [
      (#"{"do":"play"}"#, .play), (#"{"do":"pause"}"#, .pause), (#"{"do":"resume"}"#, .resume),
      (#"{"do":"toggle"}"#, .toggle), (#"{"do":"next"}"#, .next), (#"{"do":"previous"}"#, .previous),
      (#"{"do":"stop"}"#, .stop), (#"{"do":"nextStage"}"#, .nextStage), (#"{"do":"previousStage"}"#, .previousStage),
      (#"{"do":"metrics"}"#, .metrics(reset: false)),
      (#"{"do":"metrics","reset":true}"#, .metrics(reset: true)), (#"{"do":"finish"}"#, .finish(fade: 3)),
      (#"{"do":"finish","fade":"500ms"}"#, .finish(fade: 0.5)), (#"{"do":"seek","to":"60s"}"#, .seek(.to(60))),
      (#"{"do":"seek","to":"1:30"}"#, .seek(.to(90))), (#"{"do":"seek","by":"-15s"}"#, .seek(.by(-15))),
      (#"{"do":"seek","by":"+1m"}"#, .seek(.by(60))), (#"{"do":"seek","by":-2.5}"#, .seek(.by(-2.5))),
      (#"{"do":"jump","track":2}"#, .jump(track: 2)), (#"{"do":"extend","by":"5m"}"#, .extend(by: 300)),
      (#"{"do":"extend","by":"-2m"}"#, .extend(by: -120)), (#"{"do":"extend","by":-2.5}"#, .extend(by: -2.5)),
      (#"{"do":"volume","to":0.5,"over":"2s"}"#, .volume(Gain(linear: 0.5), over: 2)),
      (#"{"do":"volume","to":"-6dB"}"#, .volume(Gain(decibels: -6), over: 0)),
      (#"{"do":"volume","to":"80%"}"#, .volume(Gain(linear: 0.8), over: 0)),
      (#"{"do":"volume","by":"-10%","over":"1s"}"#, .volumeStep(.share(-0.1), of: nil, over: 1)),
      (#"{"do":"volume","by":"+3dB"}"#, .volumeStep(.decibels(3), of: nil, over: 0)),
      (#"{"do":"volume","by":0.25}"#, .volumeStep(.share(0.25), of: nil, over: 0)),
      (#"{"do":"overlay","op":"volume","by":"-3dB"}"#, .volumeStep(.decibels(-3), of: .overlay, over: 0)),
      (#"{"do":"effects","op":"volume","by":"+5%"}"#, .volumeStep(.share(0.05), of: .effect, over: 0)),
      (#"{"do":"crossfade","duration":"5s","curve":"linear"}"#, .crossfade(duration: 5, curve: .linear)),
      (#"{"do":"crossfade","curve":"sCurve"}"#, .crossfade(duration: nil, curve: .sCurve)),
      (#"{"do":"repeat","mode":"track","count":3}"#, .repetition(.track, count: 3)),
      (#"{"do":"repeat","mode":"off"}"#, .repetition(.off, count: nil)),
      (#"{"do":"goto","stage":"Practice","at":"2:00"}"#, .goto(stage: "Practice", at: 120)),
      (#"{"do":"cache","op":"clear"}"#, .cache(.clear)),
      (#"{"do":"music","op":"pause"}"#, .music(.pause)), (#"{"do":"music","op":"resume"}"#, .music(.resume)),
      (#"{"do":"effects","op":"volume","to":0.5}"#, .effects(.volume(Gain(linear: 0.5), over: 0))),
      (#"{"do":"effects","op":"stop"}"#, .effects(.stop)),
    ] as [(String, Command)])
  func `each command without sounds is read`(_ text: String, _ command: Command) {
    #expect(Self.reader.command(text).command == command)
  }

  @Test(
    arguments: [
      (#"{"do":"gong","sound":"bowl"}"#, .gong(bowlCue)),
      (
        #"{"do":"gong","sound":"generate:bowl","volume":0.5}"#,
        .gong(Cue(source: bowl, title: "bowl", gain: Gain(linear: 0.5)))
      ),
      (
        #"{"do":"gong","sound":"generate:bowl","volume":"50%"}"#,
        .gong(Cue(source: bowl, title: "bowl", gain: Gain(linear: 0.5)))
      ),
      (#"{"do":"gong"}"#, .gong(bowlCue)),
      (#"{"do":"effects","op":"preload","sounds":["bowl"]}"#, .effects(.preload([bowlCue]))),
      (#"{"do":"effects","op":"unload","sounds":"bowl"}"#, .effects(.unload([bowlCue]))),
      (
        #"{"do":"playlist","op":"replace","tracks":["a.mp3",{"file":"b.flac"}]}"#,
        .playlist(.replace([file("a.mp3"), file("b.flac")]))
      ),
      (#"{"do":"playlist","op":"append","tracks":["rain"]}"#, .playlist(.append([rainCue]))),
      (#"{"do":"playlist","op":"insert","at":1,"tracks":["a.mp3"]}"#, .playlist(.insert([file("a.mp3")], at: 1))),
      (#"{"do":"playlist","op":"remove","at":0}"#, .playlist(.remove(at: 0))),
      (#"{"do":"playlist","op":"move","from":2,"to":0}"#, .playlist(.move(from: 2, to: 0))),
      (#"{"do":"overlay","op":"stop"}"#, .overlay(.stop)), (#"{"do":"overlay","op":"pause"}"#, .overlay(.pause)),
      (#"{"do":"overlay","op":"resume"}"#, .overlay(.resume)),
      (#"{"do":"overlay","op":"volume","to":"-6dB"}"#, .overlay(.volume(Gain(decibels: -6), over: 0))),
      (#"{"do":"overlay","op":"repeat","times":"forever","delay":3}"#, .overlay(.repetition(.forever, delay: 3))),
    ] as [(String, Command)])
  func `each command with sounds is read`(_ text: String, _ command: Command) {
    #expect(Self.reader.command(text).command == command)
  }

  @Test func `an overlay command accepts everything that an overlay of a session accepts`() {
    let text = """
      {"do":"overlay","op":"play","sound":"rain","volume":0.5,"fadeIn":"2s","fadeOut":1,"curve":"sCurve",
       "repeat":{"times":3,"delay":"20s"},"duck":{"by":"-9dB","attack":"300ms","release":"1.5s"},"layer":true}
      """
    let request = OverlayRequest(
      cue: Cue(source: Self.rain, title: "rain", gain: Gain(linear: 0.25)), fadeIn: 2, fadeOut: 1, curve: .sCurve,
      times: .times(3), delay: 20,
      ducking: .init(depth: Gain(decibels: -9), attack: 0.3, release: 1.5), isLayer: true)
    #expect(Self.reader.command(text).command == .overlay(.play(request)))
  }

  @Test(arguments: [
    (#"{"do":"nxet"}"#, "1:7: error: there is no command 'nxet'; did you mean 'next'?"),
    (#"{"do":"seek","by":"-15s","too":1}"#, "1:26: error: unknown key 'too'; did you mean 'to'?"),
    (#"{"do":"volume","too":0.5}"#, "1:16: error: unknown key 'too'; did you mean 'to'?"),
    (#"{"do":"gong","file":"a.wav"}"#, "1:14: error: unknown key 'file' in 'gong'; write \"sound\": \"a.wav\""),
    (#"{"do":"seek","by":-1e300}"#, "1:19: error: 'by' is 1e+300 s, above the limit of 168 hours; write 168h or less"),
    (#"{"do":"seek"}"#, "1:1: error: 'seek' has neither 'to' nor 'by'; add one, such as \"by\": \"-15s\""),
    (#"{"do":"goto","stage":"Practise"}"#, "1:22: error: there is no stage 'Practise'; did you mean 'Practice'?"),
    (
      #"{"do":"gong","sound":"bwol"}"#, "1:22: error: there is no sound 'bwol' in 'sounds'; did you mean 'bowl'?"
    ),
    (
      #"{"do":"gong","sound":"rain"}"#,
      "1:22: error: 'rain' never ends, so it can't be a gong; use an overlay, or give the sound an 'end'"
    ),
    (
      #"{"do":"overlay","sound":"rain"}"#,
      "1:1: error: 'overlay' has no 'op'; add 'op' with one of pause, play, repeat, resume, stop, volume"
    ),
    (#"{"do":"overlay","op":"paly"}"#, "1:22: error: 'overlay' has no operation 'paly'; did you mean 'play'?"),
    (
      #"{"do":"volume","to":2}"#,
      "1:21: error: 'to' is 2; write a number from 0 to 1, a percentage such as \"80%\", or decibels up to \"0dB\""
    ),
    (#"{"do":"gong","volume":"120%"}"#, "1:23: error: 'volume' is '120%'; write 0% to 100%"),
    (
      #"{"do":"volume","to":"+10%"}"#,
      "1:21: error: 'to' is '+10%'; write 0% to 100%, or give a change, such as +10%, as 'by'"
    ),
    (#"{"do":"jump"}"#, "1:1: error: 'jump' has no 'track'; add it"),
    (#"{"do":"jump","track":1.5}"#, "1:22: error: 'track' is 1.5; write a whole number from 0 to 100000"),
    (#"{"do":"finish","fade":"61s"}"#, "1:23: error: 'fade' is 1:01, above the limit of 60 s; write 60s or less"),
    (#"{"op":"play"}"#, "1:1: error: a command has no 'do'; add it, as in {\"do\":\"next\"}"),
    (#"["next"]"#, "1:1: error: a command is a list; write a group of keys and values"),
    (#"{"do":"next""#, "1:13: error: the text ends, but the bracket from line 1 is not closed; add '}'"),
    (
      #"{"do":"next","do":"stop"}"#,
      "1:14: error: the key 'do' appears twice in a command, first in line 1; keep one of them"
    ),
  ])
  func `an invalid command is reported with its position and a fix`(_ text: String, _ words: String) {
    let reading = Self.reader.command(text, path: "it")
    #expect(reading.diagnostics.map(\.description) == ["it:" + words])
    #expect(reading.command == nil)
  }

  @Test func `every reader replaces the tilde of a path with the same folder`() {
    let home = SessionReader(catalogue: catalogue).home
    #expect(CommandReader(scope: Self.scope, catalogue: catalogue).home == home)
    #expect(ScriptReader(scope: Self.scope, catalogue: catalogue).home == home)
  }

  @Test func `a request keeps its id`() {
    #expect(Self.reader.request(#"{"id":7,"do":"next"}"#) == ControlRequest(id: "7", .command(.next)))
    #expect(Self.reader.request(#"{"id":"a\"b","do":"status"}"#) == ControlRequest(id: #""a\"b""#, .status))
    #expect(Self.reader.request(#"{"do":"events"}"#) == ControlRequest(.events))
    #expect(Self.reader.request(#"{"do":"events","schema":1}"#) == ControlRequest(.events, schema: .simple))
    #expect(Self.reader.request(#"{"do":"status","schema":2}"#) == ControlRequest(.status))
    let third = ControlRequest(.refused("'schema' is 3; write a whole number from 1 to 2"))
    #expect(Self.reader.request(#"{"do":"events","schema":3}"#) == third)
    #expect(
      Self.reader.request(#"{"id":9,"do":"status","metrics":true}"#) == ControlRequest(id: "9", .statusWithMetrics))
    #expect(Self.reader.request(#"{"do":"status","metrics":false}"#) == ControlRequest(.status))
    let noVerb = ControlRequest.Kind.refused("a command has no 'do'; add it, as in {\"do\":\"next\"}")
    #expect(Self.reader.request(#"{"id":7}"#) == ControlRequest(id: "7", noVerb))
    let twice = Self.reader.request(#"{"id":"x","do":"next","do":"stop"}"#)
    #expect(twice.id == #""x""#)
    let refused = Self.reader.request(#"{"id":8,"do":"nxet"}"#)
    #expect(refused == ControlRequest(id: "8", .refused("there is no command 'nxet'; did you mean 'next'?")))
  }
}

struct CommandWordsTests {
  @Test(
    arguments: [
      ("seek +15", #"{"do":"seek","by":"+15"}"#, .seek(.by(15))),
      ("seek -15s", #"{"do":"seek","by":"-15s"}"#, .seek(.by(-15))),
      ("volume -6dB 2s", #"{"do":"volume","to":"-6dB","over":"2s"}"#, .volume(Gain(decibels: -6), over: 2)),
      ("volume 80%", #"{"do":"volume","to":"80%"}"#, .volume(Gain(linear: 0.8), over: 0)),
      ("volume +3dB", #"{"do":"volume","by":"+3dB"}"#, .volumeStep(.decibels(3), of: nil, over: 0)),
      ("volume -10% 1s", #"{"do":"volume","by":"-10%","over":"1s"}"#, .volumeStep(.share(-0.1), of: nil, over: 1)),
      ("volume --by -3dB", #"{"do":"volume","by":"-3dB"}"#, .volumeStep(.decibels(-3), of: nil, over: 0)),
      (
        "overlay volume +10%", #"{"do":"overlay","op":"volume","by":"+10%"}"#,
        .volumeStep(.share(0.1), of: .overlay, over: 0)
      ),
      ("seek 90", #"{"do":"seek","to":90}"#, .seek(.to(90))),
      ("seek 1:30", #"{"do":"seek","to":"1:30"}"#, .seek(.to(90))),
      ("volume -6dB", #"{"do":"volume","to":"-6dB"}"#, .volume(Gain(decibels: -6), over: 0)),
      ("volume 0.5 2s", #"{"do":"volume","to":0.5,"over":"2s"}"#, .volume(Gain(linear: 0.5), over: 2)),
      ("finish 5s", #"{"do":"finish","fade":"5s"}"#, .finish(fade: 5)),
      ("goto Practice 2:00", #"{"do":"goto","stage":"Practice","at":"2:00"}"#, .goto(stage: "Practice", at: 120)),
      ("jump 2", #"{"do":"jump","track":2}"#, .jump(track: 2)),
      ("repeat track 3", #"{"do":"repeat","mode":"track","count":3}"#, .repetition(.track, count: 3)),
      ("next-stage", #"{"do":"nextStage"}"#, .nextStage),
      ("gong bowl", #"{"do":"gong","sound":"bowl"}"#, .gong(CommandReaderTests.bowlCue)),
      ("overlay stop", #"{"do":"overlay","op":"stop"}"#, .overlay(.stop)),
      (
        "overlay play rain --fade-in 2 --duck -9dB --repeat forever --layer",
        #"{"do":"overlay","op":"play","sound":"rain","fadeIn":2,"duck":{"by":"-9dB"},"repeat":{"times":"forever"},"layer":true}"#,
        .overlay(
          .play(
            OverlayRequest(
              cue: CommandReaderTests.rainCue, fadeIn: 2, times: .forever,
              ducking: .init(depth: Gain(decibels: -9), attack: 0.3, release: 1.5), isLayer: true)))
      ),
      (
        "playlist insert 1 rain bowl", #"{"do":"playlist","op":"insert","at":1,"tracks":["rain","bowl"]}"#,
        .playlist(.insert([CommandReaderTests.rainCue, CommandReaderTests.bowlCue], at: 1))
      ),
      (#"{"do":"next"}"#, #"{"do":"next"}"#, .next),
      ("{\"do\":\r\n\"next\"\n}", "{\"do\":  \"next\" }", .next),
      ("metrics --reset=false", #"{"do":"metrics","reset":false}"#, .metrics(reset: false)),
    ] as [(String, String, Command)])
  func `words become JSON, which is read as a command`(_ words: String, _ json: String, _ command: Command) throws {
    let made = try CommandWords.json(words.split(separator: " ").map(String.init)) { "/found/" + $0 }
    #expect(made == json)
    #expect(CommandReaderTests.reader.command(made).command == command)
  }

  @Test(arguments: [
    ("nxet", "there is no command 'nxet'; did you mean 'next'?"),
    ("next 2", "'2' is one argument too many for 'next'; remove it"),
    ("nextstage", "there is no command 'nextstage'; did you mean 'next-stage'?"),
    ("overlay paly", "'overlay' has no operation 'paly'; did you mean 'play'?"),
    ("overlay play rain --fade-inn 2", "'overlay play' has no option '--fade-inn'; did you mean '--fade-in'?"),
    ("overlay play rain --fade-in", "'--fade-in' needs a value; write it after the option"),
    ("overlay play rain --layer=no", "'--layer=no' is neither true nor false; write --layer, or leave it out"),
    ("music", "'music' has no operation; use one of 'pause', 'resume', 'volume'"),
    ("cache", "'cache' has no operation; use 'clear'"),
    ("goto", "'goto' has no 'stage'; write 'goto STAGE [AT]'"),
    ("playlist insert rain", "'playlist insert' has no 'tracks'; write 'playlist insert AT TRACKS...'"),
    ("seek", "'seek' has no position; write 'seek 1:30', 'seek +15' or 'seek -15'"),
  ])
  func `invalid words are reported`(_ words: String, _ problem: String) {
    #expect(throws: CommandWords.WordError(problem)) {
      try CommandWords.json(words.split(separator: " ").map(String.init))
    }
  }

  @Test func `a sound in the current folder is sent with its absolute path`() throws {
    let json = try CommandWords.json(["overlay", "play", "a.flac"]) { "/here/" + $0 }
    #expect(json == #"{"do":"overlay","op":"play","sound":"/here/a.flac"}"#)
  }
}
