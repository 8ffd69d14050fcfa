import Foundation
import Signal
import Sounds
import Testing

@testable import Markup
@testable import SessionFiles

/// Mistakes in sessions of several files, and where they are told.
struct IncludeMistakeTests {
  private static let session = SessionFolderFixture.session

  @Test func `a mistake in a file is told at its place, with every include that leads there`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session("stages:\n  - include: a/one.yaml\n"),
      "a/one.yaml": "prosper: 1\nstages:\n  - {include: two.yaml, set: {n: 5x}}\n",
      "a/two.yaml": """
      prosper: 1
      parameters: {n: 1m}
      stages:
        - name: A
          duration: ${n}
          trcks: []
        - {name: A, duration: ${m}}
      """.replacing("${m}}", with: "\"${m}\"}"),
    ])
    let from = " (included from a/one.yaml:3:15, included from s.yaml:4:14)"
    #expect(
      try scene.problems() == [
        "a/two.yaml:5:15: error: 'duration' is '5x'; write a time such as \"90s\", \"1m30s\" or \"4:30\"" + from,
        "a/two.yaml:6:5: error: unknown key 'trcks'; did you mean 'tracks'?" + from,
        "a/two.yaml:7:12: error: the stage name 'A' appears twice, first in line 4; give each stage its own name"
          + from,
        "a/two.yaml:7:25: error: there is no parameter 'm'; did you mean 'n'?" + from,
      ])
    let reading = try scene.read()
    #expect(reading.diagnostics[0].includedFrom.map(\.description) == ["a/one.yaml:3:15", "s.yaml:4:14"])
  }

  @Test func `a file that can't be read is told at its include, or at its own mistake`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session("include: [none.yaml]\nstages:\n  - {include: a/none.yaml}\n  - {include: a/bad.yaml}\n"),
      "a/bad.yaml": "prosper: 1\nstages: [\n",
      "t.yaml": Self.session("include: [.]\nstages:\n  - {include: sound.wav}\n  - {include: http://x/y.yaml}\n"),
      "sound.wav": "RIFF",
    ])
    let fix = "check the path; a relative path starts at the folder of the file that includes it"
    #expect(
      try scene.problems() == [
        "s.yaml:3:11: error: none.yaml: no such file; \(fix)",
        "s.yaml:5:15: error: a/none.yaml: no such file; \(fix)",
        "a/bad.yaml:3:1: error: not valid YAML: did not find expected node content; check indentation, brackets and quotes"
          + " (included from s.yaml:6:15)",
      ])
    #expect(
      try scene.problems("t.yaml") == [
        "t.yaml:3:11: error: .: is a folder; give the path of a file; a relative path starts at the folder of the file "
          + "that includes it",
        "sound.wav:1:1: error: this is a sound file, not a session; name it in a session, as in \"tracks\": "
          + "[\"bell.flac\"]; start from an example (included from t.yaml:5:15)",
        "t.yaml:6:15: error: 'http://x/y.yaml' is an address; include a file of this computer",
      ])
    #expect(try scene.read().session == nil)
  }

  @Test func `a file that includes itself is refused, also through others and at the top`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session("stages: [{include: a.yaml}]\n"),
      "a.yaml": "prosper: 1\nstages: [{include: ./x/../b.yaml}]\n", "x/none": "",
      "b.yaml": "prosper: 1\ninclude: [c.yaml]\nstages: [{include: s.yaml}]\n",
      "c.yaml": "prosper: 1\ninclude: [c.yaml]\n",
    ])
    #expect(
      try scene.problems() == [
        "c.yaml:2:11: error: 'c.yaml' includes itself; remove the include (included from b.yaml:2:11, included from "
          + "a.yaml:2:20, included from s.yaml:3:20)",
        "b.yaml:3:20: error: 's.yaml' includes itself, through a.yaml and b.yaml; remove the include (included "
          + "from a.yaml:2:20, included from s.yaml:3:20)",
      ])
  }

  @Test func `the same name for another sound is refused, and names both places`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session(
        """
        include: [b.yaml]
        sounds: {bell: {generate: bell}, bowl: audio/bowl.wav, wood: {generate: wood}}
        stages: [{include: parts/a.yaml}]

        """),
      "b.yaml": "prosper: 1\nsounds: {bell: {generate: bell, pitch: 300}}\nparameters: {p: 1}\n",
      "parts/a.yaml": """
      prosper: 1
      include: [../c.yaml]
      sounds: {bowl: ../audio/bowl.wav, wood: "generate:wood"}
      stages: [{name: A, duration: 1m, gongs: [{sound: wood, at: end}]}]
      """,
      "c.yaml": "prosper: 1\nsounds: {bell: {generate: bell}}\nparameters: {p: 2}\n",
      "audio/bowl.wav": "",
    ])
    #expect(
      try scene.problems() == [
        "s.yaml:4:10: error: the sound 'bell' is another one in b.yaml:2:10; rename one of them",
        "s.yaml:4:34: warning: the sound 'bowl' is never used; use it, or remove it",
        "c.yaml:2:10: error: the sound 'bell' is another one in b.yaml:2:10; rename one of them (included from "
          + "parts/a.yaml:2:11, included from s.yaml:5:20)",
        "parts/a.yaml:3:35: error: the sound 'wood' is another one in s.yaml:4:56; rename one of them (included from "
          + "s.yaml:5:20)",
      ])
  }

  @Test func `parameters of included files that differ are refused`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session("include: [b.yaml]\nparameters: {p: 2}\n"), "b.yaml": "prosper: 1\nparameters: {p: 1}\n",
    ])
    #expect(
      try scene.problems() == [
        "s.yaml:4:14: error: the parameter 'p' is another one in b.yaml:2:14; rename one of them"
      ])
  }

  @Test func `mistakes at the include of stages are told there`() throws {
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session(
        """
        parameters: {lang: de}
        stages:
          - {include: a.yaml, set: {langg: en}}
          - {include: a.yaml, name: X}
          - {include: a.yaml, set: {lang: fr}}
          - {include: a.yaml, set: [1]}
          - {include: a.yaml, set: {lang: {a: 1}}}
          - {include: [a.yaml]}
          - {include: b.yaml}
          - {include: lib.yaml}

        """),
      "a.yaml": "prosper: 1\nparameters: {lang: {values: [en, de]}}\nstages: []\n",
      "b.yaml": "prosper: 2\nparameters: {lang: {values: [en]}, talk: }\nstages: {}\nvolme: 1\n",
      "lib.yaml": "prosper: 1\nsounds: {}\n",
    ])
    let b = " (included from s.yaml:11:15)"
    #expect(
      try scene.problems() == [
        "s.yaml:5:29: error: the included file has no parameter 'langg'; did you mean 'lang'?",
        "s.yaml:6:23: error: unknown key 'name' in a stage with 'include'; use one of 'include', 'set'",
        "s.yaml:7:35: error: the parameter 'lang' can't be 'fr'; use one of 'en', 'de'",
        "s.yaml:8:28: error: 'set' is a list; write a group of keys and values",
        "s.yaml:9:35: error: the value of a parameter is a group of keys; write text, a number or a list",
        "s.yaml:10:15: error: the path of an included file is a list; write the path of a file",
        "s.yaml:11:15: error: the parameter 'lang' can't be 'de'; use one of 'en'",
        "b.yaml:1:10: error: format version 2 is not supported; write 1, or update prosper" + b,
        "b.yaml:2:36: error: the parameter 'talk' has no value; add it to 'set' of the include, or give it a default"
          + b,
        "b.yaml:3:9: error: 'stages' is a group of keys; write a list of stages" + b,
        "b.yaml:4:1: error: unknown key 'volme'; did you mean 'volume'?" + b,
        "lib.yaml:1:1: error: the included file has no 'stages'; add it (included from s.yaml:12:15)",
      ])
  }

  @Test func `values of an included session that would change its sound are told to be lost`() throws {
    let part =
      "prosper: 1\nvolume: 0.5\ncrossfade: 2s\ntitle: Part\nstages: [{name: \"${n}\", duration: 1m}]\nparameters: {n: A}\n"
    let scene = try SessionFolderFixture([
      "s.yaml": Self.session("crossfade: 2s\nstages:\n  - {include: a.yaml}\n  - {include: a.yaml, set: {n: B}}\n"),
      "a.yaml": part,
    ])
    #expect(
      try scene.problems() == [
        "a.yaml:2:1: warning: 'volume' of an included file has no effect; write it in the session that includes it, or in "
          + "the stages (included from s.yaml:5:15)"
      ])
    #expect(try scene.read("a.yaml").session?.volume.linear == 0.5)
  }
}
