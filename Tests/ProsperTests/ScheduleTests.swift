import Foundation
import TestSupport
import Testing

@testable import prosper

/// `prosper schedule` with a systemctl that only records its arguments. `systemd-analyze` checks the unit files.
@Suite struct ScheduleTests {
  private typealias Scene = SystemdScene

  @Test func `a session is scheduled with a timer and a service that systemd accepts`() async throws {
    let scene = try Scene()
    let run = try await scene.schedule(
      "add", scene.session, "--at", "19:00", "--at", "6:30", "--days", "mon-fri", "--wake")
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(run.out.hasPrefix("'Morning-sit' plays Sit 5% \\, mon-fri 06:30, 19:00, next on "))
    #expect(run.out.contains("loginctl enable-linger"))
    #expect(scene.units == ["prosper-Morning-sit.service", "prosper-Morning-sit.timer"])
    #expect(try scene.calls == ["show-environment", "daemon-reload", "enable --now prosper-Morning-sit.timer"])
    let timer = try scene.unit("Morning-sit.timer")
    for line in ["OnCalendar=Mon..Fri *-*-* 06:30:00", "OnCalendar=Mon..Fri *-*-* 19:00:00", "WakeSystem=true"] {
      #expect(timer.split(separator: "\n").contains { $0 == line }, "\(line)")
    }
    let verified = try output(
      of: "systemd-analyze",
      ["--user", "verify"] + scene.units.map { scene.folder.path(".config/systemd/user/\($0)") },
      environment: ["HOME": scene.folder.path(""), "XDG_RUNTIME_DIR": scene.folder.path("")], mustSucceed: true)
    #expect(verified.isEmpty, "\(verified)")
  }

  @Test func `words of a command line are escaped for systemd`() {
    #expect(UnitProgram.word("plain") == "\"plain\"")
    #expect(UnitProgram.word("a b") == "\"a b\"")
    #expect(UnitProgram.word("100%n") == "\"100%%n\"")
    #expect(UnitProgram.word("\"q\" \\") == "\"\\\"q\\\" \\\\\"")
    #expect(UnitProgram.word("$HOME ; 'é") == "\"$HOME ; 'é\"")
    #expect(UnitProgram.word("a\nb\tc") == "\"a\\nb\\x09c\"")
  }

  @Test func `the service plays the session with its options, and may be stopped without failing`() async throws {
    let scene = try Scene()
    let run = try await scene.schedule(
      "add", scene.session, "--at", "06:30", "--name", "early", "--volume", "-6dB", "--", "--stage", "One")
    #expect(run.status == 0, "\(run.err)")
    let service = try scene.unit("early.service").split(separator: "\n")
    let program = "\":\(Prosper.executable.path)\""
    let options = "\"--events\" \"text\" \"--wait-for-server\" \"2m\" \"--volume\" \"-6dB\" \"--stage\" \"One\""
    #expect(service.contains { $0 == "ExecStart=\(program) \"play\" \(UnitProgram.word(scene.session)) \(options)" })
    #expect(service.contains { $0 == "ExecCondition=\(program) \"schedule\" \"due\" \"early\"" })
    #expect(service.contains("SuccessExitStatus=143"))
  }

