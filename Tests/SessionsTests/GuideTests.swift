import GeneratedSounds
import Imports
import Markup
import SessionFiles
import Signal
import Sounds
import Testing

/// Texts that become sessions.
struct GuideTests {
  /// No sound is looked at.
  private struct NoSounds: SoundLibrary {
    func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
      throw .missing(path: "nothing is looked at")
    }

    func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
      throw .missing(path: "nothing is played")
    }
  }

  private func read(_ text: String, _ format: ImportFormat = .labels) -> Importer.Result {
    Importer(library: NoSounds(), title: "T").read(Array(text.utf8), as: format, path: "guide", folder: "/nowhere")
  }

  /// The name of each stage with its text.
  private func stages(_ text: String) throws -> [String] {
    let result = read(text)
    let session = try #require(result.session, "\(result.diagnostics)")
    return ["<\(session.title)>"]
      + session.stages.map { stage in
        guard case .spoken(let spoken)? = stage.tracks.first?.source.origin else { return stage.name }
        return "\(stage.name)=\(spoken.text)"
      }
  }

  @Test(arguments: [
    ("Sit.\nStay.", ["<T>", "Guide=Sit.\nStay.\n"]),
    ("Evening sit\n\nSit.", ["<Evening sit>", "Guide=Sit.\n"]),
    ("Sit down now.\n\nSit.", ["<T>", "Guide=Sit down now.\n\nSit.\n"]),
    ("# Title\n\nHi.\n\n\n## One ##\nA.\n## One\nB.", ["<Title>", "Beginning=Hi.\n", "One=A.\n", "One 2=B.\n"]),
    ("# One\nA.\n# Two\nB.", ["<T>", "One=A.\n", "Two=B.\n"]),
    ("Title\n=====\nOne\n---\nA.\n\nB c\n---\n", ["<Title>", "One=A.\n"]),
    ("SETTLING\n\nA.\n\nTHE BODY\nOM\n\nOM", ["<T>", "SETTLING=A.\n", "THE BODY=OM\n\nOM\n"]),
    ("Title\n\nONE HOUR\nA.", ["<Title>", "ONE HOUR=A.\n"]),
    ("EVENING\n\nSETTLING\n\nA.", ["<EVENING>", "SETTLING=A.\n"]),
    ("Settling:\nA.\nNot this:\nB.\n\nThe body:\nC.", ["<T>", "Settling=A.\nNot this:\nB.\n", "The body=C.\n"]),
    ("# Title\nSettling:\nA.", ["<Title>", "Settling=A.\n"]),
    ("## A\n[pause 1m] ~~\n## B\nSit.", ["<T>", "A", "B=Sit.\n"]),
  ])
  func `a guide has the title and the stages of its headings`(text: String, expected: [String]) throws {
    let found = try stages(text)
    #expect(found == expected, "\(found)")
  }

  @Test(arguments: [
    ("(pause for 1 min 30 sec)", "[pause 1m30s]"), ("[20 second pause]", "[pause 20s]"),
    ("(30 seconds)", "[pause 30s]"),
    ("(2-minute silence)", "[pause 2m]"), ("(Pause: 0:45)", "[pause 0:45]"), ("(Pause 20 Sekunden)", "[pause 20s]"),
    ("(ring the bell)", "(ring the bell)"), ("(20)", "(20)"), ("(long pause)", ""), ("(pause until you hear it)", ""),
  ])
  func `pauses are written in many ways`(mark: String, written: String) throws {
    let session = try #require(read("Title\n\nSit \(mark) still.").session)
    guard case .spoken(let spoken)? = session.stages.first?.tracks.first?.source.origin else {
      Issue.record("nothing is spoken")
      return
    }
    #expect(spoken.text == (["Sit", written, "still."].filter { !$0.isEmpty }).joined(separator: " ") + "\n")
  }

  @Test func `a part with pauses alone is silent for as long as they are`() throws {
    let session = try #require(read("## A\n[pause 1m] ~~\n## B\nSit.").session)
    #expect(session.stages.map(\.duration) == [.seconds(64), .natural] && session.stages[0].tracks.isEmpty)
  }

  @Test func `what is no mark is told at its place, left out, and kept as a comment`() throws {
    let result = read(
      "Title\r\n\r\nSit. [pase 2s] Down.\r\n(pause 30 seconds) [Pause 2 min] ~~~~ (now) (pause)\u{7} a] [b\n[pause 5]")
    #expect(result.diagnostics.allSatisfy { $0.severity == .warning && $0.code == .invalidValue })
    let places = result.diagnostics.map { "\($0.location.line):\($0.location.column)" }
    #expect(places == ["3:6", "4:34", "4:45", "4:52", "4:55", "4:57", "5:1"])
    #expect(result.comments[.stage(0)]?.first == "line 3: '[pase 2s]' is no mark")
    guard case .spoken(let spoken)? = result.session?.stages[0].tracks[0].source.origin else {
      Issue.record("no text")
      return
    }
    #expect(spoken.text == "Sit. Down.\n[pause 30s] [pause 2m] (now) a b\n")
    #expect(result.parameters.isEmpty)
  }

  @Test func `a guide without words, and a file that is no text, are refused`() throws {
    for text in ["", "# Title\n", "* * *\n", "[sit]"] {
      #expect(read(text).session == nil && read(text).diagnostics.contains { $0.code == .empty }, "\(text)")
    }
    #expect(read("A\n\0b").diagnostics.map(\.location.line) == [2])
  }

  @Test(arguments: [SessionWriter.Format.yaml, .json])
  func `the file of a guide has the text in lines, and its breath as a parameter`(
    format: SessionWriter.Format
  ) throws {
    let guide = "# Title\n\n## A\nIn. ~~ Out, \"so\": it is # not a comment.\n\n  - ${x}. ~\n## B\nSit."
    let result = read(guide)
    let session = try #require(result.session)
    var writer = SessionWriter(format, in: "/nowhere")
    (writer.notes, writer.parameters) = (result.comments, result.parameters)
    let text = writer.text(of: session)
    if format == .yaml {
      #expect(
        text.contains(
          """
                - say: |
                    In. ~~ Out, "so": it is # not a comment.

                    - $${x}. ~
                  breath: "${breath}"

          """), "\(text)")
    }
    let reader = SessionReader(catalogue: GeneratorDescription.builtIn)
    let again = reader.read(text: text, path: "s", folder: "/nowhere", settings: ["breath": "6s"])
    let stages = try #require(again.session?.stages, "\(again.diagnostics.map(\.description))\n\(text)")
    let texts = stages.map { $0.tracks[0].source.origin }
    #expect(
      texts == [
        .spoken(Spoken("In. ~~ Out, \"so\": it is # not a comment.\n\n- ${x}. ~\n", breath: 6)),
        .spoken(Spoken("Sit.\n")),
      ])
  }
}
