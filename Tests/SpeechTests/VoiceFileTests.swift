import Markup
import TestSupport
import Testing

@testable import Speech

@Suite struct VoiceFileTests {
  private func file(_ text: String) -> VoiceFile { VoiceFile(text: text, path: "/c/voices.yaml") }

  @Test func `voices have an engine and its settings`() throws {
    let voices = file(
      """
      # two voices
      anna: {engine: piper, model: models/a.onnx, speaker: 3, length: 1.2, language: de, program: bin/piper}
      calm:
        engine: espeak-ng
        language: en-gb
        variant: f3
        speed: 120
      """)
    #expect(voices.problems.isEmpty && voices.voices.count == 2)
    let anna = try voices.voices["anna"]?.get()
    var piper = Voice.PiperSettings(model: "/c/models/a.onnx")
    (piper.speaker, piper.length) = (3, 1.2)
    #expect(anna?.engine == .piper(piper) && anna?.language == "de" && anna?.program == "/c/bin/piper")
    let calm = try voices.voices["calm"]?.get()
    guard case .espeak(let settings)? = calm?.engine else { throw Unexpected() }
    #expect(settings.variant == "f3" && settings.speed == 120 && settings.pitch == 50 && calm?.program == nil)
  }

  private struct Unexpected: Error {}

  @Test(arguments: [
    ("- a", "1:1: error: the file is a list, not a group of voices"),
    ("a: [", "error: not valid YAML"),
    ("a: 1", "1:4: error: the voice 'a' is a number; write its settings"),
    ("a: {}", "1:1: error: the voice 'a' has no 'engine'; write engine: espeak-ng or engine: piper"),
    ("a: {engine: espeak}", "1:13: error: 'engine' is 'espeak'; use one of 'espeak-ng', 'piper'"),
    ("a: {engine: piper}", "1:1: error: the voice 'a' has no 'model'; write the path of an .onnx file"),
    (
      "a: {engine: espeak-ng, sped: 90}",
      "1:24: error: unknown key 'sped' of a voice of espeak-ng; did you mean 'speed'?"
    ),
    ("a: {engine: espeak-ng, speed: 9}", "1:31: error: 'speed' is 9; write a whole number from 80 to 450"),
    ("a: {engine: espeak-ng, speed: \"90\"}", "1:31: error: 'speed' is '90'; write a whole number from 80 to 450"),
    ("a: {engine: espeak-ng, language: -f}", "1:34: error: 'language' is '-f'; write a language such as de or en-gb"),
    (
      "a: {engine: espeak-ng, variant: ../x}", "1:33: error: 'variant' is '../x'; write a variant such as f3 or whisper"
    ),
    ("a: {engine: piper, model: a, length: 9}", "1:38: error: 'length' is 9; write a number from 0.3 to 3.0"),
    ("a: {engine: piper, model: []}", "1:27: error: 'model' is a list; write text"),
  ])
  func `a mistake is told with its place and its fix`(text: String, problem: String) {
    let problems = file(text).problems.map(\.description)
    #expect(problems.count == 1 && problems[0].hasPrefix("/c/voices.yaml:"), "\(problems)")
    #expect(problems[0].contains(problem), "\(problems)")
  }

  @Test func `a mistake in one voice leaves the others`() throws {
    let voices = file("a: {engine: espeak-ng}\nb: {engine: x}\na2: {engine: espeak-ng}")
    #expect(voices.problems.count == 1 && (try? voices.voices["b"]?.get()) == nil)
    #expect(try voices.voices["a"]?.get() != nil && voices.voices["a2"]?.get() != nil)
    #expect(file("a: {engine: espeak-ng}\na: {engine: espeak-ng}").problems[0].location.line == 2)
  }

  @Test func `a file without voices has none, and no mistake`() {
    #expect(file("").problems.isEmpty && file("# nothing yet\n\n").problems.isEmpty)
    #expect(VoiceFile(path: "/nowhere/voices.yaml").problems.isEmpty && VoiceFile(path: nil).voices.isEmpty)
  }

  @Test func `a file that can't be read is a mistake`() throws {
    let folder = try TemporaryFolder()
    let file = VoiceFile(path: folder.path(""))
    #expect(file.failure?.description.contains("the file can't be read: is a directory; make it") == true)
  }
}