  @Test func `timers are listed and removed`() async throws {
    let scene = try Scene(systemctl: "[ \"$4\" = is-active ] && echo active\nexit 0")
    for name in ["b", "a"] {
      #expect(try await scene.schedule("add", scene.session, "--at", "06:30", "--name", name).status == 0)
    }
    _ = try scene.folder.write(".config/systemd/user/prosper-other.timer", "[Timer]\nOnCalendar=daily\n")
    let one = try await scene.schedule("remove", "a")
    #expect(one.status == 0 && one.out == "removed a\n", "\(one.err)")
    let list = try await scene.schedule("list", "--json")
    #expect(list.status == 0 && list.lines.count == 1)
    let line = try #require(try list.events().first)
    #expect(line["name"] as? String == "b" && line["session"] as? String == scene.session)
    #expect(line["active"] as? Bool == true && line["at"] as? [String] == ["06:30"])
    let next = try await scene.schedule("next")
    #expect(next.out.hasPrefix("b  daily 06:30  (next ") && next.lines.count == 1)
    #expect(try await scene.schedule("remove", scene.session).status == 0)
    #expect(scene.units == ["prosper-other.timer"])
    #expect(
      try scene.calls.filter { $0.hasPrefix("disable") } == [
        "disable --now prosper-a.timer", "disable --now prosper-b.timer",
      ])
  }

  @Test func `a session gets a second timer for other times, but not for the same times`() async throws {
    let scene = try Scene()
    for (at, out) in [("06:30", "'Morning-sit' "), ("08:00", "'Morning-sit-2' "), ("8:00", "nothing to do: ")] {
      let run = try await scene.schedule("add", scene.session, "--at", at)
      #expect(run.status == 0 && run.out.hasPrefix(out), "\(run.out) \(run.err)")
    }
    #expect(scene.units.count == 4)
    let taken = try await scene.schedule("add", scene.session, "--at", "9:00", "--name", "Morning-sit")
    #expect(taken.status == 64 && taken.err.contains("--force"))
    #expect(
      try await scene.schedule("add", scene.session, "--at", "9:00", "--name", "Morning-sit", "--force").status == 0)
    #expect(try scene.unit("Morning-sit.timer").contains("*-*-* 09:00:00"))
  }

  @Test func `the name of the service of serve stays free`() async throws {
    let scene = try Scene()
    let session = try scene.folder.write(
      "serve.yaml", "{prosper: 1, title: A, stages: [{name: B, duration: 1m, tracks: ['generate:rain']}]}")
    for words in [[], ["--force"]] {
      let run = try await scene.schedule(["add", session, "--at", "6:30"] + words)
      #expect(run.status == 0 && run.out.hasPrefix("'serve-2' plays "), "\(run.out) \(run.err)")
    }
    let named = try await scene.schedule("add", session, "--at", "6:30", "--name", "serve", "--force")
    #expect(named.status == 64 && named.err.contains("choose another one"))
  }

  @Test(arguments: [
    (["--at", "25:00"], "--at '25:00' is not a time of day; write it like 06:30"),
    (
      ["--at", "6:30", "--days", "never"],
      "--days 'never' is not a list of days; write it like mon-fri, sat,sun, daily or 2026-12-05"
    ),
    (["--at", "6:30", "--grace", "5s"], "--grace '5s' is not a duration from 1m to 24h; write it like 10m"),
    (["--at", "6:30", "--name", "a b"], "--name 'a b' can't be the name of a timer; use up to 100 letters, digits"),
    (["--at", "6:30", "--", "--stage", "Two"], "there is no stage 'Two'; use one of 'One'"),
    (["--at", "6:30", "--volume", "3"], "--volume '3' is not a master volume"),
    (["--at", "6:30", "--", "--nonsense"], "unknown option '--nonsense'"),
    (
      ["--at", "6:30", "--duration", "5m"],
      "unknown option '--duration'; options of 'prosper play' and 'prosper sit' come after --\n"
    ),
    (["--at", "6:30", "--", "--lead-in", "2m"], "--lead-in '2m' is not a duration up to 60 s"),
    (["--at", "6:30", "--", "--metrics-every", "x"], "--metrics-every 'x' is not a duration"),
    (["--at", "6:30", "--", "--duration", "x"], "--duration 'x' is not a length of time"),
    (["--at", "6:30", "--output", "speakers"], "speakers: its name must end in .wav"),
    (["--at", "6:30", "--wait-for-server", "x"], "the value 'x' is invalid for '--wait-for-server <duration>'"),
    ([], "a time of day is missing; add --at, such as --at 06:30"),
    (["--at", "6:30", "--days", "2026-02-30"], "--days '2026-02-30' is not a list of days"),
    (["--at", "6:30", "--days", "2020-03-01"], "--days '2020-03-01' is over; write the date of today or a later one"),
  ])
  func `a mistake is wrong usage, and nothing is written`(words: [String], problem: String) async throws {
    let scene = try Scene()
    let run = try await Prosper.run(["schedule", "add", scene.session] + words, in: scene.folder)
    #expect(run.status == 64 && run.err.hasPrefix("prosper: \(problem)"), "\(run.err)")
    #expect(run.err.split(separator: "\n").count == 1 && scene.units.isEmpty)
  }

  @Test func `a session that can't be played is not scheduled`() async throws {
    let scene = try Scene()
    #expect(try await scene.schedule("add", scene.folder.path("none.yaml"), "--at", "6:30").status == 66)
    let bad = try scene.folder.write("bad.yaml", "prosper: 2")
    #expect(try await scene.schedule("add", bad, "--at", "6:30").status == 65)
    #expect(scene.units.isEmpty)
  }

  @Test func `missing systemd is reported, with another scheduler to use`() async throws {
    let scene = try Scene()
    let run = try await scene.schedule("add", scene.session, "--at", "6:30", path: "/nowhere")
    let line =
      #/cron with the line '30 6 \* \* \* cd .+ XDG_RUNTIME_DIR=/run/user/(.+) (/.+) play '(.+)' --events text .+ 2m'/#
    let words = try #require(run.err.firstMatch(of: line)?.output)
    #expect(words.1 == "\(getuid())" && FileManager.default.isExecutableFile(atPath: String(words.2)))
    #expect(words.3 == scene.session.replacing("'", with: "'\\''").replacing("%", with: "\\%"))
    #expect(run.status == 69)
    #expect(run.err.hasPrefix("prosper: this needs systemd, but there is no systemctl; use another "))
    #expect(scene.units.isEmpty)
    let silent = try Scene(systemctl: "echo 'Failed to connect to bus: No medium found' >&2; exit 1")
    let other = try await silent.schedule("add", silent.session, "--at", "6:30")
    #expect(other.status == 69 && silent.units.isEmpty)
    #expect(other.err.hasPrefix("prosper: systemd does not answer (Failed to connect to bus: No medium found); "))
  }

  @Test func `the lines for cron have the times, the days and the options`() async throws {
    let scene = try Scene()
    let run = try await scene.schedule(
      "add", "sit", "25m", "--at", "6:30", "--at", "19:05", "--days", "mon-wed,sat", "--volume", "50%", "--", "--bell",
      "gong",
      path: "/nowhere")
    #expect(run.status == 69)
    let words = "sit 25m --events text --wait-for-server 2m --volume 50\\% --bell gong'"
    for time in ["30 6", "5 19"] { #expect(run.err.contains("'\(time) * * 1-3,6 cd "), "\(run.err)") }
    #expect(run.err.components(separatedBy: words).count == 3, "\(run.err)")
  }

  @Test func `a sit is scheduled without a file`() async throws {
    let scene = try Scene()
    let run = try await scene.schedule("add", "sit", "25m", "--at", "6:30", "--name", "dawn", "--", "--every", "5m")
    #expect(run.status == 0 && run.out.hasPrefix("'dawn' plays "), "\(run.err)")
    let words = #""sit" "25m" "--events" "text" "--wait-for-server" "2m" "--every" "5m""#
    #expect(try scene.unit("dawn.service").contains(words))
    #expect(try scene.unit("dawn.timer").contains(#""session":"sit 25m""#))
    #expect(try await scene.schedule("list").out.contains("sit 25m"))
    for (words, problem) in [
      (["sit"], "a sit needs its length"), (["sit", "25"], "the duration '25' has no unit"),
      (["sit", "25m", "--", "--every", "1h"], "the interval of the bells, 1:00:00, must be shorter"),
      ([scene.session, "25m"], "'25m' is one argument too many"),
    ] {
      let refused = try await scene.schedule(["add", "--at", "7:00"] + words)
      #expect(refused.status == 64 && refused.err.contains(problem), "\(refused.err)")
    }
  }

  @Test func `a timer that systemd refuses is removed`() async throws {
    let scene = try Scene(systemctl: "[ \"$4\" = enable ] && { echo 'Job failed.' >&2; exit 1; }; exit 0")
    let run = try await scene.schedule("add", scene.session, "--at", "6:30", "--wake")
    #expect(run.status == 69 && run.err.hasPrefix("prosper: systemd refuses the request (Job failed.)"), "\(run.err)")
    #expect(run.err.contains("--wake") && scene.units.isEmpty)
  }

  @Test func `a timer that can't be replaced stays as it was`() async throws {
    let refusal = "[ \"$4\" = enable ] && [ -e \"$HOME/refuse\" ] && { echo 'Job failed.' >&2; exit 1; }; exit 0"
    let scene = try Scene(systemctl: refusal)
    #expect(try await scene.schedule("add", scene.session, "--at", "6:30", "--name", "x").status == 0)
    let before = try (scene.unit("x.timer"), scene.unit("x.service"))
    _ = try scene.folder.write("refuse", "")
    let run = try await scene.schedule(
      "add", scene.session, "--at", "9:00", "--volume", "0.5", "--name", "x", "--force", "--wake")
    #expect(run.status == 69 && run.err.hasPrefix("prosper: systemd refuses the request (Job failed.)"), "\(run.err)")
    #expect(try (scene.unit("x.timer"), scene.unit("x.service")) == before)
    #expect(try scene.calls.suffix(2) == ["daemon-reload", "reset-failed prosper-x.timer"])
  }

  @Test func `the options of play are passed on, and nothing is written for a script that is missing`() async throws {
    let scene = try Scene()
    let options = [
      "--duration", "2m", "--lead-in", "3s", "--no-mpris", "--notify", "--do-not-disturb", "--from", "-30s", "--jobs",
      "2", "--bitrate", "96k",
    ]
    let words = ["schedule", "add", scene.session, "--at", "6:30", "--dry-run", "-o", "a.mp3", "--"] + options
    let run = try await Prosper.run(words, in: scene.folder)
    #expect(run.status == 0, "\(run.err)")
    #expect(run.out.contains(options.map { "\"\($0)\"" }.joined(separator: " ") + "\n"))
    let missing = try await scene.schedule("add", scene.session, "--at", "6:30", "--", "--script", "none.jsonl")
    #expect(missing.status == 66 && scene.units.isEmpty, "\(missing.err)")
  }

  @Test func `a session does not play when its timer elapses hours too late, but does when started manually`()
    async throws
  {
    let fired = "[ \"$4\" = show ] && date '+LastTriggerUSec=%a %Y-%m-%d %H:%M:%S UTC'; exit 0"
    let twoHoursAgo = try output(of: "date", ["-d", "-2 hours", "+%H:%M"], environment: [:]).prefix(5)
    for (systemctl, at, status) in [(fired, twoHoursAgo, 1), ("echo LastTriggerUSec=", twoHoursAgo, 0)]
      as [(String, Substring, Int32)]
    {
      let scene = try Scene(systemctl: systemctl)
      #expect(try await scene.schedule("add", scene.session, "--at", String(at), "--name", "x").status == 0)
      let due = try await scene.schedule("due", "x")
      #expect(due.status == status, "\(due.err)")
      #expect(due.err.isEmpty == (status == 0) && (status == 0 || due.err.contains("was due 12")))
    }
    let scene = try Scene(systemctl: fired)
    _ = try await scene.schedule("add", scene.session, "--at", String(twoHoursAgo), "--name", "x", "--grace", "3h")
    #expect(try await scene.schedule("due", "x").status == 0)
  }

  @Test func `a dry run prints both files and writes none`() async throws {
    let scene = try Scene()
    let run = try await scene.schedule("add", scene.session, "--at", "6:30", "--dry-run")
    #expect(run.status == 0 && run.out.contains("[Timer]") && run.out.contains("[Service]"))
    #expect(scene.units.isEmpty && !FileManager.default.fileExists(atPath: scene.folder.path("calls")))
  }
}

extension SystemdScene {
  func schedule(_ words: String..., path: String? = nil) async throws -> Prosper {
    try await schedule(words, path: path)
  }

  func schedule(_ words: [String], path: String? = nil) async throws -> Prosper {
    try await run(["schedule"] + words, path: path)
  }
}
