import Foundation
import TestSupport
import Testing

@testable import SavedState

/// The log of sits: its lines, its calendar and its file.
@Suite struct SitLogTests {
  private static func sit(
    _ start: String = "2026-11-26T06:30:00+01:00", _ duration: Double = 1_500, session: String = "Sit",
    note: String = ""
  ) throws -> LoggedSit {
    LoggedSit(
      start: try #require(SitTime(start)), duration: duration, planned: 1_500, session: session, reason: "completed",
      note: note)
  }

  private static func content(_ text: String) -> SitLogContent { SitLogContent(Array(text.utf8)) }

  // MARK: CSV

  @Test(
    arguments: [
      ["a", "b"], [""], ["", ""], ["a,b", "c"], ["\"", "\"\""], ["two\nlines", "two\r\nlines", "\r"],
      [" a", "a ", " "],
      ["é–🔔", "\u{FEFF}"], ["=1+1", "'", ";"],
    ])
  func `fields are the same after they were written and read`(fields: [String]) throws {
    let records = CSV.records(in: Array((CSV.text(of: fields) + "\n" + CSV.text(of: ["x", "y"])).utf8))
    if fields == [""] {
      #expect(records.map(\.fields) == [["x", "y"]])
    } else {
      #expect(records.map(\.fields) == [fields, ["x", "y"]])
    }
  }

  @Test func `only fields that need them have quotation marks`() {
    #expect(CSV.text(of: ["a b", "c,d", "e\"f", "g\nh", "", "i;j"]) == "a b,\"c,d\",\"e\"\"f\",\"g\nh\",,i;j")
  }

  @Test func `lines end with LF or CR LF, and a byte order mark and empty lines are ignored`() {
    let records = CSV.records(in: Array("\u{FEFF}a,\"b\"\r\n\r\n\nc,\"d\ne\"\nf\r\n\"g\"\r".utf8))
    #expect(records.map(\.fields) == [["a", "b"], ["c", "d\ne"], ["f"], ["g"]])
    #expect(records.map(\.line) == [1, 4, 6, 7])
  }

  @Test func `a line that was not written to its end does not hide the lines after it`() {
    let records = CSV.records(in: Array("a,\"b\nc,d\n\"e\"f\ng,\"h, i\"\n".utf8))
    #expect(records.map(\.fields) == [nil, ["c", "d"], nil, ["g", "h, i"]])
    #expect(records.map(\.line) == [1, 2, 3, 4])
  }

  // MARK: Calendar

