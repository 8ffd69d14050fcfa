import Foundation
import Signal
import TestSupport
import Testing

/// The session of half an hour with the same listener, a hundred times shorter, through a real PulseAudio server.
@Suite(.serialized) struct ReferenceLiveTests {
  let scratch: Scratch
  let session: String
  let script: String

  init() throws {
    scratch = try Scratch()
    session = try ReferenceSession.live.write(in: scratch)
    script = try scratch.write("script.jsonl", ReferenceSession.live.script(long: 1.5, short: 0.7, within: 0.09))
  }

  @Test func `a live session reports the same events as its render, and is heard between its pauses`() async throws {
    let render = try await Prosper.run(["play", session, "--script", script, "-o", "null:fast"], in: scratch)
    #expect(render.status == 0 && render.err.isEmpty, "\(render.err)")
    let reported = try EventSummary(render.lines).untimed
    let server = try await onOwnThread { try PulseServer() }
    // A machine that stalls for a tenth of a second delays the listener's commands beyond the events of the session.
    try await best(hasServer: true, where: { (faults: [String]) in faults.isEmpty }) {
      let (run, heard) = try await listen(through: server)
      #expect(try run.events().last?["reason"] as? String == "stopped", "\(run.err)")
      let failures = run.err.split(separator: "\n").map { String($0) }
      return failures + differences(try EventSummary(run.lines).untimed, reported) + heard.faults
    }
  }

  private func differences(_ live: [String], _ rendered: [String]) -> [String] {
    zip(live + ["the end"], rendered + ["the end"]).filter { $0 != $1 }.prefix(1).map { "'\($0)' instead of '\($1)'" }
  }

  private func listen(through server: PulseServer) async throws -> (run: Prosper, heard: LiveSound) {
    // Longer than any of the pauses.
    let listening = LiveCapture(to: server) { !$0.sound.isEmpty && $0.silenceAtEnd > 2 * 48_000 }
    try await onOwnThread { listening.waitUntilRunning() }
    let run = try await Prosper.run(
      ["play", session, "--script", script], environment: ["PULSE_SERVER": server.address], in: scratch)
    return (run, LiveSound(try await listening.frames().sounding))
  }
}
