import Foundation
import Signal
import TestSupport
import Testing

/// What a desktop on PipeWire does to a session during playback.
@Suite(.serialized) struct PipeWireDesktopLiveTests {
  let session: NumberedSession

  init() throws { session = try NumberedSession(seconds: 2.5) }

  private struct Losses {
    var prosper: Int
    var paplay: Int
  }

  @Test func `a session that moves with the default sink loses no more frames than paplay`() async throws {
    try await best(where: { (lost: Losses) in lost.prosper <= lost.paplay }) {
      let server = try await onOwnThread { try PipeWireServer(more: ["hall"]) }
      let hall = LiveCapture(to: server, sink: "hall") { !$0.sound.isEmpty && $0.frames.suffix(9_600).isSilentLeft }
      try await onOwnThread { hall.waitUntilRunning() }
      let played = try await session.play(on: server) {
        $0.waitUntilItSays(#""session":1.000"#)
        _ = try? server.pactl("set-default-sink", "hall")
      }
      let there = try await hall.frames()
      try session.expectWhole(played.run, outputs: ["output.moved"])
      #expect(try played.run.outputEvents().first?["to"] as? String == "hall")
      let after = Stretch.all(in: there.map(\.left))
      #expect(played.stretches.first?.start == 0 && after.last?.end == session.end)
      return Losses(
        prosper: missing(in: played.stretches + after),
        paplay: missing(in: played.control + Stretch.all(in: there.map(\.right))))
    }
  }

  @Test func `a call is mixed with the session, because this PipeWire does not silence other streams`() async throws {
    try await best(where: { (played: NumberedSession.Played) in
      try !played.run.ranDry && played.jumps <= played.controlJumps
    }) {
      let server = try await onOwnThread { try PipeWireServer() }
      let played = try await session.play(on: server) {
        $0.waitUntilItSays(#""session":1.000"#)
        let call = try? server.player(role: "phone")
        $0.waitUntilItSays(#""session":2.000"#)
        call?.end()
      }
      try session.expectWhole(played.run, outputs: [])
      #expect(played.stretches.first?.start == 0 && played.stretches.last?.end == session.end)
      return played
    }
  }

  @Test func `with WirePlumber's roles, a call silences the session, which resumes at the same frame`() async throws {
    try await best(where: { (played: NumberedSession.Played) in
      try !played.run.ranDry && played.jumps <= max(1, played.controlJumps)
        && missing(in: played.stretches) <= missing(in: played.control)
    }) {
      let server = try await onOwnThread { try PipeWireServer(silencesMusicForCalls: true) }
      let played = try await session.play(on: server) {
        $0.waitUntilItSays(#""session":1.000"#)
        let call = try? server.player(role: "phone")
        _ = eventually(within: 1) { false }
        call?.end()
      } whenListening: {
        try server.link(server.sink, to: "parec")
      }
      try session.expectWhole(played.run, outputs: [])
      let heard = played.stretches
      #expect(heard.first?.start == 0 && heard.last?.end == session.end)
      let silences = zip(heard, heard.dropFirst()).map { $1.place - $0.placeAfter }
      #expect(silences.contains { 24_000 < $0 }, "\(silences)")
      return played
    }
  }

  @Test func `a session leaves PipeWire at its default period`() async throws {
    let server = try await onOwnThread { try PipeWireServer() }
    let periods = Background { [session] in
      let paplay = try server.paplay(session.control)
      var periods: [String: Int] = [:]
      #expect(
        try eventually(within: 20) {
          periods = try server.periods()
          return periods.count == 2
        })
      paplay.end()
      return periods
    }
    let run = try await session.playAlone(on: server)
    #expect(run.status == 0)
    let asked = try await onOwnThread { try periods.value(within: 30) }
    // PipeWire rounds down to a power of two. Its default period is 1,024 frames.
    #expect(1_024..<2_048 ~= asked["prosper"] ?? 0, "\(asked)")
  }
}

/// The number of frames between the stretches that were not heard.
private func missing(in stretches: [Stretch]) -> Int {
  zip(stretches, stretches.dropFirst()).map { max(0, $1.start - $0.end) }.reduce(0, +)
}
