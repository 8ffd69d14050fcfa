import Signal
import TestSupport
import Testing

/// Devices that follow another one, on a real sound server.
@Suite(.serialized) struct FollowersLiveTests {
  private static let session = """
    prosper: 1
    title: Followers
    sampleRate: 48000
    stages:
      - {name: One, duration: 2s, tracks: ["generate:rain"]}
      - {name: Two, duration: 2s, tracks: ["generate:ocean"]}
    """

  @Test func `a second device and a FIFO play what the leading device plays, sample for sample`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("followers.yaml", Self.session)
    let render = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--encoding", "f32"], in: scratch)
    #expect(render.status == 0)
    let wanted = try FloatWave(at: scratch.path("a.wav")).frames.sounding
    let server = try PulseServer(more: ["two"])
    let captures = ["null", "two"].map { sink in
      LiveCapture(to: server, sink: sink) { !$0.sound.isEmpty && $0.silenceAtEnd > 24_000 }
    }
    let fifo = try FIFOCapture(in: scratch)
    try await onOwnThread { for capture in captures { capture.waitUntilRunning() } }
    let run = try await Prosper.run(
      [
        "play", session, "-o", "pulse:null", "-o", "pulse:two", "-o", "pipe:\(fifo.path)", "-o", scratch.path("b.wav"),
        "--encoding", "f32",
      ], environment: ["PULSE_SERVER": server.address], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    for capture in captures {
      let heard = try await capture.frames().sounding
      let isSame = heard == wanted
      #expect(isSame, "\(heard.count) frames of \(wanted.count)")
    }
    let isInFIFO = try await fifo.frames().sounding == wanted
    #expect(isInFIFO)
    let isInFile = try FloatWave(at: scratch.path("b.wav")).frames.sounding == wanted
    #expect(isInFile)
  }

  @Test func `a device that is missing ends prosper at the start`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("followers.yaml", Self.session)
    let server = try PulseServer()
    let run = try await Prosper.run(
      ["play", session, "-o", "pulse:null", "-o", "pulse:attic"], environment: ["PULSE_SERVER": server.address],
      in: scratch)
    #expect(run.status == 69 && run.err.contains("there is no output 'attic'"), "\(run.err)")
  }
}
