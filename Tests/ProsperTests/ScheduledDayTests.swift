import Foundation
import TestSupport
import Testing

@testable import prosper

/// `prosper schedule add` with the file of a day, with a systemctl that only records its arguments.
@Suite struct ScheduledDayTests {
  private static let day = """
    prosper: 1
    title: Day of silence
    days: sat,sun
    times:
      06:30: zazen.yaml
      "07:30": {session: zazen.yaml, set: {minutes: 20m, place: hall}, volume: -6dB}
      "12:00": {sit: 25m, days: "2096-02-29"}
      "18:00": three-stages

    """

  private let scene: SystemdScene
  private let path: String

  init() throws {
    scene = try SystemdScene(systemctl: "[ \"$4\" = enable ] && [ -e \"$HOME/refuse\" ] && exit 1; exit 0")
    path = try scene.folder.write("retreat.yaml", Self.day)
    _ = try scene.folder.write(
      "zazen.yaml",
      """
      prosper: 1
      title: Zazen
      parameters: {minutes: 40m, place: home}
      stages: [{name: "At ${place}", duration: "${minutes}", tracks: ['generate:rain']}]
      """)
  }

  private func write(_ text: String) throws { _ = try scene.folder.write("retreat.yaml", text) }

  private var unitTexts: [String: String] {
    get throws {
      try Dictionary(
        uniqueKeysWithValues: scene.units.map { ($0, try scene.unit(String($0.trimmingPrefix("prosper-")))) })
    }
  }

  @Test func `each session of a day gets a timer that systemd accepts`() async throws {
    let run = try await scene.schedule("add", path, "--volume", "50%")
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(run.out.hasPrefix("'retreat' plays Day of silence: 4 sessions\n  retreat-0630  sat,sun 06:30  (next S"))
    let names = ["0630", "0730", "1200", "1800"].map { "prosper-retreat-\($0)" }
    #expect(scene.units == names.flatMap { ["\($0).service", "\($0).timer"] })
    let timers = names.map { "\($0).timer" }.joined(separator: " ")
    #expect(try scene.calls == ["show-environment", "daemon-reload", "enable --now \(timers)"])
    for (name, calendar, command) in [
      (
        "0630", "Sat,Sun *-*-* 06:30:00",
        #""play" "\#(scene.folder.path("zazen.yaml"))" "--events" "text" "--wait-for-"#
      ),
      (
        "0730", "Sat,Sun *-*-* 07:30:00",
        #""--volume" "50%%" "--volume" "-6dB" "--set" "minutes=20m" "--set" "place=hall""#
      ),
      ("1200", "2096-02-29 12:00:00", #""sit" "25m""#), ("1800", "Sat,Sun *-*-* 18:00:00", "/three-stages."),
    ] {
      #expect(try scene.unit("retreat-\(name).timer").contains("\nOnCalendar=\(calendar)\n"), "\(name)")
      #expect(try scene.unit("retreat-\(name).service").contains(command), "\(name)")
    }
    let verified = try output(
      of: "systemd-analyze",
      ["--user", "verify"] + scene.units.map { scene.folder.path(".config/systemd/user/\($0)") },
      environment: ["HOME": scene.folder.path(""), "XDG_RUNTIME_DIR": scene.folder.path("")], mustSucceed: true)
    #expect(verified.isEmpty, "\(verified)")
  }

  @Test func `the sessions of a day are the same on each of its days, also when the clock changes`() throws {
    let times = CalendarTimes(
      try ["06:30", "18:00"].map { try #require(TimeOfDay(argument: $0)) }, on: .weekly(.daily))
    var (moment, clocks) = (CalendarTimes.now, [String]())
    // A year contains both changes of the clock, in whatever zone the test runs.
    for _ in 0..<732 {
      moment = try #require(times.next(after: moment))
      clocks.append(String(calendarText(moment).suffix(5)))
    }
    #expect(Set(clocks) == ["06:30", "18:00"])
    #expect(zip(clocks, clocks.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test func `other timers stay as they are, and a conflict with them is told`() async throws {
    let daily = try await scene.schedule("add", scene.folder.path("zazen.yaml"), "--at", "18:01", "--name", "evening")
    #expect(daily.status == 0 && daily.err.isEmpty)
    let before = try unitTexts
    try write("{prosper: 1, title: A, times: {'18:00': zazen.yaml, '21:00': zazen.yaml}}")
    let run = try await scene.schedule("add", path, "--days", "2096-02-29")
    #expect(run.status == 0, "\(run.err)")
    #expect(
      run.err == """
        prosper: warning: 'Zazen' and 'Zazen' of the timer 'evening' play at the same time, on Wed 2096-02-29 18:00 and \
        18:01; remove one of them, or change its time

        """)
    #expect(try unitTexts.filter { $0.key.contains("evening") } == before)
    #expect(try await scene.schedule("remove", path).out == "removed retreat-1800\nremoved retreat-2100\n")
    #expect(try unitTexts == before)
    let elsewhere = try await scene.schedule("add", path, "--output", "null")
    #expect(elsewhere.status == 0 && elsewhere.err.isEmpty, "\(elsewhere.err)")
  }

  @Test func `sessions of a day that would play at once are told at their places, and nothing is written`() async throws
  {
    try write(Self.day.replacing("\"07:30\"", with: "\"07:09\""))
    let run = try await scene.schedule("add", path)
    #expect(run.status == 65 && scene.units.isEmpty)
    #expect(
      run.err == """
        \(path):6:3: error: 'Zazen' begins while 'Zazen' of 06:30 plays until 07:10; begin it later, or give the other \
        one a shorter 'duration'

        """)
    // Beside the end of the one before, on other days, and through midnight.
    try write("{prosper: 1, title: A, times: {'06:30': zazen.yaml, '07:10': zazen.yaml}}")
    #expect(try await scene.schedule("add", path, "--dry-run").status == 0)
    try write("{prosper: 1, title: A, times: {'0:10': {session: zazen.yaml, days: mon}, '23:40': zazen.yaml}}")
    let night = try await scene.schedule("add", path, "--days", "sat,sun")
    #expect(
      night.status == 65 && night.err.contains(":1:32: error: 'Zazen' begins while 'Zazen' of 23:40 plays until 00:20"))
    try write(
      """
      prosper: 1
      title: A
      times:
        '0:10': {session: zazen.yaml, days: mon}
        '23:40': {session: zazen.yaml, days: mon}
      """)
    #expect(try await scene.schedule("add", path, "--dry-run").status == 0)
  }

