import Foundation
import Signal
import TestSupport
import Testing

/// Compares what a real PipeWire server plays with what is rendered.
///
/// PipeWire 0.3.65 drops samples if it has no real-time rights and the machine is busy. Each run therefore plays the
/// same sound with `paplay`: prosper may lose as many samples as `paplay` does.
@Suite(.serialized) struct PipeWirePlaybackLiveTests {
  @Test func `live playback equals the rendered file, sample for sample`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", LiveTests.session)
    let file = scratch.path("a.wav")
    let render = try await Prosper.run(
      ["play", session, "-o", file, "--encoding", "f32", "--events", "off"], in: scratch)
    #expect(render.status == 0 && render.err.isEmpty)
    let rendered = try FloatWave(at: file).frames
    let server = try await onOwnThread { try PipeWireServer(more: ["hall"]) }
    try await best(where: { (jumps: (prosper: Int, paplay: Int)) in jumps.prosper <= jumps.paplay }) {
      let hall = LiveCapture(to: server, sink: "hall") { !$0.sound.isEmpty && $0.silenceAtEnd > 24_000 }
      let paplay = try await onOwnThread {
        hall.waitUntilRunning()
        return try server.paplay(file, on: "hall")
      }
      let heard = try await Heard(session, through: server, in: scratch)
      let control = try await hall.frames()
      paplay.end()
      return (jumps(in: heard.sound, of: rendered), jumps(in: control.sounding, of: rendered))
    }
  }

  @Test func `pause, resume, seek, next, volume and stop take effect at the exact frames`() async throws {
    let session = try NumberedSession(seconds: 60)
    let script = try session.scratch.write("script.jsonl", Self.script)
    let render = try await Prosper.run(
      ["play", session.path, "--script", script, "-o", "null:fast"], in: session.scratch)
    #expect(render.status == 0 && render.err.isEmpty, "\(render.err)")
    let reported = try EventSummary(render.lines).untimed
    let server = try await onOwnThread { try PipeWireServer() }
    // A machine that stalls delays the sound with which prosper overwrites what the server already has.
    try await best(of: 4, where: { (faults: [String]) in faults.isEmpty }) {
      let played = try await session.play(on: server, options: ["--script", script])
      let isReported =
        try played.run.status == 0 && played.run.err.isEmpty && EventSummary(played.run.lines).untimed == reported
      return (isReported ? [] : [played.run.err] + played.run.lines.map { String($0) }) + Self.faults(of: played)
    }
  }

  private static let script = """
    {"at": 0.6, "do": "pause"}
    {"after": 0.5, "do": "resume"}
    {"at": 1.7, "do": "seek", "by": 3}
    {"at": 2.3, "do": "next"}
    {"at": 2.9, "do": "volume", "to": 0.5, "over": 0.1}
    {"at": 3.6, "do": "stop"}
    {"at": "end", "expect": {"state": "finished", "event": "underrun", "count": 0}}
    """

  /// Describes what was heard differently from the script, except where the server lost frames of `paplay`, too.
  private static func faults(of played: NumberedSession.Played) -> [String] {
    let heard = played.stretches
    let order = heard.map { "\($0.track) \($0.gain)" }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
    guard order == ["first 1.0", "second 1.0", "second 0.5"] else { return ["heard \(heard)"] }
    let jumps = heard.count - 5
    if jumps != 0 { return jumps <= played.controlJumps ? [] : ["\(heard) beside \(played.control)"] }
    let joints = zip(heard, heard.dropFirst()).map { $1.start - $0.end }
    // Ramps of 960 frames, whose outermost frames are at full volume.
    let wanted = [1_919, 959 + 3 * 48_000, 960 - heard[2].end, 4_799]
    let pause = heard[1].place - heard[0].placeAfter
    var faults = joints == wanted ? [] : ["joints of \(joints) frames instead of \(wanted)"]
    if heard[0].start != 0 { faults.append("the sound begins at frame \(heard[0].start)") }
    if pause < 20_000 { faults.append("a pause of \(pause) frames") }
    return faults
  }
}

/// How often the sound departs from the render because frames are missing or added.
private func jumps(in heard: [Frame], of rendered: [Frame]) -> Int {
  let wanted = rendered.sounding
  var jumps = 0
  var next = 0
  var isLost = false
  for frame in heard {
    if next < wanted.count, wanted[next] == frame {
      (next, isLost) = (next + 1, false)
      continue
    }
    if !isLost { jumps += 1 }
    isLost = true
    // A frame that is not silent occurs only once in the sound.
    guard frame != .silence, let place = wanted[min(next, wanted.count)...].firstIndex(of: frame) else { continue }
    (next, isLost) = (place + 1, false)
  }
  return jumps + (next == wanted.count ? 0 : 1)
}
