import ArgumentParser
import Glibc
import ProsperKit

/// `prosper log`: prints the log of sits.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Prints your sits, with sums by week and month.",
    usage: """
      prosper log
      prosper log --since 4w
      prosper log --csv --since 2026-11-01
      prosper log note TEXT
      prosper log import FILE
      """,
    discussion: """
      Every live run of 'prosper play' and 'prosper sit' of at least a second adds a line to log.csv in \
      $XDG_STATE_HOME/prosper (or ~/.local/state/prosper), unless --no-log is given. The article Log.md describes the \
      file; a package has it in /usr/share/doc/prosper.

      Without --since, the table has the last 10 sits, 8 weeks and 12 months.

      Exit codes: 0 done · 64 wrong usage · 65 a file to import is no log, or some of its rows can't be read · 66 no \
      file, no sit to give a note, or the log can't be read · 73 and 74 the log can't be written.
      """,
    subcommands: [LogNoteCommand.self, LogImportCommand.self])

  @Option(
    help: ArgumentHelp(
      "Only sits since a day, such as 2026-11-01, or of the last days (7d) or weeks (4w).", valueName: "date")
  )
  var since: String?

  @Option(help: ArgumentHelp("Only the last sits: this many.", valueName: "n"))
  var last: Int?

  @Flag(help: "Prints the lines of the log as they are.")
  var csv = false

  @Flag(help: "Prints one JSON object with the sits and the sums.")
  var json = false

  func validate() throws {
    if csv, json { throw ValidationError("--csv and --json can't be combined; give only one") }
    if let since, LogSpan(since, now: 0) == nil {
      throw ValidationError("--since '\(since)' is not a day; write it like 2026-11-01, 7d or 4w")
    }
    if let last, last < 1 { throw ValidationError("--last must be a whole number from 1") }
  }

  func run() throws {
    let log = try Self.log()
    let content = try Self.reporting { () throws(Refusal) in try log.content() }
    if 0 < content.damaged {
      StandardError.say("\(log.path): \(counted(content.damaged, "line")) can't be read; the others are shown")
    }
    let span = since.flatMap { LogSpan($0, now: CalendarTimes.now) }
    let sits = content.sits.filter { span?.contains($0.sit) ?? true }
    let chosen = sits.suffix(last ?? sits.count)
    let report = LogReport(sits: chosen.map(\.sit), isWhole: since == nil && last == nil, damaged: content.damaged)
    let isTerminal = isatty(1) == 1
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    if csv {
      let lines = [content.headerText] + chosen.map(\.text)
      for line in lines { out.writeExactly((isTerminal ? line.withoutControls : line) + "\n") }
    } else if json {
      out.write(report.json.description + "\n")
    } else if chosen.isEmpty {
      StandardError.say(
        report.isWhole ? "the log has no sit yet; 'prosper sit 25m' adds one" : "there is no sit in this time")
    } else {
      out.write(report.table(width: isTerminal ? terminalColumns(of: 1) : nil))
    }
    try out.finish()
  }

  /// The log of this user.
  ///
  /// - Throws: the exit code, after an error has been printed, if there is no folder for it.
  static func log() throws -> SitLog { try reporting(SitLog.own) }

  /// Prints a refusal, and throws the exit code.
  private static func reporting<Value>(_ body: () throws(Refusal) -> Value) throws -> Value {
    do throws(Refusal) { return try body() } catch {
      StandardError.say(error.reason)
      throw ExitStatus.missingInput.code
    }
  }

  /// Runs a change of the log.
  ///
  /// - Throws: the exit code, after an error has been printed, if the log can't be written.
  static func changing<Value>(
    _ log: SitLog, _ change: (SitLog) throws(ErrorNumber) -> Value
  ) throws -> Value {
    do throws(ErrorNumber) { return try change(log) } catch {
      let isFull = [ENOSPC, EDQUOT, EFBIG, EIO].contains(error.code)
      let fix = isFull ? "free some space" : "check the folder and its permissions"
      StandardError.say("\(log.path): can't be written: \(error.message); \(fix)")
      throw (isFull ? ExitStatus.cannotWrite : .cannotCreate).code
    }
  }
}

/// `prosper log note`: adds a note to the last sit.
struct LogNoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Gives the last sit a note, in place of the one that it has.",
    discussion: "An empty text removes the note.")

  @Argument(help: "The note. Several words are joined with spaces.")
  var text: [String]

  func run() throws {
    let log = try LogCommand.log()
    let note = text.joined(separator: " ").readable
    let sit = try LogCommand.changing(log) { log throws(ErrorNumber) in
      try log.change(creates: false) { $0.setNote(note) }
    }
    guard let sit else {
      StandardError.say("there is no sit in \(log.path) to give a note; start one with 'prosper sit 25m'")
      throw ExitStatus.missingInput.code
    }
    let what = note.isEmpty ? "removed the note of" : "added the note to"
    print("\(what) \(sit.session) of \(sit.start.day) \(sit.start.clock)".withoutControls)
  }
}
