import Foundation
import Glibc
import Signal
import TestSupport
import Testing

/// A session as a media player of the desktop, which `playerctl` reads and controls through a real session bus.
@Suite(.serialized) struct MediaControlLiveTests {
  private let folder: Scratch
  private let session: String

  init() throws {
    folder = try Scratch()
    for (name, title) in [("a.wav", "Dawn"), ("b.wav", "Dusk")] {
      let wave = TestWave.float(Array(repeating: Frame(mono: 0.1), count: 160_000), rate: 8_000)
      try tagged(wave, title: title, artist: "Choir").write(to: URL(fileURLWithPath: folder.path(name)))
    }
    session = try folder.write(
      "s.yaml",
      """
      prosper: 1
      title: Morning "sit" & <more>
      sampleRate: 8000
      volume: 0.75
      crossfade: {duration: 0s}
      stages:
        - {name: Arrive, tracks: [a.wav, b.wav]}
        - {name: Silence, duration: 20s}
      """)
  }

  /// The status of the player that runs in the folder.
  private func status(_ bus: SessionBus) throws -> [String: Any] {
    let text = try output(
      of: Prosper.executable.path, ["ctl", "status", "--json"],
      environment: bus.environment.merging(["XDG_RUNTIME_DIR": folder.path("")]) { $1 })
    let reply = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return reply?["status"] as? [String: Any] ?? [:]
  }

  /// The status during a pause, without the time that advances.
  private func pausedStatus(_ bus: SessionBus) throws -> NSDictionary {
    NSDictionary(dictionary: try status(bus).filter { $0.key != "run" })
  }

  /// Plays the session to the null output, in real time.
  ///
  /// - Parameter act: called with the process ID when the player is on the bus, on a thread that may block. Afterwards
  ///   the session is ended, unless it has already ended.
  private func play(
    _ path: String? = nil, on bus: SessionBus, _ options: [String] = [], act: @escaping @Sendable (pid_t) throws -> Void
  ) async throws -> Prosper {
    async let run = Prosper.run(
      ["play", path ?? session, "-o", "null"] + options, environment: bus.environment, in: folder)
    try await onOwnThread {
      var pid: pid_t = 0
      let isPlaying = try eventually {
        pid = try bus.players().first.flatMap { pid_t($0.dropFirst("prosper.instance".count)) } ?? 0
        return try pid != 0 && bus.playerctl("status") == "Playing"
      }
      try #require(isPlaying)
      defer { kill(pid, SIGTERM) }
      try act(pid)
    }
    return try await run
  }

