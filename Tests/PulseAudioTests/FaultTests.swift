import Engine
import Player
import PulseAudio
import Signal
import TestSupport
import Testing

@Suite(.serialized) struct FaultTests {
  let tone = Array(repeating: Frame(mono: 0.25), count: 480)

  @Test func `without a server, the start fails at once`() async throws {
    try await best(where: { $0 < .seconds(1) }) {
      try await onOwnThread {
        let sink = PulseSink(server: "unix:/nowhere/native")
        let took = SuspendingClock().measure {
          #expect(throws: SinkError.noServer(cause: "Connection refused")) { try sink.start(at: .studio) }
          #expect(throws: SinkError.noServer(cause: "Connection refused")) {
            try PulseSurvey.ofServer(at: "unix:/nowhere/native")
          }
        }
        #expect(sink.retract(over: 960))
        #expect(sink.heard == 0)
        return took
      }
    }
  }

  @Test func `outputs are listed by name, and an unknown name is rejected with the known ones`() async throws {
    try await onOwnThread {
      let server = try PulseServer(more: ["hall"])
      let survey = try PulseSurvey.ofServer(at: server.address)
      let outputs = survey.outputs
      #expect(survey.server.title.hasPrefix("PulseAudio "))
      #expect(outputs.map(\.name) == ["null", "hall"])
      #expect(outputs.map(\.rate) == [48_000, 48_000])
      #expect(outputs.map(\.channels) == [2, 2])
      #expect(outputs.filter(\.isDefault).count == 1)
      let sink = PulseSink(device: "attic", server: server.address)
      #expect(throws: SinkError.noSuchDevice(name: "attic", known: ["null", "hall"])) { try sink.start(at: .studio) }
    }
  }

  @Test func `the sound plays on the named output`() async throws {
    try await onOwnThread {
      let server = try PulseServer(more: ["hall"])
      let capture = try Capture(of: server, sink: "hall")
      let sink = PulseSink(device: "hall", server: server.address)
      let sound = noise(9_600)
      try sink.start(at: .studio)
      try sink.play(sound)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      let isSame = Array(capture.sound) == sound
      #expect(isSame)
    }
  }

  @Test func `if the server is killed, the current write ends within a second, and so do later calls`() async throws {
    typealias Measure = (write: Duration, end: Duration)
    try await best(where: { (measure: Measure) in measure.write < .seconds(1) && measure.end < .milliseconds(500) }) {
      try await onOwnThread { () -> Measure in
        let server = try PulseServer()
        let sink = try started(on: server)
        let player = Background { () -> SinkError? in
          do {
            while true { try sink.play(self.tone) }
          } catch { return error as? SinkError }
        }
        #expect(eventually { sink.heard > 4_800 })
        var failure: SinkError?
        let write = try SuspendingClock().measure {
          server.kill()
          failure = try player.value(within: 60)
        }
        #expect(failure == .lost(cause: "Connection terminated"))
        let end = SuspendingClock().measure {
          #expect(sink.retract(over: 960))
          #expect(throws: Never.self) { try sink.finish() }
          sink.abandon()
        }
        #expect(sink.heard > 4_800)
        return (write, end)
      }
    }
  }

  @Test func `a drain ends if the server is killed meanwhile`() async throws {
    try await best(where: { $0 < .seconds(1) }) {
      try await onOwnThread {
        let server = try PulseServer()
        let sink = try started(on: server)
        try sink.play(Array(repeating: Frame(mono: 0.25), count: 90_000))
        let end = Background { try sink.finish() }
        #expect(eventually { sink.heard > 4_800 })
        return SuspendingClock().measure {
          server.kill()
          #expect(throws: SinkError.lost(cause: "Connection terminated")) { try end.value(within: 60) }
        }
      }
    }
  }

  @Test func `a stalled server does not delay a stop`() async throws {
    try await best(where: { $0 < .seconds(1) }) {
      try await onOwnThread {
        let server = try PulseServer()
        let sink = try started(on: server)
        let isOver = Flag()
        let player = Background { while !isOver.isRaised { try sink.play(self.tone) } }
        #expect(eventually { sink.heard > 4_800 })
        server.stall()
        return try SuspendingClock().measure {
          #expect(sink.retract(over: 960))
          isOver.raise()
          try player.value(within: 60)
          #expect(throws: Never.self) { try sink.finish() }
        }
      }
    }
  }

  @Test func `a stalled server does not delay the cancellation of a drain`() async throws {
    try await best(where: { $0 < .seconds(1) }) {
      try await onOwnThread {
        let server = try PulseServer()
        let sink = try started(on: server)
        try sink.play(Array(repeating: Frame(mono: 0.25), count: 96_000))
        #expect(eventually { sink.heard > 4_800 })
        server.stall()
        let end = Background { try sink.finish() }
        return try SuspendingClock().measure {
          #expect(sink.retract(over: 960))
          try end.value(within: 60)
        }
      }
    }
  }

  @Test func `a stalled server does not delay the cancellation of a start`() async throws {
    try await best(where: { $0 < .seconds(1) }) {
      try await onOwnThread {
        let server = try PulseServer()
        server.stall()
        let sink = PulseSink(server: server.address)
        let start = Background { try sink.start(at: .studio) }
        return SuspendingClock().measure {
          #expect(sink.retract(over: 960))
          #expect(throws: SinkError.self) { try start.value(within: 60) }
        }
      }
    }
  }

  @Test func `a drain on a stalled server gives up one second after the sound should have ended`() async throws {
    try await best(where: { $0 < .seconds(1.6) }) {
      try await onOwnThread {
        let server = try PulseServer()
        let sink = try started(on: server)
        try sink.play(Array(repeating: Frame(mono: 0.25), count: 9_600))
        server.stall()
        let took = SuspendingClock().measure {
          #expect(throws: SinkError.lost(cause: "no answer")) { try sink.finish() }
        }
        #expect(took > .seconds(1))
        return took
      }
    }
  }

  @Test func `a retraction ends a drain`() async throws {
    typealias Measure = (took: Duration, heard: FrameCount)
    try await best(where: { (measure: Measure) in measure.took < .milliseconds(600) && measure.heard < 48_000 }) {
      try await onOwnThread { () -> Measure in
        let server = try PulseServer()
        let sink = try started(on: server)
        try sink.play(Array(repeating: Frame(mono: 0.25), count: 96_000))
        let end = Background { try sink.finish() }
        #expect(eventually { sink.heard > 4_800 })
        let took = try SuspendingClock().measure {
          #expect(sink.retract(over: 960))
          try end.value(within: 60)
        }
        return (took, sink.heard)
      }
    }
  }

  @Test func `a sound shorter than the prebuffer is heard, too`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let capture = try Capture(of: server)
      let sink = PulseSink(server: server.address)
      try sink.start(at: .studio)
      try sink.play(noise(100))
      try sink.finish()
      #expect(capture.waitForTheEnd())
      let isSame = Array(capture.sound) == noise(100)
      #expect(isSame)
    }
  }

  @Test func `sound that comes too late is counted as an underrun, and none of it is lost`() async throws {
    // The measure is the time from the report of the underrun until the position has reached the last frame.
    try await best(where: { $0 < .milliseconds(100) }) {
      try await onOwnThread {
        let server = try PulseServer()
        let capture = try Capture(of: server)
        let sink = try started(on: server)
        try sink.play(noise(9_600))
        #expect(capture.wait(seconds: 60) { $0.sound.count == 9_600 && $0.silenceAtEnd > 4_800 })
        #expect(eventually { sink.underruns == 1 })
        let took = SuspendingClock().measure { #expect(eventually { sink.heard == 9_600 }) }
        try sink.play(noise(9_600, seed: 2))
        try sink.finish()
        #expect(sink.underruns == 1)
        #expect(capture.waitForTheEnd())
        let isWhole = capture.sound.filter { $0 != .silence } == noise(9_600) + noise(9_600, seed: 2)
        #expect(isWhole)
        return took
      }
    }
  }
}

/// A sink that does not wait for a lost server.
private func started(on server: PulseServer) throws -> PulseSink {
  let sink = PulseSink(server: server.address, session: AudioSessionManager(giveUpAfter: 0))
  try sink.start(at: .studio)
  return sink
}
