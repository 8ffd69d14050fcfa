import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// `--wait-for-server`: sound servers that do not run yet when a session starts, as on a computer that was just
/// switched on.
struct LateServerLiveTests {
  private static let session = """
    prosper: 1
    title: Early
    sampleRate: 48000
    stages:
      - {name: One, duration: 1s, tracks: ["generate:pink"]}
    """

  /// A server that does not run, but can be started at its address.
  private func absentServer() async throws -> PulseServer {
    let server = try await onOwnThread { try PulseServer() }
    server.kill()
    return server
  }

  @Test func `a session waits for its server, and every frame of it is heard`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let server = try await absentServer()
    let heard = Mutex<[Frame]>([])
    let run = try await Prosper.run(
      ["play", session, "--wait-for-server", "1h", "--no-control"], environment: ["PULSE_SERVER": server.address],
      in: scratch
    ) { running in
      running.waitUntilItSays("output.lost")
      guard let capture = try? server.restart({ try Capture(of: server) }) else { return }
      _ = capture.waitForTheEnd()
      heard.withLock { $0 = Array(capture.sound) }
    }
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let events = try run.events()
    let names = events.compactMap { $0["event"] as? String }
    #expect(names.first { $0.hasPrefix("output") } == "output.lost" && names.contains("output.restored"))
    #expect(events.last?["played"] as? Double == 1 && events.last?["reason"] as? String == "completed")
    let render = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--encoding", "f32", "--events", "off"], in: scratch)
    #expect(render.status == 0)
    let frames = try FloatWave(at: scratch.path("a.wav")).frames
    _ = try await onOwnThread { eventually { !heard.withLock(\.isEmpty) } }
    // No fade-in: nothing was interrupted.
    #expect(heard.withLock { $0 } == frames)
  }

  @Test func `a server that does not start is reported after the given time, with exit code 69`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let server = try await absentServer()
    let run = try await Prosper.run(
      ["play", session, "--wait-for-server", "300ms", "--events", "text"],
      environment: ["PULSE_SERVER": server.address],
      in: scratch)
    #expect(run.status == 69)
    #expect(run.err.hasPrefix("prosper: no sound server answers (Connection refused); start PulseAudio"))
    #expect(run.out.contains("waiting for the output (no sound server answers: Connection refused)"))
  }

  @Test func `a session also waits for an output device that does not exist yet`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let server = try await onOwnThread { try PulseServer() }
    let run = try await Prosper.run(
      ["play", session, "-o", "pulse:speaker", "--wait-for-server", "1h"],
      environment: ["PULSE_SERVER": server.address], in: scratch
    ) { running in
      running.waitUntilItSays("output.lost")
      do { try server.plugIn("speaker") } catch {
        Issue.record(error)
        running.send(SIGTERM)
      }
      // The server ends with its last reference.
      withExtendedLifetime(server) { running.waitUntilItSays("session.finished") }
    }
    #expect(run.status == 0 && run.out.contains("output.restored"), "\(run.err)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal ends the wait at once`(signal: Int32, status: Int32) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let server = try await absentServer()
    let run = try await Prosper.run(
      ["play", session, "--wait-for-server", "1h"], environment: ["PULSE_SERVER": server.address], in: scratch
    ) { running in
      running.waitUntilItSays("output.lost")
      running.send(signal)
    }
    #expect(run.status == status && run.err.isEmpty, "\(run.err)")
  }
}
