import Engine
import PulseAudio
import Signal
import Sounds
import TestSupport
import Testing

/// Interventions of the desktop or its user in a stream that plays.
@Suite(.serialized) struct DesktopTests {
  let sound = noise(96_000)
  let reported = ReportedEvents()

  @Test func `a stream that is killed is replaced by a new one`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let capture = try Capture(of: server)
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(capture.wait(seconds: 10) { $0.sound.count > 20_000 })
      try server.execute("kill-sink-input \(server.streams().first ?? "")")
      try player.value(within: 20)
      #expect(self.reported.causes == ["Entity killed"])
      #expect(self.reported.outages.count == 1)
      #expect(sink.heard == 96_000)
      #expect(capture.waitForTheEnd())
      let (before, after) = halves(capture.sound)
      let isBegin = Array(before) == Array(self.sound[..<before.count])
      #expect(isBegin)
      let start = 96_000 - after.count - 1
      #expect(continues(after, in: self.sound, after: start))
      #expect(start <= before.count)
      #expect(before.count - start < 2_400)
    }
  }

  @Test func `the sink waits until an unplugged output is plugged in again`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      try server.pactl("unload-module", "module-null-sink")
      #expect(eventually { self.reported.events == [.lost(cause: "Entity killed", ofDevice: true)] })
      let heard = sink.heard
      _ = eventually(within: 0.5) { false }
      #expect(sink.heard == heard)
      #expect(self.reported.outages.isEmpty)
      try server.plugIn("null")
      try player.value(within: 20)
      #expect(self.reported.outages.count == 1)
      #expect(sink.heard == 96_000)
    }
  }

  @Test(arguments: ["move-sink-input", "set-default-sink", "unload-module"])
  func `a stream that is moved continues elsewhere and reports the move`(by: String) async throws {
    try await onOwnThread {
      let server = try PulseServer(more: ["hall"])
      try server.pactl("set-default-sink", "null")
      let capture = try Capture(of: server, sink: "hall")
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      switch by {
      case "move-sink-input": try server.pactl(by, server.streams().first ?? "", "hall")
      case "set-default-sink": try server.pactl(by, "hall")
      default: try server.unplug("null")
      }
      try player.value(within: 20)
      // A removed output is reported differently, because the listener may not want to hear the sound on another one.
      #expect(self.reported.events == [by == "unload-module" ? .unplugged(to: "hall") : .moved(to: "hall")])
      #expect(sink.heard == 96_000)
      #expect(sink.underruns == 0)
      #expect(capture.waitForTheEnd())
      let isEnd = Array(capture.sound) == Array(self.sound.suffix(capture.sound.count))
      #expect(isEnd)
      #expect(capture.sound.count > 48_000)
    }
  }

  @Test func `changes of the device itself are not reported`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      for volume in ["50%", "100%"] { try server.pactl("set-sink-volume", "null", volume) }
      try player.value(within: 20)
      #expect(self.reported.events.isEmpty && sink.heard == 96_000)
    }
  }

  @Test func `a sink with a named output plays nowhere else, and waits until the output is available again`()
    async throws
  {
    try await onOwnThread {
      let server = try PulseServer(more: ["hall"])
      let (sink, player) = try playing(self.sound, on: server, device: "null", self.reported)
      #expect(eventually { sink.heard > 9_600 })
      try server.pactl("set-default-sink", "hall")
      // The server refuses to move the stream.
      #expect(throws: ChildFailure.self) {
        try server.pactl("move-sink-input", server.streams().first ?? "", "hall")
      }
      try server.unplug("null")
      #expect(eventually { self.reported.causes == ["Entity killed"] })
      let heard = sink.heard
      try server.plugIn("null")
      let capture = try Capture(of: server)
      try player.value(within: 20)
      #expect(self.reported.events.count == 2 && self.reported.outages.count == 1)
      #expect(sink.heard == 96_000 && heard < 60_000)
      #expect(capture.waitForTheEnd())
      #expect(30_000 < capture.sound.count)
    }
  }

  @Test func `a suspended output pauses the sound, and nothing is lost`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      try server.pactl("suspend-sink", "null", "1")
      #expect(eventually { self.reported.events == [.lost(cause: "the output is suspended")] })
      _ = eventually(within: 0.1) { false }
      let heard = sink.heard
      _ = eventually(within: 2.5) { false }
      #expect(sink.heard == heard)
      try server.pactl("suspend-sink", "null", "0")
      try player.value(within: 20)
      #expect(self.reported.outages.count == 1)
      #expect(self.reported.outages.allSatisfy { $0 > 2 })
      #expect(sink.heard == 96_000)
    }
  }

  @Test func `a stream that starts on a suspended output reports the loss, and plays when the output is resumed`()
    async throws
  {
    try await onOwnThread {
      let server = try PulseServer()
      try server.pactl("suspend-sink", "null", "1")
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { self.reported.events == [.lost(cause: "the output is suspended")] })
      #expect(sink.heard == 0)
      try server.pactl("suspend-sink", "null", "0")
      try player.value(within: 20)
      #expect(self.reported.events.count == 2 && self.reported.outages.count == 1)
      #expect(sink.heard == 96_000)
    }
  }

  @Test func `a move away from a suspended output ends the loss, and a move to one begins it`() async throws {
    try await onOwnThread {
      let server = try PulseServer(more: ["hall"])
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      try server.pactl("suspend-sink", "null", "1")
      #expect(eventually { self.reported.causes.count == 1 })
      try server.pactl("move-sink-input", server.streams().first ?? "", "hall")
      #expect(eventually { self.reported.outages.count == 1 })
      try server.pactl("move-sink-input", server.streams().first ?? "", "null")
      #expect(eventually { self.reported.causes.count == 2 })
      try server.pactl("suspend-sink", "null", "0")
      try player.value(within: 20)
      #expect(self.reported.causes.count == 2 && self.reported.outages.count == 2)
      #expect(sink.heard == 96_000)
    }
  }

  @Test func `an output that is suspended because nothing plays on it is not lost`() async throws {
    try await onOwnThread {
      let server = try PulseServer(more: ["hall"], modules: ["module-suspend-on-idle timeout=0"])
      let sleepers = { try? server.pactl("list", "short", "sinks").split(separator: "SUSPENDED").count - 1 }
      #expect(eventually { sleepers() == 2 })
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 && sleepers() == 1 })
      try server.pactl("move-sink-input", server.streams().first ?? "", "hall")
      try player.value(within: 20)
      #expect(self.reported.events == [.moved(to: "hall")])
      #expect(sink.heard == 96_000)
    }
  }

  @Test func `a phone call interrupts the sound, which continues after it`() async throws {
    try await onOwnThread {
      let server = try PulseServer(modules: ["module-role-cork"])
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      let call = try server.player(role: "phone")
      #expect(eventually { self.reported.events == [.corked(true)] })
      _ = eventually(within: 0.1) { false }
      let heard = sink.heard
      _ = eventually(within: 2.5) { false }
      #expect(sink.heard == heard)
      call.end()
      #expect(eventually { self.reported.events == [.corked(true), .corked(false)] })
      try player.value(within: 20)
      #expect(sink.heard == 96_000)
    }
  }
}

extension PulseServer {
  /// The numbers of the streams on the server.
  fileprivate func streams() throws -> [String] {
    try pactl("list", "short", "sink-inputs").split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
  }
}

/// The sound before the first silence, and the sound after it.
private func halves(_ sound: ArraySlice<Frame>) -> (ArraySlice<Frame>, ArraySlice<Frame>) {
  guard let gap = sound.indices.first(where: { sound[$0...].prefix(10).allSatisfy { $0 == .silence } }),
    let end = sound[gap...].firstIndex(where: { $0 != .silence })
  else { return (sound, []) }
  return (sound[..<gap], sound[end...])
}