  @Test func `days, months and weeks are those of the calendar`() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for number in Array(-800...800) + stride(from: -700_000, through: 2_900_000, by: 1_237) {
      let day = CalendarDay(number: number)
      let date = Date(timeIntervalSince1970: 86_400 * Double(number))
      let parts = calendar.dateComponents([.year, .month, .day, .weekOfYear, .yearForWeekOfYear], from: date)
      // Before October 1582, Foundation has the Julian calendar.
      guard -141_427 <= number else { continue }
      #expect((day.year, day.month, day.day) == (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0))
      #expect(CalendarDay(year: day.year, month: day.month, day: day.day) == day)
      let (year, week) = (parts.yearForWeekOfYear ?? 0, parts.weekOfYear ?? 0)
      #expect(day.weekText == String(format: "%04d-W%02d", year, week))
    }
    #expect(try #require(CalendarDay("2026-11-29")).monday.description == "2026-11-23")
    #expect(try #require(CalendarDay("2026-11-30")).monday.description == "2026-11-30")
  }

  @Test(arguments: ["2026-02-29", "2026-13-01", "2026-00-10", "2026-1-01", "0000-01-01", "26-01-01", "", "2026-01-01x"])
  func `a text that is no day is refused`(text: String) { #expect(CalendarDay(text) == nil) }

  @Test func `a time is read with its offset, and written without a fraction`() throws {
    let time = try #require(SitTime("2026-11-26T06:30:05.999+01:00"))
    #expect(time.description == "2026-11-26T06:30:05+01:00" && time.instant == 1_795_671_005)
    #expect(SitTime("2026-11-25T23:00:05-06:30")?.instant == time.instant)
    #expect(SitTime("2026-11-26 05:30:05Z")?.instant == time.instant)
    let now = try #require(SitTime(seconds: 1_795_671_005.5))
    #expect(now.instant == time.instant)
    #expect(SitTime(local: now.day, second: now.second) == now)
    #expect(SitTime(now.local) == now)
  }

  @Test(
    arguments: [
      "", "T", "2026-11-26", "2026-11-26T", "2026-11-26T25:00:00Z", "2026-11-26T06:60:00Z", "2026-11-26T06:30:00+99:00",
      "2026-11-26T06:30:00+1", "2026-11-26Tnan", "2026-11-26T06:30:00.xZ", "999999999999999999999-01-01T00:00:00Z",
    ])
  func `a text that is no time is refused`(text: String) { #expect(SitTime(text) == nil) }

  // MARK: Lines

  @Test(
    arguments: [
      "2026-11-26T06:30:00+01:00,nan,,s,completed,", "2026-11-26T06:30:00+01:00,inf,,s,completed,",
      "2026-11-26T06:30:00+01:00,1e300,,s,completed,", "2026-11-26T06:30:00+01:00,-1,,s,completed,",
      "2026-11-26T06:30:00+01:00,10,many,s,completed,", "2026-11-26T06:30:00+01:00,10,,s,completed",
      "2026-11-26T06:30:00+01:00,15", "yesterday,10,,s,completed,", ",,,,,",
      "2026-11-26T06:30:00+01:00,10,,\"s,completed,",
    ])
  func `a damaged line is counted, and the lines around it are read`(line: String) throws {
    let (before, after) = (try Self.sit(session: "a"), try Self.sit(session: "b"))
    let lines = ["start,duration,planned,session,reason,note", CSV.text(of: before.fields), line]
    let text = (lines + [CSV.text(of: after.fields)]).joined(separator: "\n") + "\n"
    let content = Self.content(text)
    #expect(content.damaged == 1 && content.sits.map(\.sit) == [before, after])
    #expect(content.bytes == Array(text.utf8))
  }

  @Test func `a file of a spreadsheet is read: with a byte order mark, CR LF and further columns`() throws {
    let content = Self.content(
      "\u{FEFF}\"start\",duration,planned,session,reason,note,mood\r\n"
        + "\"2026-11-26T06:30:00+01:00\",1500,,Sit,completed,calm,good\r\n")
    #expect(content.damaged == 0 && content.sits.map(\.sit.note) == ["calm"] && content.sits[0].sit.planned == nil)
  }

  @Test func `a line that was not written to its end hides no sit, and no note looks like one`() throws {
    let torn = "2026-11-26T06:30:00+01:00,1500,1500,\"Rain\n"
    // Its quotation mark would end with the first one of the next line.
    let next = CSV.text(of: try Self.sit(session: "\",b").fields)
    let content = Self.content(torn + next + "\n" + CSV.text(of: try Self.sit().fields) + "\n")
    #expect(content.damaged == 1 && content.sits.map(\.sit.session) == ["\",b", "Sit"])
    let line = "a\r\n" + CSV.text(of: try Self.sit().fields) + "\r\nb"
    let noted = Self.content(CSV.text(of: try Self.sit(note: line).fields))
    #expect(noted.damaged == 0 && noted.sits.map(\.sit.note) == [line.replacing("\r\n2026", with: "\r\n 2026")])
  }

  @Test func `no mutation of a log crashes its reader, and the changed file can be read again`() throws {
    var random = Random(seed: 3)
    let text = CSV.text(of: try Self.sit(note: "a, \"b\"\nc").fields) + "\r\n" + CSV.text(of: try Self.sit().fields)
    let log = Array(("start,duration,planned,session,reason,note\n" + text + "\n").utf8)
    let shards = ["\"", ",", "\n", "\r\n", "9999999999999999999", "nan", "-", "T", ":", "\u{FEFF}", "1e308"]
    for _ in 0..<3_000 {
      var content = SitLogContent(random.mutated(log, with: shards))
      let sits = content.sits.count
      let noted = content.setNote("x")
      #expect((noted == nil) == (sits == 0))
      let again = SitLogContent(content.bytes)
      // A line end with two CR is shortened, which can make a line readable.
      #expect(sits <= again.sits.count)
    }
  }

  @Test func `the note belongs to the sit that began last, and nothing else of the file changes`() throws {
    let text = """
      start,duration,planned,session,reason,note,mood
      2026-11-26T06:30:00+01:00,1500,1500,Late,completed,old,good
      damaged
      2026-11-25T06:30:00+01:00,900.0,,Early,stopped,,

      """
    var content = Self.content(text)
    #expect(content.setNote("calm, \"clear\"")?.session == "Late")
    #expect(
      String(decoding: content.bytes, as: UTF8.self)
        == text.replacing("completed,old,", with: "completed,\"calm, \"\"clear\"\"\","))
    var empty = SitLogContent()
    #expect(empty.setNote("x") == nil)
  }

  @Test func `added sits are sorted by their starts, and added once`() throws {
    var content = Self.content("start,duration,planned,session,reason,note\nodd\n")
    let late = try Self.sit("2026-11-26T06:30:00+01:00")
    let early = try Self.sit("2026-11-26T06:00:00+01:00")
    let longer = try Self.sit("2026-11-26T06:00:00+01:00", 1_501)
    #expect(content.add([late, early, early, longer]) == 3)
    #expect(content.sits.map(\.sit) == [early, longer, late] && content.damaged == 1)
    #expect(content.add([late, early]) == 0)
    // The same moment in another zone, and the same time in another zone.
    #expect(content.add([try Self.sit("2026-11-26T05:30:00Z"), try Self.sit("2026-11-26T06:30:00-08:00")]) == 0)
    #expect(
      String(decoding: content.bytes, as: UTF8.self).hasPrefix("start,duration,planned,session,reason,note\nodd\n"))
  }

  // MARK: File

  private let folder = StateFolder(path: NSTemporaryDirectory() + "prosper-log-\(UUID())/deep/prosper")

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func remove() {
    try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: folder.path + "/../..").standardized.path)
  }

  @Test func `a new log has a header and is private, and a missing one is empty`() throws {
    defer { remove() }
    let log = SitLog(in: folder)
    #expect(try log.read().sits.isEmpty)
    #expect(try log.change(creates: false) { $0.setNote("x") } == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    try log.append(try Self.sit())
    try log.append(try Self.sit(session: "a, b"))
    let text = try String(contentsOfFile: log.path, encoding: .utf8)
    #expect(
      text == """
        start,duration,planned,session,reason,note
        2026-11-26T06:30:00+01:00,1500.000,1500.000,Sit,completed,
        2026-11-26T06:30:00+01:00,1500.000,1500.000,"a, b",completed,

        """)
    #expect(try mode(log.path) == 0o600 && mode(folder.path) == 0o700)
    #expect(log.path.hasSuffix("/prosper/log.csv"))
  }

  @Test func `a change keeps the mode, and a line is added after one without an end`() throws {
    defer { remove() }
    let log = SitLog(in: folder)
    try log.append(try Self.sit())
    #expect(chmod(log.path, 0o640) == 0)
    _ = try log.change(creates: false) { $0.setNote("calm") }
    #expect(try mode(log.path) == 0o640 && log.read().sits[0].sit.note == "calm")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log.path))
    try file.seekToEnd()
    try file.write(contentsOf: Data("2026-11-26T06:30:00+01:00,15".utf8))
    try file.close()
    try log.append(try Self.sit(session: "next"))
    let content = try log.read()
    #expect(content.damaged == 1 && content.sits.map(\.sit.session) == ["Sit", "next"])
  }

  @Test func `nothing is lost if several write, and some of them replace the file`() async throws {
    defer { remove() }
    let log = SitLog(in: folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          try await onOwnThread {
            for index in 0..<25 { try log.append(try Self.sit(session: "\(writer) \(index)")) }
          }
        }
      }
      group.addTask {
        try await onOwnThread {
          for index in 0..<25 {
            let sit = try Self.sit("2026-11-27T06:30:00+01:00", Double(index), session: "i \(index)")
            _ = try log.change(creates: true) { $0.add([sit]) }
          }
        }
      }
      try await group.waitForAll()
    }
    let content = try log.read()
    #expect(content.damaged == 0 && Set(content.sits.map(\.sit.session)).count == 125 && content.sits.count == 125)
  }

  @Test func `what is no file is refused`() throws {
    defer { remove() }
    let log = SitLog(in: folder)
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    #expect(mkfifo(log.path, 0o600) == 0)
    #expect(throws: (any Error).self) { try log.append(try Self.sit()) }
    #expect(throws: (any Error).self) { try log.read() }
  }
}
