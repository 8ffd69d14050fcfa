import Engine
import Player
import PulseAudio
import Signal
import TestSupport
import Testing

@Suite(.serialized) struct RecoveryTests {
  let sound = noise(144_000)
  let reported = ReportedEvents()

  @Test(arguments: [1.0, 10])
  func `playback resumes where it was lost when a killed server returns`(seconds: Double) async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let before = try Capture(of: server)
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(before.wait(seconds: 10) { $0.sound.count > 30_000 })
      server.kill()
      #expect(eventually { self.reported.events == [.lost(cause: "Connection terminated")] })
      let heard = sink.heard
      before.waitForServerExit()
      _ = eventually(within: seconds) { false }
      #expect(sink.heard == heard)
      let after = try server.restart { try Capture(of: server) }
      try player.value(within: 20)
      #expect(after.waitForTheEnd())
      #expect(sink.heard == 144_000)
      #expect(sink.underruns == 0)
      #expect(self.reported.outages.count == 1)
      #expect(self.reported.outages.allSatisfy { seconds < $0 })
      #expect(continues(after.sound, in: self.sound, after: Int(heard)))
      // The monitor also captures what the device still held.
      #expect(abs(before.sound.count - Int(heard)) < 2_400)
    }
  }

  @Test func `a server that returns with a suspended output stays lost until the output is resumed`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      server.kill()
      #expect(eventually { self.reported.causes.count == 1 })
      _ = try server.restart { try server.pactl("suspend-sink", "null", "1") }
      _ = eventually(within: 3) { false }
      #expect(self.reported.events == [.lost(cause: "Connection terminated")])
      try server.pactl("suspend-sink", "null", "0")
      try player.value(within: 20)
      #expect(self.reported.events.count == 2)
      #expect(self.reported.outages.allSatisfy { $0 > 3 })
      #expect(sink.heard == 144_000)
    }
  }

  @Test func `playback resumes after a loss of the server during a drain`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let before = try Capture(of: server)
      let sound = Array(self.sound[..<72_000])
      let (sink, player) = try playing(sound, on: server, self.reported)
      #expect(before.wait(seconds: 10) { $0.sound.count > 60_000 })
      server.kill()
      #expect(eventually { !self.reported.events.isEmpty })
      let heard = sink.heard
      let after = try server.restart { try Capture(of: server) }
      try player.value(within: 20)
      #expect(after.waitForTheEnd())
      #expect(continues(after.sound, in: sound, after: Int(heard)))
      #expect(sink.heard == 72_000)
    }
  }

  @Test func `the sink waits for a server that is lost between the connection and the first stream`() async throws {
    try await onOwnThread {
      let server = try PulseServer(sharesMemory: false)
      let proxy = try ServerProxy(to: server.address)
      let serving = Background {
        proxy.serve(requests: 2)
        proxy.serve()
      }
      let capture = try Capture(of: server)
      let sound = Array(self.sound[..<24_000])
      let (sink, player) = try playing(sound, on: proxy.address, self.reported)
      try player.value(within: 20)
      try serving.value(within: 20)
      #expect(capture.waitForTheEnd())
      #expect(sink.heard == 24_000)
      #expect(self.reported.causes == ["Connection terminated"] && self.reported.outages.count == 1)
      // Nothing was heard before the outage, so there is no fade-in.
      #expect(Array(capture.sound) == sound)
    }
  }

  /// A server reports a lost format, and then ends the stream, if the stream has moved to an output that can't play the
  /// format.
  @Test func `a stream whose format is lost is replaced by a new one`() async throws {
    // The measure is the number of frames that were lost or heard twice. The monitor captures the 50 ms that the device
    // still held, and the next period if it began before the old stream ended.
    try await best(hasServer: true, where: { abs($0) < 4_800 }) {
      try await onOwnThread { try self.playThroughLostFormat() }
    }
  }

  private func playThroughLostFormat() throws -> Int {
    let reported = ReportedEvents()
    let server = try PulseServer(sharesMemory: false)
    let proxy = try ServerProxy(to: server.address)
    let serving = Background { proxy.serve() }
    let capture = try Capture(of: server)
    let (sink, player) = try playing(sound, on: proxy.address, reported)
    #expect(capture.wait { $0.sound.count > 30_000 })
    proxy.send("format-lost")
    try player.value()
    try serving.value()
    #expect(reported.causes == ["the output takes another format"] && reported.outages.count == 1)
    #expect(sink.heard == 144_000 && sink.underruns == 0)
    #expect(capture.waitForTheEnd())
    // After a short fade-in, the sound continues with the first frame that was not heard.
    let heard = Array(capture.sound)
    let joint = heard.indices.first { heard[$0] != sound[$0] } ?? 0
    let rest = heard[joint...].drop { $0 == .silence }
    let starts = (0..<10).map { sound.count - rest.count - $0 }
    #expect(30_000 < joint)
    #expect(starts.contains { continues(rest, in: sound, after: $0) })
    return joint - starts[0]
  }

  @Test func `playback resumes after two losses in a row`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 9_600 })
      server.kill()
      try server.restart {}
      #expect(eventually { self.reported.outages.count == 1 && sink.heard > 19_200 })
      server.kill()
      #expect(eventually { self.reported.causes.count == 2 })
      let heard = sink.heard
      let after = try server.restart { try Capture(of: server) }
      try player.value(within: 20)
      #expect(after.waitForTheEnd())
      #expect(continues(after.sound, in: self.sound, after: Int(heard)))
    }
  }

  @Test func `a server that does not return is given up after the timeout`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported, giveUpAfter: 0.3)
      #expect(eventually { sink.heard > 4_800 })
      server.kill()
      #expect(throws: SinkError.lost(cause: "Connection terminated")) { try player.value(within: 5) }
      #expect(self.reported.events == [.lost(cause: "Connection terminated")])
    }
  }

  @Test func `a server that stops answering is lost, and playback resumes when it answers`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 4_800 })
      server.stall()
      #expect(eventually(within: 60) { self.reported.causes == ["no answer"] })
      let heard = sink.heard
      #expect(self.reported.outages.isEmpty)
      server.resume()
      try player.value(within: 30)
      #expect(self.reported.outages.count == 1)
      #expect(sink.heard == 144_000)
      #expect(heard < 120_000)
    }
  }

  @Test func `a retraction ends the wait for a server at once`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let (sink, player) = try playing(self.sound, on: server, self.reported)
      #expect(eventually { sink.heard > 4_800 })
      server.kill()
      #expect(eventually { !self.reported.events.isEmpty })
      let heard = sink.heard
      #expect(sink.retract(over: 960))
      #expect(throws: Never.self) { try player.value(within: 5) }
      #expect(sink.heard == heard)
    }
  }

  @Test func `sound that is rewound during an outage is never heard`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let sink = PulseSink(server: server.address, report: self.reported.note)
      let new = noise(48_000, seed: 2)
      try sink.start(at: .studio)
      let player = Background { try self.sound.withUnsafeBufferPointer { try sink.write($0) } }
      #expect(eventually { sink.heard > 4_800 })
      server.kill()
      #expect(eventually { !self.reported.events.isEmpty })
      sink.interrupt()
      try player.value(within: 5)
      let heard = sink.heard
      #expect(sink.rewind() == heard)
      let writer = Background {
        try sink.play(new)
        try sink.finish()
      }
      let after = try server.restart { try Capture(of: server) }
      try writer.value(within: 20)
      #expect(after.waitForTheEnd())
      #expect(continues(after.sound, in: new, after: 0))
      #expect(sink.heard == heard + 48_000)
    }
  }
}

