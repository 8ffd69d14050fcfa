import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// The sound server is killed again and again, and playback recovers by itself.
@Suite(.serialized) struct KilledServerLiveTests {
  enum Kind: CaseIterable {
    case pulseAudio
    /// Each time, either `pipewire-pulse` alone or all of PipeWire is killed.
    case pipeWire
  }

  private static let deaths = 20

  private struct Heard {
    /// The frames of the session that are missing after each kill, negative if they are repeated; nil if what was heard
    /// is not found in the render.
    var joints: [Int?]
    /// The session times of the gongs.
    var gongs: [Double]
  }

  /// Continuous music, crossfades, an overlay and overlapping gongs.
  private static let session = """
    prosper: 1
    title: Live
    sampleRate: 48000
    fadeIn: 200ms
    fadeOut: 500ms
    crossfade: {duration: 1s, curve: equalPower}
    sounds: {tick: {generate: wood}}
    stages:
      - name: One
        duration: 12s
        tracks: [{generate: rain, end: 3s}, {generate: ocean, end: 3s}]
        gongs: [{sound: tick, every: 1s}, {sound: {generate: bell, end: 700ms}, every: 3s}]
        overlays: [{sound: {generate: pink, end: 2s}, at: 1s, fadeIn: 100ms, fadeOut: 100ms, repeat: {times: 4, delay: 500ms}}]
      - name: Two
        duration: 12s
        tracks: ["generate:pink"]
        gongs: [{sound: tick, every: 700ms}]
    """

  @Test(arguments: Kind.allCases)
  func `a server killed twenty times plays each gong once, and each kill loses less than 50 ms`(_ kind: Kind)
    async throws
  {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", Self.session)
    let render = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--encoding", "f32"], in: scratch)
    #expect(render.status == 0 && render.err.isEmpty)
    let rendered = try FloatWave(at: scratch.path("a.wav")).frames
    let planned = try times(of: "gong", in: render)
    // Sound that a stalled machine has not captured before a kill counts as lost. PipeWire drops cycles if it has no
    // real-time rights; what was heard is then not found in the render. A gong is late if the player was late.
    try await best(where: { (heard: Heard) in
      heard.gongs == planned && heard.joints.allSatisfy { $0.map { abs($0) < 2_400 } ?? false }
    }) {
      let (run, lives) = try await listen(to: session, on: kind, in: scratch)
      #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
      #expect(try times(of: "output.lost", in: run).count == Self.deaths)
      #expect(try times(of: "output.restored", in: run).count == Self.deaths)
      let places = lives.map { $0.place(in: rendered) }
      #expect(lives.count == Self.deaths + 1)
      let joints = zip(places, places.dropFirst()).map { before, after -> Int? in
        if let before, let after { after.lowerBound - before.upperBound } else { nil }
      }
      return try Heard(joints: joints, gongs: times(of: "gong", in: run))
    }
  }

  private func times(of event: String, in run: Prosper) throws -> [Double] {
    try run.events().filter { $0["event"] as? String == event }.compactMap { $0["session"] as? Double }
  }

  /// What is heard between two kills of the server.
  private func listen(
    to session: String, on kind: Kind, in scratch: Scratch
  ) async throws -> (run: Prosper, lives: [[Frame]]) {
    let server: any SoundServer = try await onOwnThread {
      switch kind {
      case .pulseAudio: try PulseServer()
      case .pipeWire: try PipeWireServer()
      }
    }
    let lives = Mutex<[[Frame]]?>(nil)
    let run = try await Prosper.run(["play", session], environment: ["PULSE_SERVER": server.address], in: scratch) {
      _ in
      var heard: [[Frame]] = []
      var chance = SystemRandomNumberGenerator()
      var capture = try? Capture(of: server)
      for _ in 0..<Self.deaths {
        let moment = Int.random(in: 9_600...43_200, using: &chance)
        _ = capture?.wait { $0.sound.count > moment }
        // What has been captured when the server dies is all that was heard before.
        if let server = server as? PipeWireServer, chance.next() % 2 == 0 {
          server.killAll()
          capture?.waitForServerExit()
        } else {
          server.kill()
          _ = capture?.wait { $0.silenceAtEnd > 4_800 }
        }
        heard.append(Array(capture?.sound ?? []))
        capture = try? server.restart { try Capture(of: server) }
      }
      _ = capture?.waitForTheEnd()
      heard.append(Array(capture?.sound ?? []))
      lives.withLock { $0 = heard }
    }
    // The capture ends half a second after the player.
    _ = try await onOwnThread { eventually { lives.withLock { $0 != nil } } }
    return (run, try #require(lives.withLock { $0 }))
  }
}
