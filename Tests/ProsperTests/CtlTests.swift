import Foundation
import Player
import ControlSocket
import Schedule
import TestSupport
import Testing

@testable import prosper

/// `prosper ctl` against players that only record commands.
struct CtlTests {
  /// A player with a control socket where `prosper ctl` finds it.
  private struct Scene {
    let folder: Scratch
    let player: RecordingPlayer
    let server: ControlServer

    init(metrics: QueueMetrics = QueueMetrics()) throws {
      folder = try Scratch()
      player = RecordingPlayer(metrics: metrics) { $0 == .stop ? .rejected(.edit(.noActiveTrack)) : .done }
      server = try Self.serve(player, in: folder)
    }

    static func serve(_ player: RecordingPlayer, in folder: Scratch) throws -> ControlServer {
      try ControlServer(of: player, in: ControlFolder(runtime: folder.path(""))) { line in
        switch line {
        case #"{"do":"pause"}"#: ControlRequest(.command(.pause))
        case #"{"do":"stop"}"#: ControlRequest(.command(.stop))
        case #"{"do":"status"}"#: ControlRequest(.status)
        case #"{"do":"events"}"#: ControlRequest(.events)
        case #"{"do":"metrics"}"#: ControlRequest(.command(.metrics(reset: false)))
        case #"{"do":"metrics","reset":true}"#: ControlRequest(.command(.metrics(reset: true)))
        default: ControlRequest(.refused("not understood: \(line)"))
        }
      }
    }

    func ctl(_ words: String..., whileRunning: @escaping @Sendable (Running) -> Void = { _ in }) async throws -> Prosper
    {
      try await Prosper.run(
        ["ctl"] + words, environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder, whileRunning: whileRunning)
    }
  }

  @Test func `a successful command prints nothing and exits with 0`() async throws {
    let scene = try Scene()
    let run = try await scene.ctl("pause")
    #expect(run.status == 0 && run.out.isEmpty && run.err.isEmpty)
    let json = try await scene.ctl("pause", "--json")
    #expect(json.status == 0 && json.out == "{\"ok\":true,\"outcome\":\"done\"}\n")
    #expect(scene.player.commands == [.pause, .pause])
    scene.server.stop()
  }

  @Test func `a rejected command prints the reason and exits with 1`() async throws {
    let scene = try Scene()
    let run = try await scene.ctl("stop")
    #expect(run.status == 1 && run.err == "prosper: no track is playing; 'next' goes to the next track or stage\n")
    let words = try await scene.ctl("seek", "-15s")
    #expect(words.status == 1 && words.err == "prosper: not understood: {\"do\":\"seek\",\"by\":\"-15s\"}\n")
    scene.server.stop()
  }