  @Test func `playerctl reads what ctl status states`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    let run = try await play(on: bus) { pid in
      #expect(try bus.players() == ["prosper.instance\(pid)"])
      try bus.playerctl("pause")
      let status = try status(bus)
      #expect(try bus.playerctl("status") == "Paused")
      #expect(status["state"] as? String == "paused")
      let read = try bus.playerctl(
        "metadata", "--format",
        "{{title}}|{{artist}}|{{album}}|{{xesam:trackNumber}}|{{mpris:length}}|{{mpris:trackid}}|{{volume}}")
      let tags = status["tags"] as? [String: String]
      let length = Int(((status["trackDuration"] as? Double ?? 0) * 1e6).rounded())
      let wanted =
        "\(tags?["title"] ?? "")|\(tags?["artist"] ?? "")|\(status["title"] ?? "")|"
        + "\((status["index"] as? Int ?? -1) + 1)|\(length)|'/prosper/track/0_0_0_0'|\(status["volume"] ?? "")"
      #expect(read == wanted)
      #expect(read == #"Dawn|Choir|Morning "sit" & <more>|1|20000000|'/prosper/track/0_0_0_0'|0.75"#)
      let position = try Double(bus.playerctl("position")) ?? -1
      #expect(abs(position - (status["position"] as? Double ?? -2)) < 0.001)
    }
    #expect(run.status == 143 && run.err.isEmpty, "\(run.err)")
  }

  @Test func `playerctl controls the session through the command queue`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    let run = try await play(on: bus) { pid in
      let steps: KeyValuePairs = [
        "pause": "Paused Dawn 0.75", "play-pause": "Playing Dawn 0.75", "pause ": "Paused Dawn 0.75",
        "play": "Playing Dawn 0.75", "volume 0.5": "Playing Dawn 0.5", "next": "Playing Dusk 0.5",
        "previous": "Playing Dawn 0.5",
      ]
      for (words, state) in steps {
        try bus.playerctl(words.split(separator: " ").map { String($0) })
        // The properties change when the change is heard, which may be after the method has returned.
        var found = ""
        let isThere = try eventually {
          found = try bus.playerctl("metadata", "--format", "{{status}} {{title}} {{volume}}")
          return found == state
        }
        #expect(isThere, "\(words): \(found)")
      }
      try bus.playerctl("pause")
      try bus.playerctl("position", "12.5")
      #expect(try bus.playerctl("position") == "12.500000")
      try bus.playerctl("position", "2-")
      #expect(try bus.playerctl("position") == "10.500000")
      try bus.playerctl("stop")
      #expect(eventually { kill(pid, 0) != 0 })
    }
    let outcomes = try run.outcomes()
    #expect(
      outcomes.map { $0["name"] as? String } == [
        "pause", "toggle", "pause", "play", "volume", "next", "previous", "pause", "seek", "seek", "stop",
      ])
    #expect(outcomes.allSatisfy { $0["outcome"] as? String == "done" })
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(try run.events().last?["reason"] as? String == "stopped")
  }

  @Test func `properties change when the state does, and a jump is signalled`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    _ = try await play(on: bus) { pid in
      let signals = try MediaSignals(of: "prosper.instance\(pid)", on: bus)
      let before = signals.lines.count
      letPass(seconds: 2.2)
      #expect(signals.lines.dropFirst(before).isEmpty, "\(signals.lines)")
      try bus.playerctl("pause")
      #expect(eventually { before < signals.lines.count })
      try bus.playerctl("position", "7")
      #expect(eventually { signals.lines.contains { $0.hasPrefix("Seeked") } })
      let player = "PropertiesChanged ('org.mpris.MediaPlayer2.Player', "
      #expect(
        signals.lines.dropFirst(before).map { $0 } == [
          player + "{'PlaybackStatus': <'Paused'>}, @as [])", "Seeked (int64 7000000,)",
        ])
      try bus.playerctl("next")
      #expect(eventually { signals.lines.last?.contains("Dusk") ?? false })
      try bus.playerctl("next")
      #expect(eventually { signals.lines.last?.contains("'xesam:title': <'Silence'>") ?? false })
      let last = signals.lines.last ?? ""
      // The last stage has no music, and nothing follows.
      #expect(last.contains("'CanSeek': <false>") && last.contains("'CanGoNext': <false>"), "\(last)")
      #expect(!last.contains("CanGoPrevious") && !last.contains("mpris:length"))
      try bus.playerctl("next")
      #expect(try status(bus)["stage"] as? String == "Silence")
      signals.stop()
    }
  }

  @Test func `invalid and outdated calls change nothing`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    let run = try await play(on: bus) { pid in
      let name = "org.mpris.MediaPlayer2.prosper.instance\(pid)"
      let call = { (method: String, words: [String]) in
        try bus.call(method, at: "/org/mpris/MediaPlayer2", of: name, words)
      }
      let player = "org.mpris.MediaPlayer2.Player"
      _ = try call("\(player).Pause", [])
      // The status changes until the fade-out of the pause has been heard.
      letPass(seconds: 0.1)
      let before = try pausedStatus(bus)
      for track in ["/prosper/track/0_0_1_1", "/prosper/silence", "/"] {
        #expect(try call("\(player).SetPosition", [track, "5000000"]) == "()\n")
      }
      for position in ["int64 -1", "20000001", "9223372036854775807", "int64 -9223372036854775808"] {
        #expect(try call("\(player).SetPosition", ["/prosper/track/0_0_0_0", position]) == "()\n")
      }
      // The first track: there is no previous one.
      #expect(try call("\(player).Previous", []) == "()\n")
      #expect(try call("org.freedesktop.DBus.Properties.Set", [player, "Rate", "<2.0>"]) == "()\n")
      for (name, value) in [("Volume", "'loud'"), ("Metadata", "0.5"), ("Volume", "{'a': <1>}"), ("Volume", "@d nan")] {
        #expect(try call("org.freedesktop.DBus.Properties.Set", [player, name, "<\(value)>"]).isEmpty)
      }
      #expect(try call("org.freedesktop.DBus.Properties.Get", [player, "Nothing"]).isEmpty)
      #expect(try call("\(player).Nothing", []).isEmpty)
      #expect(try pausedStatus(bus) == before)
      // Beyond the end, as `next`.
      _ = try call("\(player).Seek", ["9223372036854775807"])
      #expect(eventually { (try? status(bus))?["track"] as? String == "b.wav" })
      _ = try call("org.freedesktop.DBus.Properties.Set", [player, "Volume", "<7.5>"])
      #expect(try status(bus)["volume"] as? Double == 1)
      _ = try call("org.mpris.MediaPlayer2.Quit", [])
      #expect(eventually { kill(pid, 0) != 0 })
    }
    #expect(try run.outcomes().map { $0["name"] as? String } == ["pause", "seek", "volume", "finish"])
    #expect(run.status == 0 && run.err.isEmpty)
  }

  @Test func `the picture of a track is shown, and its file is removed at the end`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    let picture: [UInt8] = [0xFF, 0xD8, 0xFF] + Array(1...200)
    try await makeTrack("cover.flac", with: picture)
    let pictured = try folder.write(
      "p.yaml",
      "{prosper: 1, title: t, crossfade: {duration: 0s}, stages: [{name: s, tracks: [cover.flac, a.wav]}]}")
    // What a player has left that was killed: no process has this number.
    let covers = folder.path("prosper")
    try FileManager.default.createDirectory(
      atPath: covers, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    _ = try folder.write("prosper/cover-2147483647-1.jpg", "left")
    let run = try await play(pictured, on: bus) { pid in
      #expect(try eventually { try bus.playerctl("metadata", "mpris:artUrl").hasPrefix("file://") })
      let file = try bus.playerctl("metadata", "mpris:artUrl").dropFirst("file://".count)
      #expect(file.hasSuffix("/prosper/cover-\(pid)-1.jpg"))
      #expect(FileManager.default.contents(atPath: String(file)) == Data(picture))
      #expect(try FileManager.default.contentsOfDirectory(atPath: covers).count { $0.hasPrefix("cover") } == 1)
      try bus.playerctl("next")
      #expect(try eventually { try bus.playerctl("metadata", "--format", "{{title}} {{mpris:artUrl}}") == "Dawn " })
    }
    #expect(run.status == 143)
    #expect(try FileManager.default.contentsOfDirectory(atPath: covers).isEmpty)
  }

  /// Renders four seconds into a FLAC file, and inserts a picture after its first block.
  private func makeTrack(_ name: String, with picture: [UInt8]) async throws {
    let made = try await Prosper.run(["sit", "4s", "-o", folder.path(name), "--events", "off"], in: folder)
    #expect(made.status == 0, "\(made.err)")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
    let number = { (number: Int) in [0, 0, UInt8(number >> 8), UInt8(number & 0xFF)] }
    let block = number(3) + number(0) + number(0) + Array(repeating: 0, count: 16) + number(picture.count) + picture
    bytes.insert(contentsOf: [6] + number(block.count).dropFirst() + block, at: 42)
    try bytes.write(to: URL(fileURLWithPath: folder.path(name)))
  }

  @Test func `two players have different names on the bus`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    let other = folder
    let quiet = session
    _ = try await play(on: bus) { pid in
      let second = try ChildProcess(
        Prosper.executable.path, ["play", quiet, "-o", "null"],
        environment: bus.environment.merging(["XDG_RUNTIME_DIR": other.path(""), "HOME": other.path("")]) { $1 },
        readsOutput: false)
      let names = ["prosper.instance\(pid)", "prosper.instance\(second.pid)"].sorted()
      #expect(try eventually { try bus.players().sorted() == names })
      second.end()
      #expect(try eventually { try bus.players() == ["prosper.instance\(pid)"] })
    }
  }
}
