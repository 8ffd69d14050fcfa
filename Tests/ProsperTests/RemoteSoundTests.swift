import Foundation
import Signal
import TestSupport
import Testing

/// Sounds from another machine, through the whole program.
struct RemoteSoundTests {
  private let server: WebServer
  private let scratch: Scratch
  init() throws {
    server = try WebServer()
    scratch = try Scratch()
  }

  private let wave = TestWave.stereo(TestSound.noise(22_050), rate: 44_100)

  private func session(of sound: String, named name: String) throws -> String {
    try scratch.write(
      name,
      """
      prosper: 1
      title: Far
      stages: [{name: A, duration: 2s, tracks: ["\(sound)"], gongs: [{sound: "\(sound)", at: 1s}]}]
      """)
  }

  private func prosper(_ arguments: String...) async throws -> Prosper {
    try await Prosper.run(arguments, environment: ["XDG_CACHE_HOME": scratch.path("cache")], in: scratch)
  }

  private func render(_ session: String) async throws -> (run: Prosper, bytes: Data?) {
    let path = scratch.path("\(UUID()).wav")
    let run = try await prosper("play", session, "-o", path, "--events", "off")
    return (run, try? Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The line about the address of the test's server, which is always this computer.
  private func localWarning(_ session: String, _ sound: String) -> String {
    "\(session):3:43: warning: \(server.url(sound)) is on this computer or in its local network; "
      + "play the session only if you expect it to send requests there\n"
  }

  @Test func `a fetched sound is the same as a local one, even without its server`() async throws {
    try Data(wave).write(to: URL(fileURLWithPath: scratch.path("a.wav")))
    server.put(.init(wave, etag: "\"a\""), at: "a.wav")
    let near = try await render(session(of: "a.wav", named: "near.yaml"))
    let far = try session(of: server.url("a.wav"), named: "far.yaml")
    #expect(near.run.status == 0 && near.bytes != nil)
    for _ in 0..<2 {
      let (run, bytes) = try await render(far)
      let isSame = bytes == near.bytes
      #expect(run.status == 0 && run.err == localWarning(far, "a.wav") && isSame, "\(run.err)")
    }
    #expect(server.bodyBytes == wave.count && server.requests.count == 2)
    server.close()
    let (run, bytes) = try await render(far)
    let isSame = bytes == near.bytes
    #expect(run.status == 0 && isSame)
    let copy = "\(far):3:43: warning: \(server.url("a.wav")): the cached copy is played instead: "
    #expect(run.err.hasPrefix(localWarning(far, "a.wav") + copy + "127.0.0.1 does not answer; "), "\(run.err)")
    #expect(run.err.split(separator: "\n").count == 2)
  }

  @Test func `a sound that can't be fetched is missing, with exit code 66 and a line that contains its address`()
    async throws
  {
    let far = try session(of: server.url("a.wav;b"), named: "far.yaml")
    let line = localWarning(far, "a.wav;b") + "\(far):3:43: error: \(server.url("a.wav;b")): can't be fetched: "
    for command in [["check", far], ["play", far, "-o", "null:fast"]] {
      let run = try await Prosper.run(
        command, environment: ["XDG_CACHE_HOME": scratch.path("cache")], in: scratch)
      #expect(
        run.status == 66 && run.out + run.err == line + "the server answers 404; check the address\n", "\(run.err)")
    }
    server.close()
    let run = try await prosper("check", far)
    #expect(run.status == 66)
    #expect(run.out == line + "127.0.0.1 does not answer; connect to the network, or try again later\n")
  }

  @Test func `a sound of a script is fetched before the session begins, or is missing`() async throws {
    let session = try scratch.write(
      "s.yaml", "prosper: 1\ntitle: S\nstages: [{name: A, duration: 2s, tracks: [\"generate:wood\"]}]")
    server.put(.init(wave), at: "a.wav")
    for (name, status) in [("a.wav", Int32(0)), ("gone.wav", 66)] {
      let script = try scratch.write("\(name).jsonl", #"{"at": "1s", "do": "gong", "sound": "\#(server.url(name))"}"#)
      let run = try await prosper("play", session, "--script", script, "-o", "null:fast")
      #expect(run.status == status, "\(run.err)")
      #expect(run.err.isEmpty == (status == 0) && run.out.isEmpty == (status == 66))
      #expect(status == 0 || run.err.hasPrefix("\(script):1:1: error: \(server.url(name)): can't be fetched: "))
    }
  }

  @Test func `a damaged remote sound is reported with its address and fails a render`() async throws {
    server.put(.init(Array(wave.prefix(wave.count / 2))), at: "a.wav")
    let far = try session(of: server.url("a.wav"), named: "far.yaml")
    let run = try await prosper("play", far, "-o", "null:fast", "--events", "off")
    #expect(run.status == 65 && run.err.contains("\(server.url("a.wav")): is damaged at 0.25 s"), "\(run.err)")
    #expect(try await prosper("check", far).status == 65)
  }

  @Test func `a session with a remote sound resumes as long as the server has the same sound`() async throws {
    server.put(.init(wave, etag: "\"a\""), at: "a.wav")
    let far = try session(of: server.url("a.wav"), named: "far.yaml")
    let environment = ["XDG_CACHE_HOME": scratch.path("cache")]
    let left = try await Prosper.run(
      ["play", far, "-o", "null", "--no-control"], environment: environment, in: scratch
    ) {
      $0.waitUntilItSays(#""event":"position""#)
      // The position is written by a separate thread.
      _ = eventually { hasPlace }
      $0.send(SIGKILL)
    }
    #expect(left.status == -SIGKILL)
    #expect(try await prosper("play", "--resume", far, "-o", "null:fast").status == 0)
    server.put(.init(TestWave.stereo(TestSound.noise(22_050, seed: 2), rate: 44_100), etag: "\"b\""), at: "a.wav")
    let changed = try await prosper("play", "--resume", far, "-o", "null:fast")
    #expect(changed.status == 65 && changed.err.contains("has changed since it was interrupted"), "\(changed.err)")
  }

  private var hasPlace: Bool {
    let folder = scratch.path(".local/state/prosper")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { name in
      name.hasPrefix("place-") && FileManager.default.contents(atPath: folder + "/" + name)?.isEmpty == false
    }
  }

  @Test func `an untrusted certificate is rejected`() async throws {
    let (key, certificate) = (scratch.path("key.pem"), scratch.path("cert.pem"))
    _ = try output(
      of: "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
      ], environment: [:])
    let child = try ChildProcess(
      "openssl", ["s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-WWW"],
      environment: [:], readsOutput: true)
    let port = try await onOwnThread { try Self.port(of: child) }
    let far = try session(of: "https://localhost:\(port)/a.wav", named: "far.yaml")
    let run = try await prosper("check", far)
    #expect(
      run.status == 66 && run.out.contains("localhost:\(port)/a.wav: can't be fetched: its certificate isn't trusted"))
  }

  /// Reads the port from the line that the server prints: `ACCEPT 127.0.0.1:PORT`.
  private static func port(of server: ChildProcess) throws -> Int {
    var text = ""
    var byte: UInt8 = 0
    while let output = server.output, read(output, &byte, 1) == 1 {
      if byte == 10, text.hasPrefix("ACCEPT"), let port = text.split(separator: ":").last.flatMap({ Int($0) }) {
        return port
      }
      text = byte == 10 ? "" : text + String(UnicodeScalar(byte))
    }
    throw NoServer()
  }

  private struct NoServer: Error {}
}
