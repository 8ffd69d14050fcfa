import Foundation
import GeneratedSounds
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Sessions that are written and read again.
struct SessionWriterTests {
  static let formats: [SessionWriter.Format] = [.yaml, .json]

  private static func read(_ text: String, _ format: SessionWriter.Format) -> SessionReader.Reading {
    reader.read(text: text, path: format == .json ? "s.json" : "s.yaml", folder: "/sessions")
  }

  @Test(arguments: Examples.good, formats)
  func `a written example is read as the same session`(file: URL, format: SessionWriter.Format) throws {
    let session = try #require(try Examples.read(file).session)
    let text = SessionWriter(format, in: "/sessions").text(of: session)
    let reading = Self.read(text, format)
    let again = try #require(reading.session, "\(reading.diagnostics.map(\.description))\n\(text)")
    #expect(again.withoutLocations == session.withoutLocations, "\(text)")
    // Writing the session again gives the same text.
    #expect(SessionWriter(format, in: "/sessions").text(of: again) == text)
  }

  @Test func `the text of a small session is short, and comments explain its keys`() throws {
    let sit = try Sit(duration: 1500).session()
    #expect(
      SessionWriter(.yaml, in: "/").text(of: sit) == """
        prosper: 1                      # the version of the format
        title: A sit of 25 minutes
        sounds:                         # names for sounds; 'prosper sounds' lists the built-in ones
          bell: {generate: bowl}
        stages:                         # one after the other
          - name: Sit
            duration: 25m               # such as 90s, 1m30s or 1:30; without it, as long as the tracks
            gongs:                      # bells; 'at' is start, end, 2:30, or -10s for 10 s before the end
              - {sound: bell, at: [start, end], strikes: 3}

        """)
    #expect(
      SessionWriter(.json, in: "/").text(of: sit) == """
        {
          "prosper": 1,
          "title": "A sit of 25 minutes",
          "sounds": {
            "bell": { "generate": "bowl" }
          },
          "stages": [
            {
              "name": "Sit",
              "duration": "25m",
              "gongs": [{ "sound": "bell", "at": ["start", "end"], "strikes": 3 }]
            }
          ]
        }

        """)
  }

  @Test(arguments: [
    "off", "yes", "null", "~", "true", "1", "1.5", "-", "- a", "a: b", "a #b", "'", "\"q\"", "[x]", "{x}", "*x", "&x",
    "!x", "%x", "@x", "|", ">", "?", " x", "x ", "a\tb", "süß", "日本", "🧘", "0x10", "1e3", "12:30", ".5", "--- x", "# x",
    "a\\b", "generate:rain", "2026-01-01", "<<", "=", "a, b",
  ])
  func `titles and names of any kind are read unchanged`(text: String) throws {
    var draft = Session(path: "", title: text, stages: [Session.Stage(name: text, duration: .seconds(1))])
    draft.description = text
    for format in Self.formats {
      let written = SessionWriter(format, in: "/").text(of: draft)
      let session = try #require(Self.read(written, format).session, "\(written)")
      #expect(session.title == text && session.stages[0].name == text && session.description == text, "\(written)")
    }
  }

  @Test(arguments: ["2026", "2026-03", "2026-03-01"], formats)
  func `a date is read unchanged`(date: String, format: SessionWriter.Format) throws {
    var draft = Session(path: "", title: "t", stages: [Session.Stage(name: "A", duration: .seconds(1))])
    draft.date = date
    let text = SessionWriter(format, in: "/").text(of: draft)
    let session = try #require(Self.read(text, format).session, "\(text)")
    #expect(session.date == date, "\(text)")
  }

  @Test(arguments: formats)
  func `tags and the path of the cover are read unchanged`(format: SessionWriter.Format) throws {
    var draft = Session(path: "", title: "t", stages: [Session.Stage(name: "A", duration: .seconds(1))])
    (draft.artist, draft.album, draft.genre) = ("Anna: Übung", "#1", "yes")
    (draft.comment, draft.language, draft.cover) = ("a\nb: 'c'", "no", "/sessions/a b/c.jpg")
    let text = SessionWriter(format, in: "/sessions").text(of: draft)
    var session = try #require(Self.read(text, format).session, "\(text)")
    #expect((session.artist, session.album, session.genre) == (draft.artist, draft.album, draft.genre), "\(text)")
    #expect(
      (session.comment, session.language, session.cover) == (draft.comment, draft.language, draft.cover), "\(text)")
    #expect(text.contains("a b/c.jpg") && !text.contains("/sessions"), "\(text)")
    (session.cover, session.coverLocation) = (nil, nil)
    #expect(!SessionWriter(format, in: "/sessions").text(of: session).contains("cover"))
  }

  @Test(arguments: [
    ("/sessions/a.wav", "a.wav"), ("/sessions/sub/b.flac", "sub/b.flac"), ("/other/c.wav", "/other/c.wav"),
    ("/sessions/bowl", "./bowl"), ("/sessions/~x.wav", "./~x.wav"), ("/sessions/a:b.wav", "./a:b.wav"),
    ("/sessionsx.wav", "/sessionsx.wav"), ("/sessions/http:x.wav", "./http:x.wav"),
  ])
  func `sounds in the session's folder get relative paths that no name or address can be`(
    path: String, written: String
  ) throws {
    let track = Session.Sound(.file(path: path))
    let draft = Session(path: "", title: "t", stages: [Session.Stage(name: "A", duration: .natural, tracks: [track])])
    for format in Self.formats {
      let text = SessionWriter(format, in: "/sessions").text(of: draft)
      #expect(text.contains(written))
      #expect(Self.read(text, format).session?.stages[0].tracks[0].source.origin == .file(path: path), "\(text)")
    }
  }

  @Test func `times and volumes are read back exactly`() {
    var random = SplitMix(seed: 1)
    for _ in 0..<5_000 {
      let seconds = random.fraction() * pow(10, random.fraction() * 8 - 3)
      for value in [seconds, (seconds * 1000).rounded() / 1000, seconds.rounded()] where 0 < value {
        #expect(Self.seconds(Spelling.time(value)) == value, "\(value)")
      }
      let gains = [Gain(linear: Float(random.fraction())), Gain(decibels: (random.fraction() * 72 - 60).rounded())]
      for gain in gains { #expect(Self.gain(Spelling.volume(gain)) == gain, "\(gain)") }
    }
  }

  private static func seconds(_ value: Node) -> Double? {
    switch value.content {
    case .text(let text): TimeSpelling.seconds(text)
    case .word(let word): Node.isNumber(word) ? Double(word) : nil
    default: nil
    }
  }

  private static func gain(_ value: Node) -> Gain? {
    switch value.content {
    case .text(let text): VolumeSpelling.decibels(text).map(VolumeSpelling.gain)
    case .word(let word): Node.isNumber(word) ? Float(word).map { Gain(linear: $0) } : nil
    default: nil
    }
  }
}