extension Capture {
  /// Captures everything that was heard before the server died.
  fileprivate func waitForServerExit() { _ = wait(seconds: 5) { _ in false } }
}

/// Plays all of `sound` to its end on a thread of its own.
func playing(
  _ sound: [Frame], on server: PulseServer, device: String? = nil, _ reported: ReportedEvents, giveUpAfter: Double = 300
) throws -> (PulseSink, Background<Void>) {
  try playing(sound, on: server.address, device: device, reported, giveUpAfter: giveUpAfter)
}

private func playing(
  _ sound: [Frame], on address: String, device: String? = nil, _ reported: ReportedEvents, giveUpAfter: Double = 300
) throws -> (PulseSink, Background<Void>) {
  let sink = PulseSink(
    device: device, server: address, session: AudioSessionManager(giveUpAfter: giveUpAfter),
    report: reported.note)
  try sink.start(at: .studio)
  let player = Background {
    try sink.play(sound)
    try sink.finish()
  }
  return (sink, player)
}

/// Whether `heard` is `sound` from the frame `start` on, with a fade-in of 20 ms.
func continues(_ heard: ArraySlice<Frame>, in sound: [Frame], after start: Int) -> Bool {
  let fade = Fade.rising(at: 0, over: 960, .sCurve)
  let expected = sound[start...].enumerated().map { $1 * fade.gain(at: FrameTime($0)) }
  // The first frame is silent, and so are frames that are too soft for the format.
  return Array(heard) == Array(expected.dropFirst(expected.count - heard.count)) && expected.count - heard.count < 10
}
