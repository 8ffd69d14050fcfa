import Sounds
import Testing

@testable import Speech

@Suite struct SpeechTextTests {
  /// The segments as one line: sentences in bars, pauses in seconds.
  private func segments(_ text: String, breath: Double = 4) throws -> String {
    let segments = try SpeechText.segments(of: Spoken(text, breath: breath))
    return segments.map { segment in
      switch segment {
      case .sentence(let sentence): "|\(sentence)|"
      case .pause(let seconds): "\(seconds)"
      }
    }.joined(separator: " ")
  }

  @Test(arguments: [
    ("Breathe in. [pause 8s] Breathe out.", "|Breathe in.| 8.0 |Breathe out.|"),
    ("[pause 0:20]Sit [PAUSE 1m30s] still[pause 250ms]", "20.0 |Sit| 90.0 |still| 0.25"),
    ("In ~ out ~~ rest ~~~ end", "|In| 2.0 |out| 4.0 |rest| 8.0 |end|"),
    ("In.~ ~~\n\n[pause 1s]\nOut.", "|In.| 7.0 |Out.|"),
    ("One. Two!\n\n \nThree? Four", "|One.| 0.6 |Two!| 1.5 |Three?| 0.6 |Four|"),
    ("a\nb\r\nc.\r\n\r\nD", "|a b c.| 1.5 |D|"),
    ("\n\n[pause 0s] Sit. ...\n\n— \n\n", "|Sit.|"),
  ])
  func `marks and paragraphs become pauses`(text: String, expected: String) throws {
    #expect(try segments(text) == expected)
  }

  @Test func `the length of a breath can be chosen`() throws {
    #expect(try segments("In ~ out ~~~ end", breath: 5) == "|In| 2.5 |out| 10.0 |end|")
    #expect(try segments("In. ~~ Out.", breath: 0) == "|In.| |Out.|")
  }

  @Test(arguments: [
    "Dr. Who sits, e.g. here. | 3.5 breaths, at 3 p.m. today. | So do I. | Sit.",
    "Well... now. | Wait… | Now!",
    "“Let go.” | Then “stop!” he said. | (Sit.) | Go.",
    "Atme, z. B. Luft, d. h. tief. | Am 3. Mai beginnt es. | Zähle bis 10. | Dann ruhe.",
    "»Atme ein.« | »Gut!« | „Ja?“ | Nr. 5 folgt bzw. Übung 6.",
    "Respirez ! | « Inspirez. » | Puis expirez, M. Dupont… | Voilà.",
    "¿Listo? | ¡Respira! | Sr. López espera.",
    "吸气。 | 呼气！ | 休息？ | 好",
    "「吸って。」 | 吐いて。",
    "साँस लो। | छोड़ो।",
    "Open example.org now. | Version 2.0 is here.",
  ])
  func `sentences end where a reader pauses`(text: String) throws {
    let sentences = text.replacing(" | ", with: "|").split(separator: "|").map { "|\($0)|" }
    // Chinese and Japanese have no spaces between sentences.
    let isDense = text.contains("。")
    #expect(
      try segments(text.replacing(" | ", with: isDense ? "" : " ")) == sentences.joined(separator: " 0.6 "))
  }

  @Test(arguments: [
    ("[pause twenty]", "'[pause twenty]' has no valid time", "write a time such as [pause 20s] or [pause 1m30s]"),
    ("[pause 20]", "'[pause 20]' has no valid time", "write [pause 20s]"),
    ("[pause 1m 30s]", "'[pause 1m 30s]' has no valid time", "write [pause 1m30s]"),
    ("[pause]", "'[pause]' has no time", "write a time such as [pause 20s]"),
    ("[pause -2s]", "'[pause -2s]' has no valid time", "write a time such as [pause 20s] or [pause 1m30s]"),
    ("[pause 200h]", "'[pause 200h]' is above the limit of 168 hours", "write a shorter pause"),
    ("[pase 2s]", "'[pase 2s]' is no mark", "did you mean [pause 2s]?"),
    ("[20s]", "'[20s]' is no mark", "did you mean [pause 20s]?"),
    ("[softly]", "'[softly]' is no mark", "a pause is [pause 20s]; write words that are spoken without brackets"),
    ("[[h@loU]]", "'[' has no ']'", "write a pause as [pause 20s]"),
    ("[pause 2s", "'[pause 2s' has no ']'", "write a pause as [pause 20s]"),
    ("[pause\n2s]", "'[pause' has no ']'", "write a pause as [pause 20s]"),
    ("pause 2s]", "a ']' without its '['", "write a pause as [pause 20s], and words without brackets"),
    ("~~~~", "4 tildes are no mark", "write ~, ~~ or ~~~, or a pause such as [pause 20s]"),
    ("", "the text has no words to speak", "write a sentence"),
    ("[pause 2s] ~ … !", "the text has no words to speak", "write a sentence"),
  ])
  func `a wrong mark is never spoken`(text: String, problem: String, fix: String) {
    let words = problem.contains("no words") ? text : "Sit. \(text)"
    #expect(throws: SpeechMistake(problem: problem, fix: fix)) { try segments(words) }
  }

  @Test func `control characters and line breaks reach no engine`() throws {
    #expect(try segments("Sit\u{0}\u{7}\u{1B}[pause 1s]\tstill\u{2028}here\u{85}now") == "|Sit| 1.0 |still here now|")
  }

  @Test func `a very long sentence is spoken in pieces without pauses`() throws {
    let words = Array(repeating: "breathe", count: 1_000).joined(separator: " ") + "."
    let pieces = try SpeechText.segments(of: Spoken(words)).map { segment in
      if case .sentence(let text) = segment { text } else { "" }
    }
    #expect(pieces.allSatisfy { $0.utf8.count <= SentencePieces.longest && $0.hasPrefix("breathe") })
    #expect(pieces.joined(separator: " ") == words)
    let solid = String(repeating: "ä", count: 5_000)
    let parts = try SpeechText.segments(of: Spoken(solid))
    #expect(parts.count == 7 && parts.allSatisfy { if case .sentence = $0 { true } else { false } })
  }

  @Test func `the label has the first words without marks`() {
    #expect(Spoken("Breathe in. [pause 8s]\n~ Breathe out.").label == "Breathe in. Breathe out.")
    #expect(
      Spoken("Let your eyes close, and let your shoulders sink down.").label
        == "Let your eyes close, and let your shoulders…")
  }
}