  @Test(arguments: [
    ("'25:00': zazen.yaml", "4:3: error: '25:00' is not a time of day; write it like 06:30", 65 as Int32),
    ("'6:00': {sesion: zazen.yaml}", "4:12: error: unknown key 'sesion'; did you mean 'session'?", 65),
    ("'6:00': {sit: 20m, session: a}", "4:11: error: there is both 'session' and 'sit'; give one of them", 65),
    ("'6:00': {sit: 20m, set: {a: 1}}", "4:22: error: 'set' is for sessions, but this is a sit; remove it", 65),
    ("'6:00': {volume: 1}", "4:11: error: there is neither 'session' nor 'sit'; give one of them", 65),
    ("'6:00': {sit: 20}", "4:3: error: the duration '20' has no unit", 65),
    ("'6:00': {session: zazen.yaml, days: noon}", "4:39: error: 'days' is 'noon'; write it like mon-fri", 65),
    ("'6:00': [zazen.yaml]", "4:11: error: '6:00' is a list; write text", 65),
    ("'6:00': {session: zazen.yaml, set: {minuts: 1m}}", "4:3: error: the session at 06:00 can't be played; see", 65),
    ("'6:00': {session: zazen.yaml, duration: x}", "4:3: error: --duration 'x' is not a length of time", 65),
    ("'6:00': none.yaml", "4:3: error: the session at 06:00 can't be played; see above", 66),
  ])
  func `mistakes in a day are told at their places`(entry: String, problem: String, status: Int32) async throws {
    try write("prosper: 1\ntitle: A\ntimes:\n  \(entry)\n")
    let run = try await scene.schedule("add", path)
    #expect(run.status == status && run.err.contains("\(path):\(problem)"), "\(run.err)")
    #expect(scene.units.isEmpty)
  }

