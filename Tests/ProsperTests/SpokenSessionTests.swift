import Files
import Foundation
import Glibc
import Signal
import TestSupport
import Testing

/// Spoken texts, by the real espeak-ng.
@Suite struct SpokenSessionTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let text = #"Breathe in. [pause 8s] Breathe out. And rest.\n\nSit still. ~ Go on."#

  /// Writes a session of 40 seconds whose text begins after one.
  private func session(
    _ sound: String = #"{"say": "\#(text)"}"#, rate: Int = 48_000, _ more: String = ""
  ) throws -> String {
    try scratch.write(
      "s.json",
      #"{"prosper":1,"title":"T","sampleRate":\#(rate),\#(more)"stages":[{"name":"A","duration":"40s","#
        + #""overlays":[{"at":"1s","sound":\#(sound)}]}]}"#)
  }

  private func voices(_ text: String) throws {
    let folder = scratch.path(".config/prosper")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try scratch.write(".config/prosper/voices.yaml", text)
  }

  /// The frames of a render.
  private func rendered(
    _ session: String, _ options: [String] = [], environment: [String: String] = [:]
  ) async throws -> [Frame] {
    let file = scratch.path("out.wav")
    let run = try await Prosper.run(
      ["play", session, "-o", file, "--encoding", "f32", "--events", "off"] + options, environment: environment,
      in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    return try FloatWave(at: file).frames
  }

  /// The lengths of the silences of at least a quarter of a second.
  private func silences(in frames: [Frame], rate: Int) -> [Int] {
    var (lengths, length) = ([Int](), 0)
    for frame in frames + [Frame(left: 1, right: 1)] {
      if frame == .silence {
        length += 1
      } else {
        if rate / 4 <= length { lengths.append(length) }
        length = 0
      }
    }
    return lengths
  }

  @Test(arguments: [44_100, 48_000]) func `pauses are exact to the frame`(rate: Int) async throws {
    let frames = try await rendered(try session(rate: rate))
    let silences = silences(in: frames, rate: rate)
    #expect(silences.dropLast() == [rate, 8 * rate, rate * 6 / 10, rate * 3 / 2, 2 * rate])
  }

  @Test func `a render has the same frames again, without its cache, and with other threads`() async throws {
    let session = try session()
    let first = try await rendered(session)
    #expect(try await rendered(session) == first)
    #expect(try await rendered(session, ["--jobs", "1"]) == first)
    #expect(try await rendered(session, environment: ["XDG_CACHE_HOME": scratch.path("other")]) == first)
  }

  @Test(arguments: ["0:03", "0:10.3", "0:11"]) func `a start in the middle is a cut of the whole`(from: String)
    async throws
  {
    let session = try session()
    let whole = try await rendered(session)
    let part = try await rendered(session, ["--from", from])
    #expect(part.count < whole.count && part == whole.suffix(part.count))
  }

  @Test func `without espeak-ng, its package is named before anything sounds`() async throws {
    let session = try session()
    for command in [["play", "-o", scratch.path("none.wav")], ["check"], ["show"]] {
      let run = try await Prosper.run(command + [session], environment: ["PATH": "/nowhere"], in: scratch)
      #expect(run.status == 66, "\(command)")
      let told =
        "s.json:1:115: error: the program espeak-ng, which speaks, was not found; install it with 'apt install "
      #expect((run.out + run.err).contains(told + "espeak-ng'"), "\(run.out)\(run.err)")
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("none.wav")))
  }

  @Test(arguments: [
    (#"{"say": "Sit. [pase 2s]"}"#, "'say': '[pase 2s]' is no mark; did you mean [pause 2s]?"),
    (#"{"say": "Sit.", "voice": "ana"}"#, "there is no voice 'ana' in voices.yaml; did you mean 'anna'?"),
    (#"{"say": "Sit.", "voice": "bad"}"#, "voices.yaml:2:33: 'speed' is 1; write a whole number from 80 to 450"),
    (#"{"say": "Sit.", "voise": "anna"}"#, "unknown key 'voise'; did you mean 'voice'?"),
    (#"{"say": "Sit.", "file": "a.wav"}"#, "a sound has several of 'sound', 'file', 'generate', 'url', 'say'"),
    (#"{"file": "a.wav", "voice": "anna"}"#, "unknown key 'voice' in a sound"),
    (#"{"say": "Sit.", "breath": "-1s"}"#, "'breath' is '-1s'"),
    (#"{"say": 3}"#, "'say' is a number"), (#"{"say": " "}"#, "'say': the text has no words to speak"),
  ])
  func `a mistake is an error of the session`(sound: String, problem: String) async throws {
    try voices("anna: {engine: espeak-ng}\nbad: {engine: espeak-ng, speed: 1}")
    let run = try await Prosper.run(["check", try session(sound)], in: scratch)
    #expect(run.status == 65 && run.out.contains("s.json:1:") && run.out.contains(problem), "\(run.out)\(run.err)")
  }

  @Test func `parameters are filled into texts, voices and breaths, also in parts`() async throws {
    _ = try scratch.write(
      "part.yaml",
      """
      prosper: 1
      parameters: {name: {default: nobody}, breath: 4s}
      stages:
        - name: Greet
          duration: 20s
          overlays: [{at: start, sound: {say: "Welcome, ${name}. ~~ Sit. [pause ${breath}] Rest.", breath: "${breath}"}}]
      """)
    let session = try scratch.write(
      "s.yaml", "prosper: 1\ntitle: T\nstages: [{include: part.yaml, set: {name: Anna, breath: 2s}}]")
    let run = try await Prosper.run(["show", session, "--resolved"], in: scratch)
    #expect(run.status == 0 && run.out.contains("Welcome, Anna. ~~ Sit. [pause 2s] Rest."), "\(run.out)\(run.err)")
    let frames = try await rendered(session)
    #expect(silences(in: frames, rate: 48_000).dropLast() == [96_000, 96_000])
  }

  @Test func `a talk of 20,000 words takes little memory`() async throws {
    // Forty different sentences: speaking takes time, not memory.
    let sentences = (1...40).map { "This is sentence number \($0), and you breathe in and out." }
    let words = (0..<1_900).map { sentences[$0 % 40] }.joined(separator: " ")
    let run = try await Prosper.run(
      [
        Prosper.executable.path, "play", try session(#"{"say": "\#(words)"}"#), "-o", "null:fast", "--events", "off",
      ], in: scratch,
      program: [
        "/usr/bin/python3", "-c",
        "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
          + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)",
      ])
    #expect(run.status == 0, "\(run.err)")
    #expect(Int(run.lines.last ?? "").map { 0 < $0 && $0 < 120_000 } == true, "\(run.out) kB")
  }

  @Test func `the sessions of the article are valid`() async throws {
    let article = Prosper.root.appending(path: "Sources/ProsperKit/ProsperKit.docc/Speech.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let sessions = text.matches(of: /```yaml\n((?s:.)*?)```/).map { String($0.1) }
    #expect(sessions.count == 2)
    for session in sessions {
      let run = try await Prosper.run(["check", try scratch.write("a.yaml", session)], in: scratch)
      #expect(run.status == 0 && !run.out.contains("warning"), "\(run.out)")
    }
    let voices = try #require(text.firstMatch(of: /```\n(calm:(?s:.)*?)```/)).1
    try self.voices(String(voices))
    let list = try await Prosper.run(["voices", "--language", "en"], in: scratch)
    #expect(list.status == 0 && list.err.isEmpty && list.out.contains("variant f3, 120 words a minute"), "\(list.err)")
  }

  @Test func `a stage that is as long as its text keeps its length, and no text is repeated`() async throws {
    let guide = try scratch.write(
      "g.yaml",
      """
      prosper: 1
      title: Guide
      stages:
        - {name: One, tracks: [{say: "Sit down. [pause 20s] Rest."}]}
        - {name: Sit, duration: 1m}
        - {name: Two, tracks: [{say: "Open your eyes."}]}
      """)
    let run = try await Prosper.run(
      ["play", guide, "--duration", "3m", "-o", "null:fast", "--events", "jsonl"], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let events = try run.events()
    let said = events.filter { $0["event"] as? String == "caption" }.map { $0["text"] as? String }
    #expect(said == ["Sit down.", "Rest.", "Open your eyes."])
    #expect(events.last?["session"] as? Double == 180)
    let spoken = try scratch.write(
      "g.yaml", "{prosper: 1, title: G, stages: [{name: One, tracks: [{say: Sit down.}]}]}")
    let refused = try await Prosper.run(["play", spoken, "--duration", "3m", "-o", "null:fast"], in: scratch)
    #expect(refused.status == 64 && refused.err.contains("the stage 'One' keeps its length"), "\(refused.err)")
    #expect(refused.err.contains("add a stage of silence"))
  }

  @Test func `a parameter that a text can't have is told`() async throws {
    let session = try session(#"{"say": "Dear ${name}, sit."}"#)
    let check = try await Prosper.run(["check", session], in: scratch)
    #expect(
      check.out.contains("warning: 'say': '${name}' is spoken as it stands; declare it in 'parameters'"),
      "\(check.out)")
  }

  @Test(arguments: [["play", "-o", "null"], ["check"]], [SIGINT, SIGQUIT])
  func `an engine that hangs ends with the program`(_ command: [String], _ signal: Int32) async throws {
    let pid = scratch.path("pid")
    let script = try scratch.write(
      "engine.sh", "#!/bin/sh\necho $$ > '\(pid).part'\nmv '\(pid).part' '\(pid)'\nexec sleep 987\n")
    // Written by another process, so that no child of a parallel test holds it open for writing.
    let engine = scratch.path("engine")
    _ = try output(of: "install", ["-m", "755", script, engine], environment: [:], mustSucceed: true)
    try voices("anna: {engine: espeak-ng, program: '\(engine)'}")
    let session = try session(#"{"say": "Sit.", "voice": "anna"}"#)
    let run = try await Prosper.run(command + [session], in: scratch) { running in
      _ = eventually { FileManager.default.fileExists(atPath: pid) || !running.isThere }
      running.send(signal)
    }
    // `play` handles signals; `check` is ended by them, and a shell counts that in the same way.
    #expect(run.status == (command == ["check"] ? -signal : 128 + signal), "\(run.err)")
    let number = try #require(Int(try String(contentsOfFile: pid, encoding: .utf8).split(separator: "\n")[0]))
    // A process that has ended has no command line.
    #expect(eventually { FilePath.contents(of: "/proc/\(number)/cmdline")?.isEmpty ?? true })
  }

  @Test func `a voice that has changed speaks again`() async throws {
    try voices("anna: {engine: espeak-ng}")
    let session = try session(#"{"say": "Sit. [pause 3s] Rest.", "voice": "anna"}"#)
    let first = try await Prosper.run(["check", session], in: scratch)
    #expect(first.status == 0, "\(first.out)\(first.err)")
    let length = try await Prosper.run(["show", session, "--json"], in: scratch)
    try voices("anna: {engine: espeak-ng, speed: 100}")
    let slower = try await Prosper.run(["show", session, "--json"], in: scratch)
    #expect(length.status == 0 && slower.status == 0 && length.out != slower.out)
  }
}

@Suite struct VoicesCommandTests {
  private func run(
    _ arguments: [String], voices: String = "", environment: [String: String] = [:]
  ) async throws -> Prosper {
    let scratch = try Scratch()
    let folder = scratch.path(".config/prosper")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try scratch.write(".config/prosper/voices.yaml", voices)
    return try await Prosper.run(["voices"] + arguments, environment: environment, in: scratch)
  }

  @Test func `voices and languages are listed`() async throws {
    let voices =
      "calm: {engine: espeak-ng, language: en-gb, variant: f3}\nanna: {engine: piper, model: /a.onnx, language: de}"
    let all = try await run([], voices: voices)
    #expect(all.status == 0 && all.err.isEmpty && all.lines.contains("anna  piper, de, /a.onnx"), "\(all.out)")
    #expect(all.lines.contains("calm  espeak-ng, en-gb, variant f3, 150 words a minute, pitch 50"))
    #expect(all.lines.contains("  de  German") && all.lines.contains { $0.hasPrefix("  en-us  ") })
    let german = try await run(["--language", "de", "--json"], voices: voices)
    #expect(
      german.lines == [
        #"{"v":1,"name":"anna","engine":"piper","language":"de","model":"/a.onnx"}"#,
        #"{"v":1,"engine":"espeak-ng","language":"de","title":"German"}"#,
      ])
  }

  @Test func `a mistake in voices.yaml is told with its place`() async throws {
    let list = try await run([], voices: "a: {engine: espeak-ng}\nb: {engine: espek-ng}")
    #expect(
      list.status == 65
        && list.err.contains("voices.yaml:2:13: error: 'engine' is 'espek-ng'; did you mean 'espeak-ng'?"))
    #expect(list.lines.contains { $0.hasPrefix("a  espeak-ng") })
  }

  @Test func `a voice is played`() async throws {
    let voices = "anna: {engine: espeak-ng, speed: 200}"
    let played = try await run(["--play", "anna", "Hello. ~ Sit.", "-o", "null:fast"], voices: voices)
    #expect(played.status == 0 && played.out.contains(#""title":"Hello. Sit.""#), "\(played.err)")
    #expect(try await run(["--play", "de", "-o", "null:fast", "--events", "off"]).status == 0)
    let unknown = try await run(["--play", "ana"], voices: voices)
    #expect(unknown.status == 64 && unknown.err == "prosper: there is no voice 'ana'; did you mean 'an'?\n")
    let wrong = try await run(["--play", "anna", "[pase 2s]", "-o", "null:fast"], voices: voices)
    #expect(wrong.status == 65 && wrong.err.contains("did you mean [pause 2s]?"), "\(wrong.err)")
  }

  @Test func `without espeak-ng, the voices of Piper are listed`() async throws {
    let nowhere = ["PATH": "/nowhere"]
    let none = try await run([], environment: nowhere)
    #expect(none.status == 66 && none.err.contains("apt install espeak-ng"))
    let piper = try await run([], voices: "a: {engine: piper, model: /a.onnx}", environment: nowhere)
    #expect(piper.status == 0 && piper.lines == ["a  piper, /a.onnx"] && piper.err.contains("apt install espeak-ng"))
  }
}