extension Session {
  /// The session with equal source locations everywhere, for comparisons.
  var withoutLocations: Session {
    var session = self
    (session.path, session.fadeOutLocation, session.sampleRateLocation) = ("", nil, nil)
    session.coverLocation = nil
    session.named = named.mapValues(\.withoutLocation)
    session.overlays = overlays.map(\.withoutLocations)
    session.gongs = gongs.map(\.withoutLocations)
    for index in stages.indices {
      session.stages[index].location = noLocation
      session.stages[index].tracks = stages[index].tracks.map(\.withoutLocation)
      session.stages[index].overlays = stages[index].overlays.map(\.withoutLocations)
      session.stages[index].gongs = stages[index].gongs.map(\.withoutLocations)
    }
    return session
  }
}

extension Session.Sound {
  fileprivate var withoutLocation: Session.Sound {
    var sound = self
    sound.location = noLocation
    return sound
  }
}

extension Session.Overlay {
  fileprivate var withoutLocations: Session.Overlay {
    var overlay = self
    (overlay.sound, overlay.location) = (sound.withoutLocation, noLocation)
    overlay.following = following.map(\.withoutLocation)
    overlay.at = at.map { Session.Position($0.anchor) }
    return overlay
  }
}

extension Session.Gong {
  fileprivate var withoutLocations: Session.Gong {
    var gong = self
    (gong.sound, gong.location) = (sound.withoutLocation, noLocation)
    gong.extra = extra.map { Session.Position($0.anchor) }
    if case .at(let positions) = times { gong.times = .at(positions.map { Session.Position($0.anchor) }) }
    return gong
  }
}
