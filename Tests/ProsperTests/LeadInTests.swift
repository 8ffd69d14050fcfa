import Foundation
import Signal
import TestSupport
import Testing

/// `--lead-in`: silence before the session, in files and live.
struct LeadInTests {
  private static let session = """
    prosper: 1
    title: Lead-in
    sampleRate: 8000
    stages: [{name: A, duration: 2s, tracks: ["generate:rain"], gongs: [{sound: "generate:wood", at: start}]}]
    """

  @Test(arguments: [8_000, 8_001, 2_048, 1])
  func `a file begins with the silence, then plays the same samples`(leadIn: Int) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let play = ["play", session, "--encoding", "f32", "-o"]
    let plain = try await Prosper.run(play + [scratch.path("a.wav")], in: scratch)
    let led = try await Prosper.run(
      play + [scratch.path("b.wav"), "--lead-in", "\(Double(leadIn) / 8_000)"], in: scratch)
    #expect(plain.status == 0 && led.status == 0, "\(led.err)")
    let (sound, all) = (try FloatWave(at: scratch.path("a.wav")), try FloatWave(at: scratch.path("b.wav")))
    #expect(all.frames.count == sound.frames.count + leadIn)
    #expect(
      all.frames.prefix(leadIn).allSatisfy { $0 == .silence } && Array(all.frames.dropFirst(leadIn)) == sound.frames)
  }

  @Test func `run time begins with the lead-in, session time after it`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    for output in ["null:fast", "null"] {
      let run = try await Prosper.run(["play", session, "-o", output, "--lead-in", "1s", "--no-control"], in: scratch)
      let gong = try #require(try run.events().first { $0["event"] as? String == "gong" })
      #expect(run.status == 0 && gong["session"] as? Double == 0)
      let at = try #require(gong["run"] as? Double)
      #expect(output == "null:fast" ? at == 1 : 1 <= at, "\(at)")
    }
  }

  @Test func `commands during the lead-in are executed`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let pause = try scratch.write(
      "p.jsonl", #"{"at": 0.2, "do": "pause"}"# + "\n" + #"{"after": 0.3, "do": "resume"}"#)
    let paused = try await Prosper.run(
      ["play", session, "-o", "null", "--lead-in", "1s", "--no-control", "--script", pause], in: scratch)
    let events = try paused.events()
    #expect(paused.status == 0 && events.count { $0["event"] as? String == "gong" } == 1, "\(paused.out)")
    #expect(try paused.outcomes().allSatisfy { $0["outcome"] as? String == "done" })
    #expect(events.last?["reason"] as? String == "completed")
    let stop = try scratch.write("q.jsonl", #"{"at": 0.2, "do": "stop"}"#)
    let stopped = try await Prosper.run(
      ["play", session, "-o", "null", "--lead-in", "30s", "--no-control", "--script", stop], in: scratch)
    #expect(stopped.status == 0)
    #expect(try stopped.events().last?["run"] as? Double ?? 30 < 20)
  }

  @Test(arguments: ["soon", "-1s", "61s", "inf"])
  func `a lead-in is a time up to a minute`(text: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let run = try await Prosper.run(["play", session, "-o", "null:fast", "--lead-in=\(text)"], in: scratch)
    #expect(run.status == 64 && run.err.contains("--lead-in '\(text)' is not a duration up to 60 s"), "\(run.err)")
  }
}
