import Foundation
import Glibc
import TestSupport
import Testing

/// A session in the rooms of a real Snapcast server.
@Suite struct RoomsLiveTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// - Parameter seconds: of each of two stages.
  private func session(_ seconds: Int, rate: Int = 48_000) throws -> String {
    try scratch.write(
      "rooms.yaml",
      """
      prosper: 1
      title: Rooms
      sampleRate: \(rate)
      sounds: {tick: {generate: wood}}
      stages:
        - {name: One, duration: \(seconds)s, tracks: ["generate:rain"], gongs: [{sound: tick, every: 700ms}]}
        - {name: Two, duration: \(seconds)s, tracks: ["generate:ocean"]}
      """)
  }

  /// Where a room plays the frame `at` of the render, found by the frames that follow it.
  private func place(of at: Int, of rendered: [UInt32], in heard: [UInt32]) -> Int? {
    let key = Array(rendered[at..<at + 64])
    return heard.indices.dropLast(64).first { heard[$0] == key[0] && Array(heard[$0..<$0 + 64]) == key }
  }

  private func losses(in run: Prosper, of output: String) throws -> [String] {
    try run.events().filter { ($0["output"] as? String)?.hasPrefix(output) ?? false }
      .compactMap { ($0["event"] as? String).flatMap { $0.hasPrefix("output.") ? $0 : nil } }
  }

  /// What two rooms have played of a session.
  private struct Played {
    /// The first frame of the render that each room has not played, from the second second on; nil if it has played all.
    var missing: [Int?]
    /// Seconds between the rooms.
    var distance: Double
  }

  @Test func `two rooms play the render, sample for sample and in step`() async throws {
    // After five seconds a client corrects its position by skipping or repeating single frames.
    let session = try session(2)
    let rendered = try await Prosper.render16(session, in: scratch)
    // A server that is woken late inserts a gap. A client that is woken late when it starts stays late by as much; only
    // an error of more than 5 ms makes it jump.
    try await best(where: { (played: Played) in played.missing == [nil, nil] && played.distance < 0.005 }) {
      try await playInTwoRooms(session, rendered)
    }
  }

  private func playInTwoRooms(_ session: String, _ rendered: [UInt32]) async throws -> Played {
    let scene = try SnapcastScene()
    let rooms = try await twoRooms(of: scene)
    let run = try await Prosper.run(
      ["play", session, "-o", "null", "-o", scene.address(), "-o", scratch.path("a.wav"), "--encoding", "s16"],
      in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(try losses(in: run, of: "snapcast").isEmpty)
    let isInFile = try frames16(ofWave: scratch.path("a.wav")) == rendered
    #expect(isInFile)
    // The end of the sound is still on its way.
    let last = rendered[rendered.count - 20_000]
    _ = try await onOwnThread { eventually(within: 5) { rooms.allSatisfy { $0.frames.suffix(96_000).contains(last) } } }
    let heard = rooms.map(\.frames)
    let begins = heard.map { place(of: 48_000, of: rendered, in: $0).map { $0 - 48_000 } }
    guard let first = begins[0], let second = begins[1] else { return Played(missing: [0, 0], distance: 1) }
    let missing = zip(heard, [first, second]).map { heard, begin in
      // The frames before a client has found the beat of the server are of no interest: a second in, it has.
      let common = min(rendered.count, heard.count - begin) - 24_000
      return (48_000..<common).first { heard[begin + $0] != rendered[$0] }
    }
    let times = zip(rooms, [first, second]).map { $0.time(of: $1 + 48_000..<$1 + rendered.count) }
    return Played(missing: missing, distance: abs(times[0] - times[1]))
  }

  @Test(arguments: ["44100:24:2", "48000:32:1", "96000:16:2"])
  func `the sound is converted to the format of the source`(format: String) async throws {
    let session = try session(2, rate: 44_100)
    let scene = try SnapcastScene(format: format)
    let room = try scene.room("a")
    let run = try await Prosper.run(["play", session, "-o", scene.address(), "--events", "jsonl"], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let wanted = try await Prosper.render16(session, in: scratch, more: ["--rate", "48000"])
    // A mono source has the mean of both channels, and its client one sample for a frame.
    let isMono = format.hasSuffix(":1")
    let low = { @Sendable (frame: UInt32) in Double(Int16(truncatingIfNeeded: frame)) }
    let high = { @Sendable (frame: UInt32) in Double(Int16(truncatingIfNeeded: frame >> 16)) }
    let piece = wanted[96_000..<105_600].map { (frame: UInt32) in isMono ? (low(frame) + high(frame)) / 2 : low(frame) }
    let isHeard = try await onOwnThread {
      eventually(within: 20) {
        let heard = room.frames
        return 0.99 < bestCorrelation(of: piece, in: isMono ? heard.flatMap { [low($0), high($0)] } : heard.map(low))
      }
    }
    #expect(isHeard)
  }

  /// The rooms `a` and `b`, each in a group of its own, once the server knows them.
  private func twoRooms(of scene: SnapcastScene, listeningTo source: String = "hall") async throws -> [Room] {
    let rooms = try ["a", "b"].map { try scene.room($0) }
    let arrived = try await onOwnThread { eventually(within: 20) { (try? scene.groups().count) == 2 } }
    #expect(arrived)
    for (id, _) in try scene.groups().values {
      _ = try scene.ask("Group.SetStream", "{\"id\":\"\(id)\",\"stream_id\":\"\(source)\"}")
    }
    return rooms
  }

  @Test func `groups are given back if the session does not begin`() async throws {
    let session = try session(1)
    let scene = try SnapcastScene()
    let rooms = try await twoRooms(of: scene, listeningTo: "other")
    defer { withExtendedLifetime(rooms) {} }
    for (words, status) in [
      (["--groups", "a,nowhere"], 69), (["--groups", " a , b ", "-o", "/nonexistent/a.wav"], 73),
      (["--groups", "a,b", "-o", "icecast://127.0.0.1:1/a.opus", "--password-file", try scratch.write("p", "x")], 69),
    ] {
      let run = try await Prosper.run(["play", session, "-o", scene.address()] + words, in: scratch)
      #expect(run.status == Int32(status), "\(run.err)")
      #expect(try scene.groups().mapValues(\.source) == ["a": "other", "b": "other"])
    }
  }

  @Test func `a name with a control character, and several groups of one name`() async throws {
    let session = try session(1)
    let scene = try SnapcastScene()
    let rooms = try await twoRooms(of: scene)
    defer { withExtendedLifetime(rooms) {} }
    for name in ["a", "b"] {
      _ = try scene.ask("Client.SetName", "{\"id\":\"\(name)\",\"name\":\"Hall\\u0007\"}")
    }
    let server = String(scene.address().dropLast("/hall".count))
    let list = try await Prosper.run(["outputs", server], in: scratch)
    #expect(list.status == 0 && !list.out.contains("\u{7}"), "\(list.err)")
    let run = try await Prosper.run(["play", session, "-o", scene.address(), "--groups", "Hall\u{7}"], in: scratch)
    #expect(run.status == 69 && run.err.contains("several groups"), "\(run.err)")
    #expect(run.err.contains("'a'") && run.err.contains("'b'"), "\(run.err)")
  }

  @Test func `a source to which another player plays is refused`() async throws {
    let session = try session(15)
    let scene = try SnapcastScene()
    let run = try await Prosper.run(["play", session, "-o", scene.address()], in: scratch) { [scratch] running in
      let server = String(scene.address().dropLast("/hall".count))
      let environment = ["PATH": "/usr/bin:/bin", "HOME": scratch.path(""), "XDG_RUNTIME_DIR": scratch.path("")]
      let run = { (words: [String]) in
        try? output(of: Prosper.executable.path, words, environment: environment)
      }
      #expect(eventually { run(["outputs", server])?.contains("channels, playing)") ?? false })
      let words = ["play", session, "-o", scene.address()]
      let events = run(words)
      #expect(events?.contains("another program plays to it") ?? false, "\(events ?? "")")
    }
    #expect(try run.status == 0 && losses(in: run, of: "snapcast").isEmpty, "\(run.err)")
  }

  @Test func `a source or a group that is missing ends prosper with 69 and is named`() async throws {
    let session = try session(1)
    let scene = try SnapcastScene()
    _ = try scene.room("a")
    for (words, told) in [
      (["-o", scene.address("attic")], "the server has no source 'attic'; use 'hall'"),
      (["-o", scene.address("other")], "the source is of the kind 'pipe', and prosper needs tcp"),
      (["-o", scene.address(), "--groups", "attic"], "the server has no group 'attic'"),
    ] {
      for leader in [[], ["-o", "null"]] {
        let run = try await Prosper.run(["play", session] + leader + words, in: scratch)
        #expect(run.status == 69 && run.err.contains(told), "\(run.err)")
      }
    }
    let port = FreePort.some(1)[0]
    let waited = try await Prosper.run(
      ["play", session, "-o", "snapcast://127.0.0.1:\(port)/hall", "--wait-for-server", "1s"], in: scratch)
    #expect(try waited.status == 69 && losses(in: waited, of: "snapcast") == ["output.lost"], "\(waited.err)")
    let run = try await Prosper.run(["play", session, "-o", "snapcast://127.0.0.1:\(port)/hall"], in: scratch)
    #expect(run.status == 69 && run.err.contains("can't be reached"), "\(run.err)")
  }

  @Test func `groups listen to the session while it plays, and then to what they listened to before`() async throws {
    let session = try session(2)
    let scene = try SnapcastScene()
    let rooms = try await twoRooms(of: scene, listeningTo: "other")
    defer { withExtendedLifetime(rooms) {} }
    let run = try await Prosper.run(["play", session, "-o", scene.address(), "--groups", "a"], in: scratch) { running in
      running.waitUntilItSays("\"name\":\"Two\"")
      let sources = try? scene.groups().mapValues(\.source)
      #expect(sources == ["a": "hall", "b": "other"])
    }
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(try scene.groups().mapValues(\.source) == ["a": "other", "b": "other"])
  }

  @Test func `outputs lists the sources that take sound, and the groups`() async throws {
    let scene = try SnapcastScene()
    let room = try scene.room("kitchen")
    defer { withExtendedLifetime(room) {} }
    let arrived = try await onOwnThread { eventually(within: 20) { (try? scene.groups().count) == 1 } }
    #expect(arrived)
    let server = String(scene.address().dropLast("/hall".count))
    let run = try await Prosper.run(["outputs", server], in: scratch)
    #expect(run.status == 0)
    #expect(run.lines.first == "  \(server)/hall  Snapcast source (48000 Hz, 16 bits, 2 channels, idle)")
    #expect(
      run.lines.contains("  \(server)/other  Snapcast source (of the kind pipe: prosper needs tcp with a format)"))
    #expect(run.out.contains("listens to hall"))
    let json = try await Prosper.run(["outputs", server, "--json"], in: scratch)
    #expect(try json.events().first?["name"] as? String == scene.address())
  }

  @Test func `outputs finds a server that announces itself`() async throws {
    let avahi = try await onOwnThread { try AvahiScene() }
    let scene = try SnapcastScene(environment: avahi.environment)
    let address = scene.address()
    let line = "  \(address)  Snapcast source on prosper-test.local (48000 Hz, 16 bits, 2 channels, idle)"
    // The server needs about a second to announce itself.
    var run = try await Prosper.run(["outputs"], environment: avahi.environment, in: scratch)
    for _ in 0..<20 where !run.lines.contains(Substring(line)) {
      run = try await Prosper.run(["outputs"], environment: avahi.environment, in: scratch)
    }
    #expect(run.status == 0 && run.lines.contains(Substring(line)), "\(run.out)\(run.err)")
    let json = try await Prosper.run(["outputs", "--json"], environment: avahi.environment, in: scratch)
    #expect(
      try json.events().first { $0["name"] as? String == address }?["computer"] as? String == "prosper-test.local")
    // A server that is also named is listed once.
    let server = String(address.dropLast("/hall".count))
    let named = try await Prosper.run(["outputs", server], environment: avahi.environment, in: scratch)
    #expect(named.lines.count { $0.contains(address) } == 1)
  }

  enum Trouble: String, CaseIterable {
    case killed, stalled, otherFormat, late
  }

  @Test(arguments: Trouble.allCases)
  func `a server in trouble changes nothing at the others, and the rooms sound again`(_ trouble: Trouble) async throws {
    let session = try session(6)
    let rendered = try await Prosper.render16(session, in: scratch)
    let scene = try SnapcastScene(starts: trouble != .late)
    let run = try await Prosper.run(
      ["play", session, "-o", "null", "-o", scene.address(), "-o", scratch.path("a.wav"), "--encoding", "s16"],
      in: scratch
    ) { running in
      running.waitUntilItSays("\"name\":\"One\"")
      do {
        switch trouble {
        case .killed, .otherFormat:
          scene.kill()
          running.waitUntilItSays("output.lost")
          try scene.start(format: trouble == .killed ? "48000:16:2" : "44100:24:2")
        case .stalled:
          scene.stall()
          running.waitUntilItSays("output.lost")
          scene.resume()
        case .late:
          running.waitUntilItSays("output.lost")
          try scene.start()
        }
        running.waitUntilItSays("output.restored")
        let room = try scene.room("a")
        #expect(room.waitForSound())
      } catch { Issue.record(error) }
    }
    #expect(run.status == 0, "\(run.err)")
    #expect(try losses(in: run, of: "snapcast") == ["output.lost", "output.restored"])
    let isUntouched = try frames16(ofWave: scratch.path("a.wav")) == rendered
    #expect(isUntouched)
  }
}
