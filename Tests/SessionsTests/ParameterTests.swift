import Testing

@testable import Markup
@testable import SessionFiles

/// Parameters of one file.
struct ParameterTests {
  private func scene(_ body: String) throws -> SessionFolderFixture {
    try SessionFolderFixture(["s.yaml": SessionFolderFixture.session(body)])
  }

  @Test func `a parameter alone keeps the kind of its value, and becomes text inside text`() throws {
    let scene = try scene(
      """
      parameters: {count: 3, long: 20m, yes: true, quoted: "3", tracks: [a.wav, {file: b.wav, volume: 0.5}]}
      description: "${count}/${long} ${yes}${quoted}"
      stages:
        - {name: "${count}${count}", duration: "${long}", repeatCount: "${count}", tracks: "${tracks}"}
        - {name: "${quoted}", duration: "${count}", overlays: [{sound: x.wav, at: 0, layer: "${yes}"}]}

      """)
    #expect(
      try scene.resolved()
        == meaning(
          """
          prosper: 1
          title: T
          description: 3/20m true3
          stages:
            - {name: "33", duration: 20m, repeatCount: 3, tracks: [a.wav, {file: b.wav, volume: 0.5}]}
            - {name: "3", duration: 3, overlays: [{sound: x.wav, at: 0, layer: true}]}
          """))
    #expect(try scene.read().session != nil)
  }

  @Test(arguments: [
    ("$${a}", "${a}"), ("$$${a}", "$${a}"), ("x$${a}${a}", "x${a}1"), ("$ {a}", "$ {a}"), ("$a", "$a"), ("$", "$"),
    ("${a}$", "1$"), ("a$${", "a${"), ("${a}}", "1}"), ("é${a}é", "é1é"), ("$$", "$$"),
  ])
  func `two dollar signs write the characters themselves`(text: String, expected: String) throws {
    let scene = try scene("parameters: {a: 1}\ndescription: \"\(text)\"\n")
    let session = try #require(try scene.read().session)
    #expect(session.description == expected)
  }

  @Test func `a session without parameters and includes stays as it is`() throws {
    let scene = try scene("description: \"${a} $${b} ${\"\n")
    #expect(try scene.read().session?.description == "${a} $${b} ${")
    #expect(try scene.problems("s.yaml", ["a": "1"]) == ["given:1:1: error: the session has no parameters; set none"])
  }

  @Test func `keys are never filled in`() throws {
    let scene = try scene(
      "parameters: {a: x}\nsounds: {\"${a}\": a.wav}\nstages: [{name: A, tracks: [\"${a}\"]}]\n")
    #expect(
      try scene.problems() == [
        "s.yaml:4:10: warning: the sound '${a}' is never used; use it, or remove it",
        "s.yaml:5:29: error: there is no sound 'x' in 'sounds'; define it there, or write a path with its extension",
      ])
  }

  @Test func `values are given as words, and adopt the kind of the choice that they mean`() throws {
    let scene = try scene(
      """
      parameters:
        long: 20m
        evening: {default: "1", values: ["1", "2"]}
        free: {description: whatever}
      description: ${evening}
      comment: ${free}
      stages: [{name: A, duration: "${long}"}]

      """)
    let reading = try scene.read("s.yaml", ["long": "90", "evening": "2", "free": "a: [b]"])
    let session = try #require(reading.session)
    #expect(session.stages[0].duration == .seconds(90))
    #expect((session.description, session.comment) == ("2", "a: [b]"))
    #expect(reading.parameters.map(\.name) == ["long", "evening", "free"])
    #expect(reading.parameters.map(\.value) == ["90", "2", "a: [b]"])
    #expect(reading.parameters.map(\.standard) == ["20m", "1", nil])
    #expect(reading.parameters.map(\.summary) == [nil, nil, "whatever"])
    #expect(reading.parameters[1].choices == ["1", "2"])
    #expect(reading.diagnostics.isEmpty)
  }

  @Test func `a default may use the parameters before it`() throws {
    let scene = try scene(
      "parameters: {a: 1, b: \"x${a}\", c: \"${b}y$${a}\", d: \"${a}\", e: [\"${b}\", 2]}\ndescription: ${c} ${d}\n")
    #expect(try scene.read().session?.description == "x1y${a} 1")
    #expect(try scene.read().parameters.last?.value == #"["x1", 2]"#)
    #expect(try scene.read("s.yaml", ["a": "2"]).session?.description == "x2y${a} 2")
  }

  /// Each with the texts of the diagnostics after `s.yaml:`.
  static let mistakes: [(String, [String])] = [
    (
      "parameters: {minutes: 20m}\nstages:\n  - name: A\n    duration: ${minuts}\n",
      ["6:15: error: there is no parameter 'minuts'; did you mean 'minutes'?"]
    ),
    (
      "parameters: {minutes: 20m}\ndescription: a ${hour}\n",
      ["4:14: error: there is no parameter 'hour'; use 'minutes', or write $${ for the characters themselves"]
    ),
    (
      "parameters: {minutes: 20 minutes}\nstages:\n  - name: A\n    duration: ${minutes}\n",
      [
        "6:15: error: 'duration' is '20 minutes'; write a time such as \"90s\", \"1m30s\" or \"4:30\""
      ]
    ),
    (
      "parameters: {a: 1}\ndescription: \"a ${a\"\n",
      ["4:14: error: '${' without '}'; write ${NAME}, or $${ for the characters themselves"]
    ),
    (
      "parameters: {talk: {description: x}}\ndescription: ${talk} ${talk}\n",
      ["3:14: error: the parameter 'talk' has no value; give it a default, or set it"]
    ),
    ("parameters: {talk: }\n", ["3:14: error: the parameter 'talk' has no value; give it a default, or set it"]),
    (
      "parameters: {a: \"${b}\", b: \"${b}\"}\n",
      [
        "3:17: error: the parameter 'b' is defined further below; define it before this one",
        "3:28: error: the parameter 'b' is defined further below; define it before this one",
      ]
    ),
    (
      "parameters: {a: {default: fr, values: [en, de]}}\n",
      ["3:27: error: the parameter 'a' can't be 'fr'; use one of 'en', 'de'"]
    ),
    (
      "parameters: {a: {default: englsh, values: [english, german]}}\n",
      ["3:27: error: the parameter 'a' can't be 'englsh'; did you mean 'english'?"]
    ),
    (
      "parameters: {a: {values: en}}\n",
      [
        "3:14: error: the parameter 'a' has no value; give it a default, or set it",
        "3:26: error: 'values' is text; write a list: [\"en\"]",
      ]
    ),
    (
      "parameters: {a: {default: {b: 1}}}\n",
      [
        "3:14: error: the parameter 'a' has no value; give it a default, or set it",
        "3:27: error: 'default' is a group of keys; write text, a number or a list",
      ]
    ),
    (
      "parameters: {a: {default: 1, describtion: x}}\n",
      ["3:30: error: unknown key 'describtion'; did you mean 'description'?"]
    ),
    (
      "parameters: {a b: 1, 2: 3}\n",
      [
        "3:14: error: 'a b' can't be the name of a parameter; begin with a letter, and use only letters, digits, '-' and '_'",
        "3:22: error: '2' can't be the name of a parameter; begin with a letter, and use only letters, digits, '-' and '_'",
      ]
    ),
    (
      "parameters: {a: 1, a: 2}\n",
      ["3:20: error: the key 'a' appears twice in 'parameters', first in line 3; keep one of them"]
    ),
    ("parameters: [a]\n", ["3:13: error: 'parameters' is a list; write a group of keys and values"]),
    (
      "parameters: {a: [1, 2]}\ndescription: x ${a}\n",
      ["4:14: error: the parameter 'a' is a list, which can't be a part of a text; write \"${a}\" alone"]
    ),
    (
      "parameters: {a: [x.wav, 3]}\nstages:\n  - {name: A, tracks: \"${a}\"}\n  - {name: B, tracks: \"${a}\"}\n",
      [
        "3:25: error: a sound is a number; write a name, a path, an address or \"generate:NAME\" (used in s.yaml:5:23)",
        "3:25: error: a sound is a number; write a name, a path, an address or \"generate:NAME\" (used in s.yaml:6:23)",
      ]
    ),
    ("parametrs: {a: 1}\n", ["3:1: error: unknown key 'parametrs'; did you mean 'parameters'?"]),
  ]

  @Test(arguments: mistakes.indices) func `a mistake is told at its place, once`(index: Int) throws {
    let (body, expected) = Self.mistakes[index]
    #expect(try scene(body).problems() == expected.map { "s.yaml:" + $0 })
  }

  @Test func `a value that is given and not possible is told at the place where it is given`() throws {
    let scene = try scene("parameters: {lang: {default: en, values: [en, de]}, long: 1m}\ndescription: ${lang}\n")
    #expect(
      try scene.problems("s.yaml", ["lang": "fr", "lnog": "1m"]) == [
        "given:1:1: error: the parameter 'lang' can't be 'fr'; use one of 'en', 'de'",
        "given:2:1: error: the session has no parameter 'lnog'; did you mean 'long'?",
      ])
    #expect(
      try scene.problems("s.yaml", ["long": "a\u{1B}b"]) == [
        "given:1:1: error: the value of the parameter 'long' has a control character; remove it"
      ])
  }

  @Test func `names that a session lacks are ignored if the values are for several`() throws {
    let scene = try scene("parameters: {lang: en}\ndescription: ${lang}\n")
    var settings: SessionSettings = ["lang": "de", "evening": "3"]
    settings.isForSeveral = true
    let text = SessionFolderFixture.session("parameters: {lang: en}\ndescription: ${lang}\n")
    let reading = reader.read(text: text, path: "s.yaml", folder: scene.path, settings: settings)
    #expect(reading.session?.description == "de")
  }

  @Test func `text that grows with each parameter is refused before it fills the memory`() throws {
    let names = (0..<40).map {
      "p\($0): \($0 == 0 ? String(repeating: "x", count: 64) : "\"${p\($0 - 1)}${p\($0 - 1)}\"")"
    }
    let problems = try scene("parameters: {\(names.joined(separator: ", "))}\n").problems()
    #expect(problems.count == 1 && problems[0].contains("exceeds the limit of 16 MiB of text"), "\(problems)")
    let lists = (0..<40).map { "p\($0): [\($0 == 0 ? "1, 1" : "\"${p\($0 - 1)}\", \"${p\($0 - 1)}\"")]" }
    let long = try scene("parameters: {\(lists.joined(separator: ", "))}\n").problems()
    #expect(long.count == 1 && long[0].contains("exceeds the limit of 500000 values"), "\(long)")
  }
}