  @Test func `a day that has changed is replaced as a whole, or stays as it was`() async throws {
    #expect(try await scene.schedule("add", path).status == 0)
    #expect(try await scene.schedule("add", path).out == "nothing to do: 'retreat' already plays this day\n")
    let before = try unitTexts
    try write(Self.day.replacing("\"07:30\"", with: "\"08:00\"").replacing("  \"18:00\": three-stages\n", with: ""))
    let refused = try await scene.schedule("add", path)
    #expect(refused.status == 64 && refused.err.contains("replace it with --force"), "\(refused.err)")
    _ = try scene.folder.write("refuse", "")
    #expect(try await scene.schedule("add", path, "--force").status == 69)
    #expect(try unitTexts == before)
    try FileManager.default.removeItem(atPath: scene.folder.path("refuse"))
    #expect(try await scene.schedule("add", path, "--force").status == 0)
    #expect(
      scene.units.filter { $0.hasSuffix(".timer") } == ["0630", "0800", "1200"].map { "prosper-retreat-\($0).timer" })
    let json = try await scene.schedule("list", "--json")
    #expect(try json.events().map { $0["day"] as? String } == [path, path, path])
    #expect(try await scene.schedule("remove", "retreat").status == 0 && scene.units.isEmpty)
  }

  @Test func `a day has a name of its own, and dates that are not over`() async throws {
    #expect(try await scene.schedule("add", path).status == 0)
    let other = scene.folder.path("other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    _ = try scene.folder.write("other/retreat.yaml", "{prosper: 1, title: B, times: {'21:00': ../zazen.yaml}}")
    let second = try await scene.schedule("add", scene.folder.path("other/retreat.yaml"))
    #expect(second.status == 64 && second.err.contains("the day \(path) has the name 'retreat'"), "\(second.err)")
    let timer = try await scene.schedule(
      "add", scene.folder.path("zazen.yaml"), "--at", "3:00", "--name", "retreat", "--force")
    #expect(timer.status == 64 && timer.err.contains("a day has the name 'retreat'"), "\(timer.err)")
    try write("{prosper: 1, title: A, days: 2020-02-29, times: {'6:00': zazen.yaml}}")
    let over = try await scene.schedule("add", path, "--force")
    #expect(over.status == 65 && over.err.contains(":1:50: error: 2020-02-29 06:00 is over; write"), "\(over.err)")
  }

  @Test func `a session that begins again while it plays is told`() async throws {
    let run = try await scene.schedule(
      "add", scene.folder.path("zazen.yaml"), "--at", "6:30", "--at", "7:09", "--days", "2096-02-29")
    #expect(
      run.status == 0 && run.err.hasPrefix("prosper: warning: 'Zazen' of Wed 2096-02-29 06:30 still plays at 07:09"))
    let apart = try await scene.schedule("add", scene.folder.path("zazen.yaml"), "--at", "8:00", "--at", "8:40")
    #expect(apart.status == 0 && apart.err.isEmpty, "\(apart.err)")
  }

  @Test func `times of today that are over are refused`() async throws {
    let session = scene.folder.path("zazen.yaml")
    // The first second of today is over, except within that second.
    let today = try output(of: "date", ["+%Y-%m-%d"], environment: [:]).prefix(10)
    let run = try await scene.schedule("add", session, "--at", "00:00", "--days", String(today))
    #expect(
      run.status == 64 && run.err.contains("\(today) 00:00 is over, or skipped"), "\(run.err)")
    #expect(scene.units.isEmpty)
    let spaced = try await scene.schedule(
      "add", session, "--at", "6:30", "--days", "2096-02-29, 2097-01-01", "--dry-run")
    #expect(spaced.out.contains("OnCalendar=2097-01-01 06:30:00"), "\(spaced.err)")
  }

  @Test func `values for parameters go to the sessions that have them`() async throws {
    let run = try await scene.schedule("add", path, "--set", "minutes=30m", "--dry-run")
    #expect(run.status == 0, "\(run.err)")
    let commands = run.lines.filter { $0.hasPrefix("ExecStart=") }
    // The value of an entry comes after the one for all.
    #expect(commands.map { $0.contains(#""--set" "minutes=30m""#) } == [true, true, false, false], "\(commands)")
    #expect(commands[1].contains(#""minutes=30m" "--volume" "-6dB" "--set" "minutes=20m""#))
    let unknown = try await scene.schedule("add", path, "--set", "minuts=30m")
    #expect(unknown.status == 64 && unknown.err.contains("no session has a parameter 'minuts'"), "\(unknown.err)")
  }

  @Test func `a day is no session`() async throws {
    let played = try await scene.run(["play", path])
    let problem = ":1:1: error: this file states at which times of a day sessions play, and is no session"
    #expect(played.status == 65 && played.err.contains(path + problem), "\(played.err)")
    let checked = try await scene.run(["check", scene.folder.path("")])
    #expect(!checked.out.contains("retreat.yaml"), "\(checked.out)")
  }

  @Test func `the day of the article can be scheduled`() async throws {
    let article = try String(
      contentsOf: Prosper.root.appending(path: "Sources/ProsperKit/ProsperKit.docc/Unattended.md"), encoding: .utf8)
    try write(String(try #require(article.firstMatch(of: /```yaml\n((?s:.)*?)```/)?.1)))
    let run = try await scene.schedule("add", path)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(scene.units.filter { $0.hasSuffix(".timer") }.count == 4)
  }
}
