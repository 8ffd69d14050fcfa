import Foundation
import TestSupport
import Testing

/// `prosper log`, `log note` and `log import`.
@Suite struct LogCommandTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.path("state/prosper"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private static let lines = #"""
    start,duration,planned,session,reason,note
    2026-10-31T22:00:00+01:00,1200.000,1200.000,Evening,completed,
    2026-11-01T06:30:00+01:00,1500.000,1500.000,"Rain, ""bells""",completed,"calm, clear"
    2026-11-02T06:30:00+01:00,61.500,,Open,stopped,
    2027-01-01T06:30:00+01:00,3600.000,7200.000,New year,outputFailed,

    """#

  private var path: String { scratch.path("state/prosper/log.csv") }

  private func write(_ text: String) throws {
    _ = try scratch.write("state/prosper/log.csv", text)
    #expect(chmod(path, 0o600) == 0)
  }

  private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func log(_ words: String..., zone: String = "Europe/Berlin", on terminal: Terminal? = nil) async throws
    -> Prosper
  {
    try await Prosper.run(
      ["log"] + words, environment: ["XDG_STATE_HOME": scratch.path("state"), "TZ": zone], in: scratch, on: terminal)
  }

  // MARK: Printing

  @Test func `an empty log is a friendly line`() async throws {
    let run = try await log()
    #expect(run.status == 0 && run.out.isEmpty)
    #expect(run.err == "prosper: the log has no sit yet; 'prosper sit 25m' adds one\n")
    #expect(try await log("--csv").out == "start,duration,planned,session,reason,note\n")
    let json = try await log("--json")
    #expect(
      json.out
        == #"{"v":1,"sits":[],"weeks":[],"months":[],"total":{"sits":0,"seconds":0.000},"damaged":0}"# + "\n"
        && json.err.isEmpty)
  }

  @Test func `the table has the sits, and sums by week and month`() async throws {
    try write(Self.lines)
    let run = try await log()
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(
      run.out == """
        start                time  planned  end            session
        2026-10-31 22:00    20:00    20:00  completed      Evening
        2026-11-01 06:30    25:00    25:00  completed      Rain, "bells" – calm, clear
        2026-11-02 06:30     1:01     open  stopped        Open
        2027-01-01 06:30  1:00:00  2:00:00  output failed  New year

        week      from         sits        time
        2026-W44  2026-10-26      2       45:00
        2026-W45  2026-11-02      1        1:01
        2026-W53  2026-12-28      1     1:00:00

        month                  sits        time
        2026-10                   1       20:00
        2026-11                   2       26:01
        2027-01                   1     1:00:00
        all                       4     1:46:01

        """)
  }

  @Test func `the table has the last ten sits, and --since and --last choose others`() async throws {
    let days = (10...28).map { "2026-06-\($0)T06:30:00+02:00,60.000,60.000,Sit \($0),completed,\n" }
    try write("start,duration,planned,session,reason,note\n" + days.joined())
    let all = try await log()
    #expect(!all.out.contains("Sit 18") && all.out.contains("Sit 19") && all.out.contains("19       19:00"))
    let since = try await log("--since", "2026-06-12")
    #expect(!since.out.contains("Sit 11") && since.out.contains("Sit 12") && since.out.contains("17       17:00"))
    let last = try await log("--last", "2")
    #expect(!last.out.contains("Sit 26") && last.out.contains("Sit 27") && last.out.contains(" 2        2:00"))
    let none = try await log("--since", "2026-06-29")
    #expect(none.status == 0 && none.out.isEmpty && none.err == "prosper: there is no sit in this time\n")
  }

  @Test func `--since takes days and weeks before now`() async throws {
    let format = ISO8601DateFormatter()
    let ages = [1, 6, 8, 27, 29]
    let lines = ages.map { age in
      "\(format.string(from: Date(timeIntervalSinceNow: -86_400 * Double(age)))),60,60,\(age) days,completed,\n"
    }
    try write("start,duration,planned,session,reason,note\n" + lines.joined())
    for (since, count) in [("7d", 2), ("4w", 4), ("1w", 2), ("0d", 0), ("100000w", 5)] {
      #expect(try await log("--since", since, "--csv").lines.count == count + 1, "\(since)")
    }
  }

  @Test(arguments: ["yesterday", "2026-02-30", "7", "d", "-7d", "9999999999999999999d", "1.5d"])
  func `a wrong --since is refused`(since: String) async throws {
    let run = try await log("--since=" + since)
    #expect(run.status == 64 && run.err.contains("write it like 2026-11-01, 7d or 4w"), "\(run.err)")
  }

  @Test func `--csv prints the lines as they are, and --json an object`() async throws {
    let odd = Self.lines.replacing("1200.000,1200.000", with: "\"1200\",1.2e3")
    try write(odd)
    #expect(try await log("--csv").out == odd)
    let november = odd.split(separator: "\n").enumerated().filter { $0.offset != 1 }.map { $0.element + "\n" }
    #expect(try await log("--csv", "--since", "2026-11-01").out == november.joined())
    let json = try #require(try await log("--json", "--since", "2026-11-01").events().first)
    let sits = try #require(json["sits"] as? [[String: Any]])
    #expect(json["v"] as? Int == 1 && sits.count == 3 && json["damaged"] as? Int == 0)
    #expect(sits[0]["start"] as? String == "2026-11-01T06:30:00+01:00" && sits[0]["duration"] as? Double == 1_500)
    #expect(sits[0]["session"] as? String == #"Rain, "bells""# && sits[0]["note"] as? String == "calm, clear")
    #expect(sits[1]["planned"] is NSNull && sits[1]["reason"] as? String == "stopped")
    let weeks = try #require(json["weeks"] as? [[String: Any]])
    #expect(weeks.compactMap { $0["week"] as? String } == ["2026-W44", "2026-W45", "2026-W53"])
    #expect(weeks[0]["from"] as? String == "2026-10-26" && weeks[0]["seconds"] as? Double == 1_500)
    let months = try #require(json["months"] as? [[String: Any]])
    #expect(months.compactMap { $0["month"] as? String } == ["2026-11", "2027-01"] && months[0]["sits"] as? Int == 2)
    #expect((json["total"] as? [String: Any])?["seconds"] as? Double == 5_161.5)
    #expect(try await log("--csv", "--json").status == 64)
    #expect(try await log("--last", "0").status == 64)
  }

  @Test func `damaged lines are counted, and the others are shown`() async throws {
    try write("\u{FEFF}" + Self.lines.replacing("\n", with: "\r\n") + "2026-11-03T06:30:00+01:00,nan,,x,y,\n1,2\n")
    let run = try await log()
    #expect(run.status == 0 && run.out.contains("New year") && run.out.contains("all                       4"))
    #expect(run.err == "prosper: \(path): 2 lines can't be read; the others are shown\n")
    try write("\u{0}\u{1B}[2J\n")
    #expect(try await log().err.contains("1 line can't be read"))
  }

  @Test func `no line of the table is wider than the terminal, and no title controls it`() async throws {
    try write(
      Self.lines + "2027-01-02T06:30:00+01:00,60,60,\u{1B}[2J\(String(repeating: "long ", count: 60)),completed,\n")
    for columns in [80, 40, 20] as [UInt16] {
      let terminal = try Terminal(columns: columns)
      let run = try await log(on: terminal)
      let lines = try terminal.hangUp().replacing("\r\n", with: "\n").split(separator: "\n")
      #expect(run.status == 0 && lines.count == 15, "\(lines)")
      #expect(lines.allSatisfy { $0.count <= Int(columns) } && !lines.contains { $0.contains("\u{1B}") }, "\(lines)")
    }
    #expect(try await log().lines.contains { 300 < $0.count })
  }

  // MARK: Notes

  @Test func `a note belongs to the last sit, and the file keeps its mode`() async throws {
    let missing = try await log("note", "calm")
    #expect(missing.status == 66 && missing.err.contains("there is no sit in"), "\(missing.err)")
    try write(Self.lines)
    #expect(chmod(path, 0o640) == 0)
    let run = try await log("note", "knees,", "\"better\"")
    #expect(run.status == 0 && run.out == "added the note to New year of 2027-01-01 06:30\n" && run.err.isEmpty)
    let noted = Self.lines.replacing("outputFailed,", with: "outputFailed,\"knees, \"\"better\"\"\"")
    #expect(try text() == noted)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try await log("note", "").out == "removed the note of New year of 2027-01-01 06:30\n")
    #expect(try text() == Self.lines)
  }

  // MARK: Import

  private static let export = """
    Started At,Duration,Preset,Activity
    "11/26/2026 06:30:00","00:20:00","Morning sit","Meditation"
    11/05/2026 08:21:14,0:45:0,,Meditation
    11/04/2026 18:00:00,0:30:5,"Walk, slow",Walking

    """

  @Test func `Insight Timer's export is imported once, sorted by start`() async throws {
    let file = try scratch.write("i.csv", Self.export)
    try write(Self.lines)
    let run = try await log("import", file)
    #expect(run.status == 0 && run.out == "3 sits added\n" && run.err.isEmpty, "\(run.err)")
    let added = try text().split(separator: "\n").filter { $0.contains("imported") }
    #expect(
      added == [
        #"2026-11-04T18:00:00+01:00,1805.000,,"Walk, slow",imported,Walking"#,
        "2026-11-05T08:21:14+01:00,2700.000,,Meditation,imported,",
        "2026-11-26T06:30:00+01:00,1200.000,,Morning sit,imported,",
      ])
    let starts = try text().split(separator: "\n").dropFirst().map { $0.prefix(16) }
    #expect(starts.count == 7 && starts == starts.sorted())
    let before = try text()
    #expect(try await log("import", file).out == "0 sits added, 3 already in the log\n")
    // The times of the file have no offset.
    #expect(try await log("import", file, zone: "America/New_York").out == "0 sits added, 3 already in the log\n")
    #expect(try text() == before)
    #expect(try await log().out.contains("2026-11-26 06:30    20:00           imported       Morning sit\n"))
  }

  @Test func `a log is created by an import, for its owner only`() async throws {
    let file = try scratch.write("i.csv", Self.export)
    try FileManager.default.removeItem(atPath: scratch.path("state"))
    #expect(try await log("import", file).status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `the order of day and month is found, or must be given`() async throws {
    let header = "Started At,Duration,Preset,Activity\n"
    let file = try scratch.write("i.csv", header + "25/11/2026 06:30:00,0:20:0,,\n05/04/2026 06:30:00,0:20:0,,\n")
    #expect(try await log("import", file).status == 0)
    #expect(try text().contains("2026-04-05T06:30:00+02:00") && text().contains("2026-11-25T06:30:00+01:00"))
    let unclear = try scratch.write("u.csv", header + "05/04/2026 07:30:00,0:20:0,,\n07/07/2026 07:30:00,0:20:0,,\n")
    let run = try await log("import", unclear)
    #expect(run.status == 64 && run.err.contains("--dates mdy") && run.err.contains("--dates dmy"), "\(run.err)")
    #expect(try !text().contains("T07:30"))
    #expect(try await log("import", unclear, "--dates", "mdy").status == 0)
    #expect(try text().contains("2026-05-04T07:30:00+02:00"))
    #expect(try await log("import", unclear, "--dates", "dmy").out == "1 sit added, 1 already in the log\n")
    #expect(try text().contains("2026-04-05T07:30:00+02:00"))
    #expect(try await log("import", unclear, "--dates", "ymd").status == 64)
    // The same day in both orders.
    let same = try scratch.write("same.csv", header + "06/06/2026 09:30:00,0:20:0,,\n")
    #expect(try await log("import", same).status == 0)
    let mixed = try scratch.write("m.csv", header + "25/11/2026 06:31:00,0:20:0,,\n11/25/2026 06:32:00,0:20:0,,\n")
    #expect(try await log("import", mixed).status == 64)
    let half = try await log("import", mixed, "--dates", "dmy")
    #expect(half.status == 65 && half.out == "1 sit added\n" && half.err.contains("m.csv:3: "), "\(half.err)")
  }

  @Test func `rows that can't be read are reported with their lines, and the others are imported`() async throws {
    let file = try scratch.write(
      "i.csv",
      "\u{FEFF}" + Self.export.replacing("\n", with: "\r\n")
        + "soon,0:20:0,,\r\n13/40/2026 06:30:00,0:20:0,,\r\n11/20/2026 06:30:00,nan,,\r\n\r\n"
        + "11/21/2026 06:30:00\r\n\"11/22/2026 06:30:00,0:20:0,,\r\n11/23/2026 06:30:00,99999999:0:0,,\r\n")
    let run = try await log("import", file)
    #expect(run.status == 65 && run.out == "3 sits added\n")
    #expect(
      run.err == """
        \(file):5: 'soon' is not a date with a time; this row is left out
        \(file):6: '13/40/2026 06:30:00' is not a date with a time; this row is left out
        \(file):7: 'nan' is not a duration; this row is left out
        \(file):9: '' is not a duration; this row is left out
        \(file):10: a field in quotation marks has no proper end; this row is left out
        \(file):11: '99999999:0:0' is not a duration; this row is left out

        """)
  }

  static let variants = [
    "Duration;Date;Time;Name\n45:00;26.11.2026;06:30;Sit\n",
    "Activity,Preset,Duration,Started At\nMeditation,Sit,0:45:0,\"11/26/2026, 6:30:00 AM\"\n",
    "date,minutes,title\n2026-11-26 06:30,45,Sit\n",
    "Started_At\tDuration\tPreset\n11-26-2026 06:30:00\t2700\tSit\n",
    "start,duration,planned,session,reason,note\n2026-11-26T00:30:00-05:00,2700.000,,Sit,imported,\n",
  ]

  @Test(arguments: variants) func `columns in another order and with other names are accepted`(file: String)
    async throws
  {
    let run = try await log("import", try scratch.write("i.csv", file))
    #expect(run.status == 0 && run.out == "1 sit added\n", "\(run.err)")
    let line = try #require(try text().split(separator: "\n").last)
    let start = file.contains("-05:00") ? "2026-11-26T00:30:00-05:00" : "2026-11-26T06:30:00+01:00"
    #expect(line == "\(start),2700.000,,Sit,imported,")
  }

  @Test func `what is no log is refused, and a missing file`() async throws {
    for text in ["", "a,b,c\n1,2,3\n", "Started At\n11/26/2026 06:30:00\n", "\u{0}\u{1}"] {
      let run = try await log("import", try scratch.write("i.csv", text))
      #expect(run.status == 65 && run.err.contains("names no columns with start and duration"), "\(run.err)")
    }
    let missing = try await log("import", scratch.path("none.csv"))
    #expect(missing.status == 66 && missing.err.hasSuffix("none.csv: no such file; check the path\n"))
    #expect(!FileManager.default.fileExists(atPath: path))
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(try await log("import", try scratch.write("i.csv", Self.export)).status == 73)
    let unreadable = try await log()
    #expect(unreadable.status == 66 && unreadable.err.contains("log.csv: can't be read"), "\(unreadable.err)")
  }
}
