import Foundation
import TestSupport
import Testing

@testable import prosper

/// `prosper serve --install` and `--uninstall` with a systemctl that only records its arguments. `systemd-analyze` checks
/// the unit file.
@Suite struct ServeServiceTests {
  private static let unit = "prosper-serve.service"

  private static func sessions(in scene: SystemdScene, _ name: String) throws -> String {
    let path = scene.folder.path(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  @Test func `the service is one that systemd accepts, and starts again with other options`() async throws {
    let scene = try SystemdScene()
    let odd = try Self.sessions(in: scene, "a $HOME 100%n \"q\" \\ 'é")
    let run = try await scene.run(["serve", odd, "--install"])
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(run.out.contains("wrote \(scene.folder.path(".config/systemd/user/\(Self.unit)"))\n"))
    #expect(run.out.contains("it runs only while you are logged in; to change that, run: loginctl enable-linger\n"))
    #expect(run.out.hasSuffix("run: journalctl --user-unit prosper-serve -o cat\n"))
    #expect(scene.units == [Self.unit])
    let commands = ["show-environment", "daemon-reload", "enable \(Self.unit)", "restart \(Self.unit)"]
    #expect(try scene.calls == commands[...].map { $0[...] })
    let service = try scene.unit("serve.service")
    let program = "\":\(Prosper.executable.path)\""
    for line in [
      "ExecStart=\(program) \"serve\" \"--events\" \"text\" \(UnitProgram.word(odd))", "Restart=on-failure",
      "WantedBy=default.target",
    ] {
      #expect(service.split(separator: "\n").contains { $0 == line }, "\(line)")
    }
    let verified = try output(
      of: "systemd-analyze", ["--user", "verify", scene.folder.path(".config/systemd/user/\(Self.unit)")],
      environment: ["HOME": scene.folder.path(""), "XDG_RUNTIME_DIR": scene.folder.path("")], mustSucceed: true)
    #expect(verified.isEmpty, "\(verified)")
    #expect(try await scene.run(["serve", "--install", "--view"]).status == 0)
    #expect(try scene.unit("serve.service").contains("\"text\" \"--view\"\n"))
    #expect(try scene.calls.suffix(4) == commands[...].map { $0[...] })
  }

  @Test func `all options are those of the service, and folders have absolute paths`() async throws {
    let scene = try SystemdScene(loginctl: "echo yes")
    let (mine, null) = (try Self.sessions(in: scene, "mine"), try Self.sessions(in: scene, "null"))
    let run = try await scene.run([
      "serve", "-o", "null", "mine/../mine", "--install", "--listen", "7100", "--view", "null", "--no-mpris",
      "--wait-for-server", "2m", "--new-links", "--on", "gong=./light.sh 5%",
    ])
    #expect(run.status == 0 && run.out.contains("it runs even if you are not logged in\n"), "\(run.err)")
    let words = [
      "-o", "null", mine, "--listen", "7100", "--view", null, "--no-mpris", "--wait-for-server", "2m", "--on",
      "gong=./light.sh 5%",
    ]
    let service = try scene.unit("serve.service")
    #expect(service.contains("\"text\" \(words.map(UnitProgram.word).joined(separator: " "))\n"), "\(service)")
    #expect(service.contains("WorkingDirectory=-\(scene.folder.path(""))"))
  }

  @Test func `new links are made once, and not at each start of the service`() async throws {
    let scene = try SystemdScene()
    let links = { try? String(contentsOfFile: scene.folder.path(".local/state/prosper/page-links"), encoding: .utf8) }
    #expect(try await scene.run(["serve", "--install", "--new-links"]).status == 0)
    let first = try #require(links())
    #expect(try await scene.run(["serve", "--install"]).status == 0)
    #expect(links() == first)
    #expect(try await scene.run(["serve", "--install", "--new-links"]).status == 0)
    #expect(links() != first)
  }

  @Test func `the service is stopped and removed, and its timers stay`() async throws {
    let scene = try SystemdScene()
    #expect(try await scene.run(["serve", "--install"]).status == 0)
    #expect(try await scene.run(["schedule", "add", scene.session, "--at", "6:30"]).status == 0)
    #expect(try await scene.run(["schedule", "list"]).lines.count == 1)
    let run = try await scene.run(["serve", "--uninstall"])
    #expect(run.status == 0 && run.out == "removed prosper-serve\n", "\(run.err)")
    #expect(try scene.calls.suffix(2) == ["disable --now \(Self.unit)", "daemon-reload"])
    #expect(scene.units == ["prosper-Morning-sit.service", "prosper-Morning-sit.timer"])
    let again = try await scene.run(["serve", "--uninstall"])
    #expect(again.status == 0 && again.out == "nothing to do: the service is not installed\n")
  }

  @Test func `missing systemd is reported with the line for cron, and a refused service is removed`() async throws {
    let scene = try SystemdScene()
    let run = try await scene.run(["serve", "--install", "--view"], path: "/nowhere")
    #expect(run.status == 69 && scene.units.isEmpty)
    #expect(run.err.hasPrefix("prosper: this needs systemd, but there is no systemctl; use another scheduler, such as"))
    #expect(run.err.firstMatch(of: #/'@reboot cd .+ /.+ serve --events text --view'/#) != nil, "\(run.err)")
    let refusing = try SystemdScene(
      systemctl: "[ \"$4\" = restart ] && { echo 'Job failed.' >&2; exit 1; }; exit 0")
    let refused = try await refusing.run(["serve", "--install"])
    #expect(refused.status == 69 && refused.err == "prosper: systemd refuses the request (Job failed.)\n")
    #expect(refusing.units.isEmpty)
  }

  @Test(arguments: [
    (["nowhere", "--install"], "nowhere: there is no such folder"), (["--install", "-o", "a.wav"], "serve plays live"),
    (["--install", "--uninstall"], "--uninstall removes the service"), (["--install", "--on", "x"], "--on 'x'"),
    (["mine", "--uninstall"], "--uninstall removes the service"),
  ])
  func `a mistake is wrong usage, and nothing is written`(words: [String], problem: String) async throws {
    let scene = try SystemdScene()
    let run = try await scene.run(["serve"] + words)
    #expect(run.status == 64 && run.err.hasPrefix("prosper: \(problem)"), "\(run.err)")
    #expect(run.err.split(separator: "\n").count == 1 && scene.units.isEmpty)
  }
}
