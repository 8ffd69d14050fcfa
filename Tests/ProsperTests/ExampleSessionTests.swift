import Foundation
import TestSupport
import Testing

/// The sessions that come with prosper, checked, shown, and rendered to their end.
@Suite struct ExampleSessionTests {
  static let names = ["first-sit.yaml", "three-stages.json", "zazen.json", "body-scan.yaml", "sleep.yaml"]

  @Test(arguments: names)
  func `check reports nothing for an example session`(name: String) async throws {
    let run = try await Prosper.run(["check", path(name)])
    #expect(run.status == 0 && run.out.isEmpty && run.err.isEmpty, "\(run.out)")
  }

  /// The planned cues are the commands that `show` compiles. Each is reported at its time.
  @Test(arguments: names)
  func `an example session plays its planned cues and completes`(name: String) async throws {
    let shown = try await Prosper.run(["show", path(name), "--commands"])
    #expect(shown.status == 0)
    let played = try await Prosper.run(["play", path(name), "-o", "null:fast"])
    #expect(played.status == 0 && played.err.isEmpty)
    let commands = try shown.events()
    let events = try played.events()
    let times = { (lines: [[String: Any]], key: String, value: String, time: String) in
      lines.filter { $0[key] as? String == value }.compactMap { $0[time] as? Double }
    }
    #expect(times(events, "event", "gong", "session") == times(commands, "do", "gong", "at"))
    #expect(times(events, "event", "overlay.started", "session") == times(commands, "do", "overlay", "at"))
    #expect(times(events, "event", "stage.started", "session") == times(commands, "do", "goto", "at"))
    #expect(events.last?["reason"] as? String == "completed" && events.last?["damaged"] as? Int == 0)
    #expect(events.indices.allSatisfy { events[$0]["seq"] as? Int == $0 + 1 })
  }

  /// `scripts/pictures` draws the picture.
  @Test func `the picture in the documentation is what show draws`() async throws {
    let scratch = try Scratch()
    let drawn = scratch.path("timeline.svg")
    let run = try await Prosper.run(["show", path("body-scan.yaml"), "--svg", drawn], in: scratch)
    #expect(run.status == 0)
    let picture = Prosper.root.appendingPathComponent("Sources/ProsperKit/ProsperKit.docc/Resources/timeline.svg")
    let (new, old) = (try Data(contentsOf: URL(fileURLWithPath: drawn)), try Data(contentsOf: picture))
    #expect(new == old, "the picture is outdated; run scripts/pictures")
    for other in ["--json", "--commands"] {
      let both = try await Prosper.run(["show", path("body-scan.yaml"), "--svg", "-", other], in: scratch)
      #expect(both.status == 64 && both.out.isEmpty && both.err.contains("--svg can't be combined with"))
    }
    let printed = try await Prosper.run(["show", path("body-scan.yaml"), "--svg", "-"], in: scratch)
    #expect(printed.status == 0 && Data(printed.out.utf8) == new)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("-")))
    let piped = try await Prosper.run(
      ["show", path("body-scan.yaml"), "--svg", "/dev/stdout"], in: scratch,
      program: ["/bin/sh", "-c", #""$0" "$@" | cat"#, Prosper.executable.path])
    #expect(piped.status == 0 && piped.err.isEmpty && Data(piped.out.utf8) == new)
  }

  private func path(_ name: String) -> String { Prosper.root.appendingPathComponent("sessions/\(name)").path }
}
