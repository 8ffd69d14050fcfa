import Foundation
import SessionFiles
import TestSupport
import Testing

/// The sentences of spoken texts as events and as files, and texts that a command speaks, by the real espeak-ng.
@Suite struct CaptionCommandTests {
  private let scratch: Scratch
  private let session: String

  init() throws {
    scratch = try Scratch()
    session = try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Breaths
      stages:
        - name: A
          duration: 1h0m30s
          overlays:
            - {at: 1s, sound: {say: "Breathe in. [pause 8s] Breathe out & rest."}}
            - {at: 1h, sound: {say: "Open <your> eyes.", title: End}}
      """)
  }

  private func captions(_ suffix: String) async throws -> String {
    let file = scratch.path("c.\(suffix)")
    let run = try await Prosper.run(["show", session, "--captions", file], in: scratch)
    #expect(run.status == 0 && run.out.isEmpty && run.err.isEmpty, "\(run.err)")
    return try String(contentsOfFile: file, encoding: .utf8)
  }

  @Test func `the files have the sentences at the times of the events`() async throws {
    let run = try await Prosper.run(["play", session, "-o", "null:fast", "--events", "jsonl"], in: scratch)
    let events = try run.events().filter { $0["event"] as? String == "caption" }
    #expect(events.map { $0["text"] as? String } == ["Breathe in.", "Breathe out & rest.", "Open <your> eyes."])
    #expect(
      events.map { $0["title"] as? String } == [
        "Breathe in. Breathe out & rest.", "Breathe in. Breathe out & rest.", "End",
      ])
    let begins = events.compactMap { $0["session"] as? Double }
    let ends = zip(begins, events).map { $0 + ($1["duration"] as? Double ?? 0) }
    #expect(begins[0] == 1 && begins[2] == 3_600 && abs(begins[1] - ends[0] - 8) < 0.002)
    let second = String(format: "%06.3f", begins[1])
    let vtt = try await captions("vtt")
    #expect(vtt.hasPrefix("WEBVTT\n\n00:00:01.000 --> 00:00:"))
    #expect(vtt.contains("\n\n00:00:\(second) --> 00:00:") && vtt.contains("\nBreathe out &amp; rest.\n"), "\(vtt)")
    #expect(vtt.contains("\n\n01:00:00.000 --> 01:00:0") && vtt.hasSuffix("\nOpen &lt;your&gt; eyes.\n"), "\(vtt)")
    let srt = try await captions("srt")
    #expect(srt.hasPrefix("1\n00:00:01,000 --> 00:00:") && srt.hasSuffix("\nOpen <your> eyes.\n"), "\(srt)")
    #expect(srt.contains("\n\n2\n00:00:\(second.replacing(".", with: ",")) --> "), "\(srt)")
    let lrc = try await captions("lrc")
    #expect(lrc.hasPrefix("[ti:Breaths]\n[length:60:30]\n[00:01.00]Breathe in.\n"), "\(lrc)")
    #expect(lrc.hasSuffix("\n[60:00.00]Open <your> eyes.\n"), "\(lrc)")
  }

  @Test func `another suffix is refused, and so are times after an open stage`() async throws {
    let other = try await Prosper.run(["show", session, "--captions", "c.txt"], in: scratch)
    #expect(other.status == 64 && other.err.contains("--captions 'c.txt' must end with .vtt, .srt or .lrc"))
    let open = try scratch.write("o.yaml", "{prosper: 1, title: O, stages: [{name: A, duration: open}]}")
    let refused = try await Prosper.run(["show", open, "--captions", scratch.path("c.vtt")], in: scratch)
    #expect(refused.status == 64 && refused.err.contains("--captions: stage 'A' is open"), "\(refused.err)")
  }

  @Test func `show lists the sentences, and a terminal prints them`() async throws {
    let shown = try await Prosper.run(["show", session, "--json"], in: scratch)
    #expect(shown.out.contains(#""captions":[{"at":1.000,"text":"Breathe in."},{"at":"#), "\(shown.out.prefix(600))")
    let run = try await Prosper.run(["play", session, "-o", "null:fast", "--events", "text"], in: scratch)
    #expect(run.out.contains("0:01    ❝ Breathe in. Breathe out & rest.\n0:01      Breathe in.\n"), "\(run.out)")
  }

  @Test func `a command speaks a text beside the overlay that plays, over lowered music`() async throws {
    let script = try scratch.write(
      "s.jsonl",
      """
      {"at":"5s","do":"say","text":"Five minutes left."}
      {"at":"20s","do":"say","text":"Louder.","volume":"-3dB","duck":{"by":"-6dB"}}
      {"at":"30s","do":"say","text":"Wait [pase 2s]"}
      {"at":"40s","do":"finish","fade":0}
      """)
    let mistake = try await Prosper.run(["play", session, "-o", "null:fast", "--script", script], in: scratch)
    #expect(mistake.status == 65 && mistake.err.contains("s.jsonl:3:"), "\(mistake.err)")
    _ = try scratch.write(
      "s.jsonl", try String(contentsOfFile: script, encoding: .utf8).replacing("pase", with: "pause"))
    let run = try await Prosper.run(
      ["play", session, "-o", "null:fast", "--script", script, "--events", "jsonl"], in: scratch)
    #expect(run.status == 0, "\(run.err)")
    let events = try run.events()
    let said = events.filter { $0["event"] as? String == "caption" }.map { $0["text"] as? String }
    #expect(said == ["Breathe in.", "Five minutes left.", "Breathe out & rest.", "Louder.", "Wait"])
    // The session's own text is not replaced: it ends after its second sentence.
    let ended = events.filter { $0["event"] as? String == "overlay.ended" }.map { $0["title"] as? String }
    #expect(ended == ["Five minutes left.", "Breathe in. Breathe out & rest.", "Louder.", "Wait"])
  }

  @Test func `the words of a command line become the command`() async throws {
    let run = try await Prosper.run(["ctl", "say"], in: scratch)
    #expect(run.status == 64 && run.err.contains("'say' has no 'text'; write 'say TEXT'"), "\(run.err)")
    let words = ["ctl", "say", "Five", "minutes", "$(touch x)", "--voice", "a", "--duck", "-6dB"]
    let none = try await Prosper.run(words, in: scratch)
    #expect(none.status == 69, "\(none.err)")
    let dashes = try CommandWords.json(["say", "--", "--help", "me"])
    #expect(dashes == #"{"do":"say","text":"--help me"}"#)
    #expect(try CommandWords.json(["volume", "--", "-6dB"]) == CommandWords.json(["volume", "-6dB"]))
    let json = try CommandWords.json(Array(words.dropFirst()))
    #expect(
      json == #"{"do":"say","text":"Five minutes $(touch x)","voice":"a","duck":{"by":"-6dB"}}"#, "\(json)")
  }
}
