import Foundation
import Signal
import Sounds
import Testing

@testable import Markup
@testable import SessionFiles

/// Sessions in several files: what they mean, and their limits.
struct IncludeTests {
  private static let session = SessionFolderFixture.session

  /// The stages of a part, with a name from a parameter.
  private static let arrive = """
    prosper: 1
    parameters: {lang: en, stage: Arrive}
    sounds: {talk: "talks/${lang}.wav", bell: {generate: bell}}
    stages:
      - {name: "${stage}", duration: 1m, overlays: [{sound: talk, at: 1s}], gongs: [{sound: bell, at: end}]}

    """

  @Test func `sounds and parameters of an included file belong to the session`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session(
        """
        include: [bells/all.yaml]
        stages: [{name: A, duration: 1m, gongs: [{sound: bowl, at: start}, {sound: "${kind}", at: end}]}]

        """),
      "bells/all.yaml": """
      prosper: 1
      include: [../common.yaml]
      parameters: {kind: "${file}"}
      sounds: {bowl: "${file}", other: {file: noextension}}
      """,
      "common.yaml": "prosper: 1\nparameters: {file: audio/bowl.wav}\n",
    ])
    #expect(
      try scene.resolved()
        == meaning(
          """
          prosper: 1
          title: T
          sounds: {bowl: audio/bowl.wav, other: {file: bells/noextension}}
          stages: [{name: A, duration: 1m, gongs: [{sound: bowl, at: start}, {sound: audio/bowl.wav, at: end}]}]
          """))
    let reading = try scene.read()
    #expect(reading.diagnostics.isEmpty)
    #expect(reading.parameters.map(\.name) == ["file", "kind"])
    #expect(reading.includedFiles == ["\(scene.path)/bells/all.yaml", "\(scene.path)/common.yaml"])
    #expect(
      reading.session?.named["bowl"]?.source == SoundSource(.file(path: "\(scene.path)/audio/bowl.wav")))
  }

  @Test func `stages of another file stand in their place, with values from 'set', the session or their defaults`()
    throws
  {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session(
        """
        parameters: {lang: de}
        stages:
          - {name: First, duration: 1s}
          - {include: parts/arrive.yaml}
          - {name: Last, duration: 1s}

        """),
      "other.yaml": Self.session(
        """
        stages:
          - {include: parts/arrive.yaml}
          - {include: parts/arrive.yaml, set: {lang: fr, stage: Again}}

        """),
      "parts/arrive.yaml": Self.arrive,
    ])
    let first = try #require(try scene.read().session)
    #expect(first.stages.map(\.name) == ["First", "Arrive", "Last"])
    #expect(first.stages[1].overlays[0].sound.source.origin == .file(path: "\(scene.path)/parts/talks/de.wav"))
    let other = try #require(try scene.read("other.yaml").session)
    let sources = other.stages.map { $0.overlays[0].sound }
    #expect(sources.map(\.source.label) == ["en.wav", "fr.wav"])
    // The name of the sound is its title, although there are two of that name.
    #expect(sources.map(\.title) == ["talk", "talk"])
    #expect(other.named.keys.sorted() == ["bell", "talk", "talk 2"])
  }

  @Test func `a path starts at the folder of the file that writes it, also as the value of a parameter`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session(
        """
        parameters: {talk: talks/root.wav, name: root}
        cover: pictures/a.jpg
        stages:
          - {include: a/one.yaml, set: {other: "${talk}"}}

        """),
      "a/one.yaml": """
      prosper: 1
      parameters: {talk: talks/one.wav, other: talks/one.wav, name: one}
      stages:
        - name: One
          duration: 1m
          tracks: ["${talk}", "${other}", "x/${name}.wav", "./y.wav", ~/z.wav, /w.wav, {file: v}, "http://h/u.wav"]
        - {include: ../b/two.yaml, set: {talk: talks/set.wav, list: [l.wav, "${talk}"]}}
      """,
      "b/two.yaml": """
      prosper: 1
      parameters: {talk: talks/two.wav, list: [d.wav]}
      stages: [{name: Two, duration: 1m, tracks: "${list}", overlays: [{sound: {file: "${talk}"}, at: 0}]}]
      """,
    ])
    let session = try #require(try scene.read().session)
    let paths = session.stages.map { $0.tracks.map(\.source.address).map { $0.replacing(scene.path + "/", with: "") } }
    #expect(
      paths == [
        [
          "talks/root.wav", "talks/root.wav", "a/x/root.wav", "a/y.wav", "/people/someone/z.wav", "/w.wav", "a/v",
          "http://h/u.wav",
        ], ["a/l.wav", "talks/root.wav"],
      ])
    #expect(session.stages[1].overlays[0].sound.source.origin == .file(path: "\(scene.path)/a/talks/set.wav"))
  }

  @Test func `eight levels are enough, and nine are too many`() throws {
    let scene = try SessionFolderFixture(["s.yaml": Self.session("stages: [{include: p1.yaml}]\n")])
    for level in 1...8 {
      try scene.write("prosper: 1\nstages: [{include: p\(level + 1).yaml}]\n", to: "p\(level).yaml")
    }
    try scene.write("prosper: 1\nstages: [{name: deep, duration: 1s}]\n", to: "p8.yaml")
    #expect(try scene.read().session?.stages.map(\.name) == ["deep"])
    try scene.write("prosper: 1\nstages: [{include: p9.yaml}]\n", to: "p8.yaml")
    try scene.write("prosper: 1\nstages: [{name: deep, duration: 1s}]\n", to: "p9.yaml")
    let problems = try scene.problems()
    #expect(problems.count == 1)
    #expect(
      problems[0].hasPrefix(
        "p8.yaml:2:20: error: files include each other in more than 8 levels; include them further outside (included from"
      ))
    #expect(problems[0].contains("included from p1.yaml:2:20, included from s.yaml:3:20)"))
  }

  @Test func `the same file included twice, and the same definition in two files, are no clash`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session(
        """
        include: [b.yaml, ./b.yaml, c.yaml]
        sounds: {bell: {pitch: 300, generate: bell}}
        parameters: {p: "1"}
        stages:
          - {include: a.yaml, set: {n: 1}}
          - {include: a.yaml, set: {n: 2}}

        """),
      "b.yaml": "prosper: 1\nsounds: {bell: {generate: bell, pitch: 300}}\nparameters: {p: '1'}\n",
      "c.yaml": "prosper: 1\ninclude: [b.yaml]\n",
      "a.yaml": """
      prosper: 1
      include: [b.yaml]
      parameters: {n: {values: [1, 2]}}
      stages: [{name: "A ${n}", duration: 1m, gongs: [{sound: bell, at: end}]}]
      """,
    ])
    #expect(try scene.problems() == [])
    #expect(try scene.read().session?.stages.map(\.name) == ["A 1", "A 2"])
  }

  @Test func `a file with only sounds and parameters is no session`() throws {
    let scene = try SessionFolderFixture(["b.yaml": "prosper: 1\nsounds: {bell: {generate: bell}}\n"])
    #expect(
      try scene.problems("b.yaml") == [
        "b.yaml:1:1: error: this file has sounds or parameters for other files, and no stages; give a session that "
          + "includes it"
      ])
    #expect(!SessionFile.isSession("\(scene.path)/b.yaml"))
    #expect(SessionFile.isSession("\(scene.path)/b.yaml", countsParts: true))
  }

  @Test func `files that include the next one a hundred times are refused within seconds`() throws {
    let includes = { (next: Int) in
      "stages: [" + String(repeating: "{include: p\(next).yaml}, ", count: 100) + "]\n"
    }
    let scene = try SessionFolderFixture(["s.yaml": Self.session(includes(1))])
    for level in 1...7 { try scene.write("prosper: 1\n" + includes(level + 1), to: "p\(level).yaml") }
    try scene.write("prosper: 1\nstages: []\n", to: "p8.yaml")
    let clock = ContinuousClock()
    let start = clock.now
    let problems = try scene.problems()
    #expect(problems.count == 1 && problems[0].contains("exceeds the limit of"), "\(problems.prefix(3))")
    #expect(clock.now - start < .seconds(20))
  }

  @Test func `a part inside of a part uses the sounds of the part around it`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session("stages:\n  - {include: a.yaml}\n  - {include: a.yaml, set: {n: two}}\n"),
      "a.yaml": """
      prosper: 1
      parameters: {n: one}
      sounds: {talk: "${n}.wav"}
      stages: [{include: b.yaml}]
      """,
      "b.yaml": "prosper: 1\nparameters: {n: x}\nstages: [{name: \"A ${n}\", duration: 1m, tracks: [talk]}]\n",
    ])
    let session = try #require(try scene.read().session)
    #expect(session.stages.map(\.name) == ["A one", "A two"])
    #expect(session.stages.map { $0.tracks[0].source.label } == ["one.wav", "two.wav"])
  }

  @Test func `the sounds of a file that is included very often keep their own meaning`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session(
        "stages:\n" + (0..<900).map { "  - {include: a.yaml, set: {n: \($0)}}\n" }.joined()),
      "a.yaml": """
      prosper: 1
      parameters: {n: 0}
      sounds: {talk: "${n}.wav"}
      stages: [{name: "A${n}", duration: 1m, tracks: [talk]}]
      """,
    ])
    let session = try #require(try scene.read().session)
    #expect(session.stages.map { $0.tracks[0].source.label } == (0..<900).map { "\($0).wav" })
    #expect(Set(session.stages.map { $0.tracks[0].title }) == ["talk"])
  }

  @Test func `files that include the next one twice stay within the limits`() throws {
    let scene = try SessionFolderFixture(["s.yaml": Self.session("stages: [{include: p1.yaml}, {include: p1.yaml}]\n")])
    for level in 1...7 {
      let include = "{include: p\(level + 1).yaml}"
      try scene.write("prosper: 1\nstages: [\(include), \(include)]\n", to: "p\(level).yaml")
    }
    let many = (0..<3_000).map { "{generate: bell, pitch: \(300 + $0)}" }.joined(separator: ",")
    try scene.write("prosper: 1\nstages: [{name: A, duration: 1h, tracks: [\(many)]}]\n", to: "p8.yaml")
    let clock = ContinuousClock()
    let start = clock.now
    let problems = try scene.problems()
    #expect(problems.count == 1 && problems[0].contains("exceeds the limit of 500000 values"), "\(problems.prefix(3))")
    #expect(clock.now - start < .seconds(20))
  }
}
