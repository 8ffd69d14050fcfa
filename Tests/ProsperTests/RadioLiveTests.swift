import Foundation
import Glibc
import TestSupport
import Testing

/// A session for listeners of a real Icecast server.
@Suite struct RadioLiveTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func session(_ seconds: Int = 4, name: String = "radio.yaml") throws -> String {
    try scratch.write(
      name,
      """
      prosper: 1
      title: Radio
      sampleRate: 48000
      stages:
        - {name: One, duration: \(seconds)s, tracks: [{generate: ocean, seed: 3}]}
        - {name: Two & more, duration: \(seconds)s, tracks: [{generate: drone}]}
      """)
  }

  /// The sound of a file or of one logical stream, decoded by ffmpeg.
  private func decoded(_ bytes: [UInt8], _ name: String) throws -> [UInt32] {
    let (path, wave) = (scratch.path(name), scratch.path(name + ".raw"))
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    _ = try output(
      of: "ffmpeg", ["-v", "quiet", "-y", "-i", path, "-f", "s16le", "-ac", "2", "-ar", "48000", wave],
      environment: [:])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: wave))).frames16
  }

  private func losses(in run: Prosper) throws -> [String] {
    try run.events().filter { ($0["output"] as? String)?.hasPrefix("icecast") ?? false }
      .compactMap { ($0["event"] as? String).flatMap { $0.hasPrefix("output.") ? $0 : nil } }
  }

  /// The left channel as numbers.
  private func left(_ frames: [UInt32]) -> [Double] { frames.map { Double(Int16(truncatingIfNeeded: $0)) } }

  /// How similar two sounds are at a shift of the second one, 1 for the same.
  private func correlation(_ a: [Double], _ b: [Double], shift: Int) -> Double {
    var (sum, first, second) = (0.0, 0.0, 0.0)
    for index in stride(from: 0, to: min(a.count, b.count - shift), by: 3) {
      sum += a[index] * b[index + shift]
      first += a[index] * a[index]
      second += b[index + shift] * b[index + shift]
    }
    return sum / max(1, (first * second).squareRoot())
  }

  @Test func `a listener to Ogg FLAC hears the render, sample for sample, with the titles in order`() async throws {
    let session = try session()
    let rendered = try await Prosper.render16(session, in: scratch)
    let scene = try IcecastScene()
    let listener = try scene.listener(to: "sit.flac")
    let run = try await Prosper.run(
      ["play", session, "-o", "null", "-o", scene.address("sit.flac"), "--password-file", try scene.password()],
      in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(try losses(in: run).isEmpty)
    let hasEnded = try await onOwnThread { listener.waitForTheEnd() }
    #expect(hasEnded)
    let links = try listener.chain()
    let titles = links.map { String(decoding: $0.prefix(2_000), as: UTF8.self) }
    #expect(titles.map { $0.firstMatch(of: /TITLE=([A-Za-z& ]*)/).map { String($0.1) } } == ["One", "Two & more"])
    #expect(titles.allSatisfy { $0.contains("ALBUM=Radio") })
    let heard = try links.enumerated().flatMap { try decoded($1, "link\($0).oga") }
    // The listener comes in the first second, the server keeps a few blocks of it, and silence may precede the sound.
    let key = Array(rendered[96_000..<96_064])
    let found = try #require(
      heard.indices.dropLast(64).first { heard[$0] == key[0] && Array(heard[$0..<$0 + 64]) == key })
    let first = found - 96_000
    let isSame = heard[found...].elementsEqual(rendered[96_000...])
    #expect(isSame, "\(heard.count - first) frames of \(rendered.count)")
  }

  @Test(arguments: ["sit.opus", "sit.ogg", "sit.mp3"])
  func `a listener hears the render as far as the codec allows`(mount: String) async throws {
    let session = try session()
    let rendered = try await Prosper.render16(session, in: scratch)
    let scene = try IcecastScene()
    let listener = try scene.listener(to: mount)
    let run = try await Prosper.run(
      ["play", session, "-o", "null", "-o", scene.address(mount), "--password-file", try scene.password()],
      in: scratch
    ) { running in
      running.waitUntilItSays("Two & more")
      guard mount.hasSuffix("mp3") else { return }
      // The title of an MP3 stream is told to the server.
      #expect(eventually(within: 20) { scene.statistics().contains("Two & more") })
    }
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let hasEnded = try await onOwnThread { listener.waitForTheEnd() }
    #expect(hasEnded)
    let parts =
      mount.hasSuffix("mp3")
      ? [[UInt8](try Data(contentsOf: URL(fileURLWithPath: listener.path)))] : try listener.chain()
    if !mount.hasSuffix("mp3") {
      let titles = parts.map { String(decoding: $0.prefix(2_000), as: UTF8.self) }
      #expect(
        titles.map { $0.firstMatch(of: /(?i)TITLE=([A-Za-z& ]*)/).map { String($0.1) } } == ["One", "Two & more"])
    }
    let heard = try parts.enumerated().map { left(try decoded($1, "part\($0)-\(mount)")) }
    if mount.hasSuffix("opus") {
      // A player decodes the whole chain, whose streams are told apart by their numbers.
      let whole = try decoded([UInt8](try Data(contentsOf: URL(fileURLWithPath: listener.path))), "whole-\(mount)")
      #expect(whole.count == heard.reduce(0) { $0 + $1.count })
    }
    #expect(similarity(of: left(rendered), to: heard[heard.count - 1]) > 0.98)
  }

  /// How similar the last seconds of a sound are to the render, aligned within a tenth of a second of where its end says.
  private func similarity(of wanted: [Double], to last: [Double]) -> Double {
    let length = 3 * 48_000
    let piece = Array(wanted[(wanted.count - length - 24_000)..<(wanted.count - 24_000)])
    let from = last.count - length - 24_000
    let best = (max(0, from - 4_800)..<min(from + 4_800, last.count - length)).map { shift in
      correlation(Array(piece[..<9_600]), last, shift: shift)
    }
    let shift = max(0, from - 4_800) + (best.indices.max { best[$0] < best[$1] } ?? 0)
    return correlation(piece, last, shift: shift)
  }

  @Test func `a password comes from the keyring, and is never told`() async throws {
    let session = try session(1)
    let scene = try IcecastScene()
    let keyring = try await onOwnThread {
      let keyring = try KeyringScene()
      try keyring.start(isUnlocked: true)
      try keyring.store("wrong", "protocol icecast server 127.0.0.1 user ann")
      return keyring
    }
    let words = ["play", session, "-o", "null:fast", "-o", scene.address("sit.opus"), "--log-level", "debug"]
    func play() async throws -> Prosper {
      try await Prosper.run(words, environment: keyring.bus.environment, in: scratch)
    }
    let missing = try await play()
    #expect(missing.status == 64)
    #expect(
      missing.err.contains("secret-tool store --label Icecast protocol icecast server 127.0.0.1 user source"),
      "\(missing.err)")
    try await onOwnThread {
      try keyring.store("wrong", "protocol icecast server 127.0.0.1 user source")
      try keyring.store("hush", "protocol icecast server 127.0.0.1 port \(scene.port) user source")
    }
    let run = try await play()
    #expect(run.status == 0, "\(run.err)")
    #expect(!(run.out + run.err).contains("hush"))
    try await onOwnThread { try keyring.start(isUnlocked: false) }
    let locked = try await play()
    #expect(locked.status == 64 && locked.err.contains("the keyring with the password is locked"), "\(locked.err)")
  }

  @Test func `a wrong password ends prosper with 69, and is never told`() async throws {
    let session = try session(1)
    let scene = try IcecastScene()
    let file = try scene.password("open-sesame")
    let run = try await Prosper.run(
      [
        "play", session, "-o", "null", "-o", scene.address("sit.opus"), "--password-file", file, "--log-level", "debug",
      ],
      in: scratch)
    #expect(run.status == 69)
    #expect(run.err.contains("the server refuses the user 'source' with this password"), "\(run.err)")
    #expect(!(run.out + run.err).contains("open-sesame"))
    for (words, told) in [
      (["-o", "icecast://ann:open-sesame@127.0.0.1/a.ogg"], "it contains a password"),
      (["-o", scene.address("sit.opus")], "needs a password"),
      (["-o", scene.address("sit.opus"), "--password-file", scratch.path("none")], "no such file"),
      (["-o", scene.address("sit.opus"), "--password-file", file, "--quality", "3"], "sit.opus"),
      (
        ["-o", scene.address("sit.mp3"), "--password-file", file, "--bitrate", "77k"], "does not have the bit rate 77k"
      ),
    ] {
      let run = try await Prosper.run(["play", session] + words, in: scratch)
      #expect(run.status == 64 && run.err.contains(told), "\(run.err)")
    }
  }

  @Test func `TLS needs a certificate that is trusted`() async throws {
    let session = try session(3)
    let scene = try IcecastScene(isEncrypted: true)
    let words = ["play", session, "-o", scene.address("sit.opus"), "--password-file", try scene.password()]
    let refused = try await Prosper.run(words, in: scratch)
    #expect(refused.status == 69 && refused.err.contains("its certificate is not trusted"), "\(refused.err)")
    let run = try await Prosper.run(
      words, environment: ["SSL_CERT_FILE": try #require(scene.certificate)], in: scratch
    ) { running in
      running.waitUntilItSays("Two & more")
      #expect(eventually(within: 3) { scene.statistics().contains("sit.opus") })
    }
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(try losses(in: run).isEmpty)
  }

  @Test func `outputs lists mounts, and status counts listeners`() async throws {
    let session = try session(10)
    let scene = try IcecastScene()
    let (password, server) = (try scene.password(), "icecast://127.0.0.1:\(scene.port)")
    let empty = try await Prosper.run(["outputs", server], in: scratch)
    #expect(empty.out == "  \(server)/  Icecast 2.4.4 (no mounts are in use)\n", "\(empty.err)")
    let listener = try scene.listener(to: "sit.mp3")
    defer { withExtendedLifetime(listener) {} }
    let run = try await Prosper.run(
      ["play", session, "-o", "null", "-o", scene.address("sit.mp3"), "--password-file", password], in: scratch
    ) { [scratch] running in
      let environment = ["PATH": "/usr/bin:/bin", "HOME": scratch.path(""), "XDG_RUNTIME_DIR": scratch.path("")]
      let ask = { try? output(of: Prosper.executable.path, $0, environment: environment) }
      #expect(eventually(within: 60) { ask(["ctl", "status", "--json"])?.contains("\"listeners\":1") ?? false })
      #expect(ask(["outputs", server])?.hasPrefix("  \(server)/sit.mp3  Radio (audio/mpeg, ") ?? false)
      running.send(SIGTERM)
    }
    #expect(run.status == 143)
  }

  enum Trouble: String, CaseIterable {
    case killed, stalled, late, fullMount
  }

  @Test(arguments: Trouble.allCases)
  func `a server in trouble changes nothing at the others, and listeners hear it again`(_ trouble: Trouble) async throws
  {
    // A stalled server is noticed once the buffers of the system are full.
    let session = try session(trouble == .stalled ? 20 : 12)
    let rendered = try await Prosper.render16(session, in: scratch)
    let scene = try IcecastScene(starts: trouble != .late)
    let (password, mount) = (try scene.password(), "sit.flac")
    let other =
      trouble == .fullMount ? try Self.occupy(scene, mount, try self.session(60, name: "other.yaml"), password) : nil
    let run = try await Prosper.run(
      [
        "play", session, "-o", "null", "-o", scene.address(mount), "--password-file", password, "-o",
        scratch.path("a.wav"), "--encoding", "s16",
      ], in: scratch
    ) { running in
      do {
        running.waitUntilItSays("\"name\":\"One\"")
        switch trouble {
        case .killed: scene.kill()
        case .stalled: scene.stall()
        case .late, .fullMount: break
        }
        running.waitUntilItSays("output.lost")
        switch trouble {
        case .killed, .late: try scene.start()
        case .stalled: scene.resume()
        case .fullMount: other?.end()
        }
        running.waitUntilItSays("output.restored")
        let listener = try scene.listener(to: mount)
        #expect(eventually(within: 60) { 50_000 < listener.size })
      } catch { Issue.record(error) }
    }
    #expect(run.status == 0, "\(run.err)")
    let told = try losses(in: run)
    #expect(told == ["output.lost", "output.restored"], "\(run.lines.filter { $0.contains("output.") })")
    let isUntouched = try frames16(ofWave: scratch.path("a.wav")) == rendered
    #expect(isUntouched)
  }

  /// Another player that has the mount.
  private static func occupy(
    _ scene: IcecastScene, _ mount: String, _ session: String, _ password: String
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      Prosper.executable.path, ["play", session, "-o", scene.address(mount), "--password-file", password, "-q"],
      environment: ["HOME": scene.folder.path(""), "XDG_RUNTIME_DIR": scene.folder.path("")], readsOutput: false)
    guard eventually({ scene.statistics().contains(mount) }) else { throw SceneFailure("the mount stays free") }
    return process
  }
}
