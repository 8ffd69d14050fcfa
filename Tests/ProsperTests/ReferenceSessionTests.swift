import Foundation
import Signal
import TestSupport
import Testing

/// Half an hour of three stages with a listener who pauses, on the virtual clock.
@Suite struct ReferenceSessionTests {
  let scratch: Scratch
  let session: String
  let script: String

  init() throws {
    scratch = try Scratch()
    session = try ReferenceSession.whole.write(in: scratch)
    script = try scratch.write("script.jsonl", ReferenceSession.whole.script(long: 360, short: 20, within: 0.001))
  }

  @Test func `the events are in order, the sound is exact to the frame, and a second run is identical`() async throws {
    let first = try await render(to: "a.wav")
    let reported = try EventSummary(first.lines).timed
    for (line, expected) in zip(reported, ReferenceEvents.lines) { #expect(line == expected) }
    #expect(reported.count == ReferenceEvents.lines.count)
    try checkSound("a.wav")
    let second = try await render(to: "b.wav")
    let areSame = try second.out == first.out && bytes("a.wav") == bytes("b.wav")
    #expect(areSame)
  }

  private func render(to name: String) async throws -> Prosper {
    let run = try await Prosper.run(
      ["play", session, "--script", script, "-o", scratch.path(name), "--encoding", "f32"], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    return run
  }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: scratch.path(name))) }

  /// Each strike is a step on the right at its frame. There is no other step, and all levels are as expected.
  private func checkSound(_ name: String) throws {
    let frames = try FloatWave(at: scratch.path(name)).frames
    #expect(frames.count == ReferenceSound.length)
    var steps: [Int] = []
    for index in frames.indices.dropFirst() {
      let (left, right) = (frames[index].left - frames[index - 1].left, frames[index].right - frames[index - 1].right)
      if 0.04 < max(abs(left), abs(right)) { steps.append(index) }
    }
    #expect(steps == ReferenceSession.strikes.map { Int($0) * 8_000 })
    let wrong = stride(from: 0, to: frames.count, by: 37).first { index in
      let (left, right) = ReferenceSound.frame(index)
      return 1e-5 < max(abs(Double(frames[index].left) - left), abs(Double(frames[index].right) - right))
    }
    #expect(wrong == nil, "at \(Double(wrong ?? 0) / 8_000) s")
  }
}
