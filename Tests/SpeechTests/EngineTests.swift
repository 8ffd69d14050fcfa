import Foundation
import Sounds
import TestSupport
import Testing

@testable import Speech

@Suite struct EngineTests {
  private func failure(_ sounds: SpokenSounds, _ text: Spoken = Spoken("Sit.")) -> SpeechFailure? {
    guard case .speech(let failure)? = sounds.problem(of: text) else { return nil }
    return failure
  }

  @Test(arguments: [
    "$(touch x) `touch x`; touch x & touch x | touch x > x", "-f /etc/passwd", "--stdin -w x", "'; touch x; '\"",
    "<speak>text</speak> &amp; <audio src='/etc/passwd'/>", "\\n \\0 %s %n", "ÄÖÜ € 🙂 text",
  ])
  func `a text is only ever the input of an engine`(text: String) throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds()
    #expect(sounds.problem(of: Spoken(text)) == nil)
    #expect(
      engine.calls.map(\.text).joined(separator: " ").replacing("\n", with: "").replacing("  ", with: " ") == text)
    let standard = ["-v", "en-gb", "-s", "150", "-p", "50", "-b", "1", "--stdin", "--stdout"]
    #expect(engine.calls.allSatisfy { $0.arguments == standard })
    #expect(
      !FileManager.default.fileExists(atPath: engine.scratch.path("x")) && !FileManager.default.fileExists(atPath: "x"))
  }

  @Test func `the language of a text chooses the voice of espeak-ng`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds()
    for language in ["de", "de-AT", "EN", "pt-BR"] {
      #expect(sounds.problem(of: Spoken("a", language: language)) == nil)
    }
    #expect(Set(engine.calls.map { $0.arguments[1] }) == ["de", "en-gb", "pt"])
    #expect(
      failure(sounds, Spoken("a", language: "xx"))
        == .unknownLanguage(
          language: "xx", remedy: "write one that espeak-ng has, or name a voice of another engine"))
  }

  @Test func `a variant that espeak-ng does not have is told`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds(
      voices: "good: {engine: espeak-ng, variant: f3}\nbad: {engine: espeak-ng, variant: f33}")
    #expect(sounds.problem(of: Spoken("a", voice: "good")) == nil)
    #expect(engine.calls.map { $0.arguments[1] } == ["en-gb+f3"])
    #expect(
      failure(sounds, Spoken("a", voice: "bad"))
        == .invalidVoice(
          problem: "\(engine.scratch.path("voices.yaml")):2:1: espeak-ng has no variant 'f33'; did you mean 'f3'?"))
    #expect(engine.calls.count == 1)
  }

  @Test func `piper gets its model and settings, and no randomness`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    try "model".write(toFile: engine.scratch.path("a.onnx"), atomically: true, encoding: .utf8)
    let sounds = try engine.sounds(voices: "anna: {engine: piper, model: a.onnx, speaker: 2, length: 1.5}")
    #expect(sounds.problem(of: Spoken("Sit.", voice: "anna")) == nil)
    let model = engine.scratch.path("a.onnx")
    #expect(
      engine.calls.map(\.arguments) == [
        [
          "--model", model, "--output_file", "-", "--noise_scale", "0", "--noise_w", "0", "--speaker", "2",
          "--length_scale", "1.5",
        ]
      ])
    #expect(engine.calls[0].text == "Sit.\n")
  }

  @Test(arguments: [
    ("sys.exit('no such voice')", SpeechFailure.Fault.exited(code: 1, message: "no such voice")),
    ("sys.stdout.close(); os._exit(3)", .exited(code: 3, message: "")),
    ("os.kill(os.getpid(), signal.SIGSEGV)", .crashed(signal: 11)),
    ("pass", .silent), ("say('')", .silent),
    ("print('hello, this is text')", .notASound(cause: "it does not begin like one")),
    ("sys.stdout.write('RIFF....WAVE')", .notASound(cause: "it has no samples")),
    (
      "sys.stdout.buffer.write(b'RIFF....WAVEdata' + bytes(8))",
      .notASound(cause: "it states no format before its samples")
    ),
    (
      "say(text, rate=300)",
      .notASound(cause: "its samples have 16 bits at 300 Hz in 1 channels, format 1")
    ),
  ])
  func `an engine that fails is told in one sentence`(body: String, fault: SpeechFailure.Fault) throws {
    let engine = try FakeEngine(body)
    defer { engine.keep() }
    let sounds = try engine.sounds()
    #expect(failure(sounds) == .engine(program: "espeak-ng", fault))
    let words = try #require(sounds.problem(of: Spoken("Sit."))).description
    #expect(words.hasPrefix("espeak-ng ") && words.split(separator: "; ").count == 2 && !words.contains("\n"))
    // It is asked for several times while a session is laid out, and fails once.
    #expect(engine.calls.count == 1)
    #expect(try engine.stored().isEmpty)
  }

  @Test(arguments: [
    "time.sleep(60)", "say(text); sys.stdout.flush(); time.sleep(60)",
    "os.close(1); os.close(2); time.sleep(60)", "os.fork(); time.sleep(60)",
  ])
  func `an engine that hangs is ended with its children`(body: String) throws {
    let engine = try FakeEngine(body)
    defer { engine.keep() }
    let sounds = try engine.sounds(seconds: 0.5)
    let begin = ContinuousClock.now
    #expect(failure(sounds) == .engine(program: "espeak-ng", .timedOut(seconds: 0.5)))
    #expect(ContinuousClock.now - begin < .seconds(20))
  }

  @Test func `an engine that writes without end is ended`() throws {
    let engine = try FakeEngine("while True: sys.stdout.buffer.write(bytes(1 << 20))")
    defer { engine.keep() }
    let sounds = try engine.sounds()
    #expect(failure(sounds) == .engine(program: "espeak-ng", .tooLong(bytes: 64 << 20)))
  }

  @Test func `a missing engine is named with its package`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds(
      voices: "a: {engine: piper, model: a.onnx}\nb: {engine: espeak-ng, program: bin/none}",
      folders: "/nowhere:relative")
    #expect(failure(sounds) == .missingEngine(program: "espeak-ng", remedy: "install it with 'apt install espeak-ng'"))
    guard case .missingEngine(program: "piper", _)? = failure(sounds, Spoken("a", voice: "a")) else {
      Issue.record("piper is not missed")
      return
    }
    guard case .missingEngine(_, remedy: "correct 'program' in voices.yaml")? = failure(sounds, Spoken("a", voice: "b"))
    else {
      Issue.record("the program is not missed")
      return
    }
  }

  @Test func `a missing model is told with the place of its voice`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds(voices: "\na: {engine: piper, model: a.onnx}")
    #expect(
      failure(sounds, Spoken("a", voice: "a"))
        == .missingModel(path: engine.scratch.path("a.onnx"), place: engine.scratch.path("voices.yaml") + ":2:1"))
  }

  @Test func `an unknown voice is told with the most similar one`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds(voices: "anna: {engine: espeak-ng}")
    let error = sounds.problem(of: Spoken("a", voice: "ana"))
    #expect(error == .speech(.unknownVoice(name: "ana", remedy: "did you mean 'anna'?")) && error?.isMistake == true)
  }
}