  @Test func `the status is printed as text or as JSON`() async throws {
    let scene = try Scene()
    let text = try await scene.ctl("status")
    #expect(
      text.out == """
        Morning sit, playing
        time    0:10 / 10:00
        stage   Arrive
        track   rain, 0:10
        volume  80 %

        """)
    let json = try await scene.ctl("--json", "status")
    #expect(json.out.hasPrefix(#"{"ok":true,"status":{"v":1,"run":12.000,"session":10.000,"#))
    scene.server.stop()
  }

  @Test(arguments: ["1e308", "-1e308", "9.3e18", "-1"])
  func `no number in a reply stops the client`(_ number: String) throws {
    let keys = [
      "run", "session", "duration", "planned", "plannedDuration", "progress", "position", "trackDuration", "volume",
    ]
    let numbers = keys.map { #""\#($0)":\#(number)"# }.joined(separator: ",")
    let reply = #"{"ok":true,"status":{"title":"A","state":"crossfading","track":"T",\#(numbers)}}"#
    #expect(
      try ControlAnswer(reply).status?.text == """
        A, crossfading – %
        time    – / –
        track   T, – / –
        volume  – %
        """)
    #expect(throws: ControlError.self) { try ControlAnswer(reply.replacing("}}", with: #","index":1e308}}"#)) }
  }

  @Test func `the status names the outputs that follow`() throws {
    let followers =
      #"[{"output":"snapcast://hall/sit","state":"playing","listeners":3},{"output":"a.wav","state":"lost"}]"#
    let reply =
      #"{"ok":true,"status":{"title":"A","state":"playing","volume":1,"run":1,"session":1,"followers":\#(followers)}}"#
    let text = try #require(try ControlAnswer(reply).status?.text)
    #expect(text.hasSuffix("output  snapcast://hall/sit, playing, 3 listeners\noutput  a.wav, lost"), "\(text)")
  }

  @Test func `what a terminal could execute is escaped in a reply`() throws {
    let reply = "{\"title\":\"A\u{9B}2J\u{202E}\u{E0041}\u{7F}é\"}"
    #expect(ControlClient.escaped(reply) == #"{"title":"A\u009b2J\u202e\udb40\udc41\u007fé"}"#)
  }

  @Test func `the metrics are printed as a table or as JSON`() async throws {
    let scene = try Scene()
    let table = try await scene.ctl("metrics")
    #expect(table.status == 0 && table.out.hasPrefix("Command queue metrics of the running player\n\n"))
    #expect(table.out.contains("\nTotal operations  0\n"))
    let json = try await scene.ctl("metrics", "--json")
    #expect(json.out.hasPrefix(#"{"ok":true,"outcome":"done","metrics":{"depth":0,"#))
    #expect(scene.player.commands == [.metrics(reset: false), .metrics(reset: false)])
    scene.server.stop()
  }

  @Test func `the metrics are printed before they are reset`() async throws {
    var metrics = QueueMetrics()
    metrics.totalOperations = 41
    let scene = try Scene(metrics: metrics)
    let reset = try await scene.ctl("metrics", "--reset")
    #expect(reset.out.contains("\nTotal operations  41\n"))
    #expect(try await scene.ctl("metrics").out.contains("\nTotal operations  0\n"))
    scene.server.stop()
  }

  @Test(arguments: ["events", #"{"do":"events"}"#])
  func `events are printed until the player ends`(words: String) async throws {
    let scene = try Scene()
    let run = try await scene.ctl(words) { [player = scene.player, server = scene.server] running in
      _ = eventually { 0 < player.readers }
      player.send(StampedEvent(run: 1, session: 1, event: .gong(title: "bowl")))
      running.waitUntilItSays("gong")
      player.finish()
      server.stop()
    }
    let event = #"{"v":1,"seq":1,"run":1.000,"session":1.000,"event":"gong","title":"bowl"}"#
    #expect(run.status == 0 && run.out == event + "\n" && run.err.isEmpty)
  }

  @Test func `without a player, ctl says so and exits with 69`() async throws {
    let folder = try Scratch()
    let run = try await Prosper.run(["ctl", "pause"], environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder)
    #expect(run.status == 69)
    let searched = "\(folder.path(""))/prosper, /run/user/\(getuid())/prosper or /tmp/prosper-\(getuid())"
    let words = "no player is running in \(searched); start one with 'prosper play SESSION'"
    #expect(run.err == "prosper: \(words)\n")
  }

  @Test func `with several players, one must be named`() async throws {
    let scene = try Scene()
    let second = try Scene.serve(scene.player, in: scene.folder)
    let run = try await scene.ctl("pause")
    let (one, two) = ("\(getpid())", "\(getpid())-2")
    let words = "\(one) (Morning sit, playing), \(two) (Morning sit, playing)"
    #expect(run.status == 64)
    #expect(run.err == "prosper: several players are running: \(words); name one with --player\n")
    #expect(try await scene.ctl("pause", "--player", two).status == 0)
    #expect(try await scene.ctl("--player", two, "pause").status == 0)
    #expect(try await scene.ctl("pause", "--player=\(two)").status == 0)
    #expect(try await scene.ctl("--player", "0", "pause").status == 69)
    second.stop()
    scene.server.stop()
  }

  private static let volumes = "write a number from 0 to 1, a percentage such as \"80%\", or decibels"

  @Test(arguments: [
    (["seek"], "'seek' has no position; write 'seek 1:30', 'seek +15' or 'seek -15'"),
    (["volume", "2"], "'to' is 2; \(volumes) up to \"0dB\""),
    (["volume", "80"], "'to' is 80; \(volumes) up to \"0dB\""),
    (["volume", "loud"], "'to' is 'loud'; \(volumes) such as \"-6dB\""),
    (
      ["effects", "volume"],
      "'effects volume' has no volume; write 'effects volume 80%', 'effects volume -6dB' or "
        + "'effects volume +3dB'"
    ),
    (["volume", "101%"], "'to' is '101%'; write 0% to 100%, or give a change, such as +10%, as 'by'"),
    (["volume", "+61dB"], "'by' is '+61dB'; write a change of at most 100% or 60dB, such as \"-10%\" or \"+3dB\""),
    (["volume"], "'volume' has no volume; write 'volume 80%', 'volume -6dB' or 'volume +3dB'"),
    (["extend"], "'extend' has no 'by'; write 'extend BY'"),
    (["extend", "soon"], "'by' is 'soon'; write a time such as \"90s\", \"1m30s\" or \"4:30\""),
    (["extend", "-169h"], "'by' is 169:00:00, above the limit of 168 hours; write 168h or less"),
    (["repeat", "bogus"], "'mode' is 'bogus'; use one of 'off', 'track', 'playlist'"),
    ([#"{"do":"nxt"}"#], "there is no command 'nxt'; did you mean 'next'?"),
    (["goto", "Nowhere", "-1s"], "'at' is '-1s'; write a time such as \"90s\", \"1m30s\" or \"4:30\""),
    ([], "missing expected argument '<command>'; see 'prosper ctl --help'"),
    (["--json"], "missing expected argument '<command>'; see 'prosper ctl --help'"),
  ])
  func `an invalid command is wrong usage, whether or not a player runs`(words: [String], problem: String) async throws
  {
    let scene = try Scene()
    let folder = try Scratch()
    for runtime in [scene.folder, folder] {
      let run = try await Prosper.run(["ctl"] + words, environment: ["XDG_RUNTIME_DIR": runtime.path("")], in: folder)
      #expect(run.status == 64 && run.err == "prosper: \(problem)\n" && run.out.isEmpty, "\(run.err)")
    }
    #expect(scene.player.commands.isEmpty)
    scene.server.stop()
  }

  @Test(arguments: [["goto", "Nowhere"], ["gong", "nosuch"], ["overlay", "play", "nosuch.wav"], ["jump", "99"]])
  func `a command that only the player can check is sent to the player`(words: [String]) async throws {
    let scene = try Scene()
    let run = try await Prosper.run(
      ["ctl"] + words, environment: ["XDG_RUNTIME_DIR": scene.folder.path("")], in: scene.folder)
    #expect(run.status == 1 && run.err.hasPrefix("prosper: not understood: {\"do\":\"\(words[0])\","), "\(run.err)")
    scene.server.stop()
  }

  @Test func `an unknown command is rejected before ctl looks for a player`() async throws {
    let folder = try Scratch()
    let run = try await Prosper.run(["ctl", "nxet"], environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder)
    #expect(run.status == 64 && run.err == "prosper: there is no command 'nxet'; did you mean 'next'?\n")
    let help = try await Prosper.run(["ctl", "--help"], in: folder)
    #expect(
      help.status == 0 && help.out.contains("prosper ctl seek +15")
        && help.out.contains("music volume VOLUME [OVER]"))
  }
}
