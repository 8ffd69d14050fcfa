import ProsperKit

/// Sits and their sums, as `prosper log` prints them.
struct LogReport {
  /// The sits of a week or month.
  struct Sum: Hashable {
    /// The week or month, such as `2026-W48` or `2026-11`.
    var name: String
    /// Its first day.
    var begin: CalendarDay
    var sits = 0
    var seconds = 0.0
  }

  /// In the order of their starts.
  let sits: [LoggedSit]
  /// Whether these are all sits of the log. Then the table has only the last of them.
  let isWhole: Bool
  /// How many lines of the log can't be read.
  let damaged: Int

  /// How many rows each part of the table has if the report is about the whole log.
  private static let (mostSits, mostWeeks, mostMonths) = (10, 8, 12)

  /// The weeks that have sits, from Monday to Sunday.
  var weeks: [Sum] { sums { ($0.weekText, $0.monday) } }

  /// The months that have sits.
  var months: [Sum] { sums { ($0.monthText, CalendarDay(number: $0.number - $0.day + 1)) } }

  private var seconds: Double { sits.reduce(0) { $0 + $1.duration } }

  /// Sums of the sits of each part of the calendar, in order.
  private func sums(by part: (CalendarDay) -> (String, CalendarDay)) -> [Sum] {
    var sums: [CalendarDay: Sum] = [:]
    for sit in sits {
      let (name, begin) = part(sit.start.day)
      sums[begin, default: Sum(name: name, begin: begin)].sits += 1
      sums[begin]?.seconds += sit.duration
    }
    return sums.values.sorted { $0.begin < $1.begin }
  }

  /// The report for a program.
  var json: JSONLine {
    var line: JSONLine = ["v": 1]
    line.add("sits", sits.map(\.json))
    line.add("weeks", weeks.map { $0.json("week") })
    line.add("months", months.map { $0.json("month") })
    line.add("total", written: JSONLine(count: sits.count, seconds: seconds).description)
    line.add("damaged", damaged)
    return line
  }

  /// The report for a person.
  ///
  /// - Parameter width: the columns of the terminal, at which lines end; nil for lines of any length.
  func table(width: Int?) -> String {
    let (weeks, months) = (weeks, months)
    let parts = [
      sitRows, Self.rows(weeks.suffix(isWhole ? Self.mostWeeks : weeks.count), "week"),
      Self.rows(months.suffix(isWhole ? Self.mostMonths : months.count), "month")
        + [Self.row("all", "", "\(sits.count)", clockText(seconds))],
    ]
    return parts.map { $0.map { $0.withoutControls.shortened(to: width) + "\n" }.joined() }.joined(separator: "\n")
  }

  /// What varies in length is at the end of a row, which a narrow terminal cuts off.
  private var sitRows: [String] {
    let rows = sits.suffix(isWhole ? Self.mostSits : sits.count).map { sit in
      let note = sit.note.isEmpty ? "" : " – \(sit.note)"
      return [
        "\(sit.start.day) \(sit.start.clock)", clockText(sit.duration), sit.plannedText,
        sit.reasonText, sit.session + note,
      ]
    }
    let all = [["start", "time", "planned", "end", "session"]] + rows
    let widths = (0..<4).map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      let cells = [
        row[0].padded(to: widths[0]), row[1].padded(to: widths[1], isRight: true),
        row[2].padded(to: widths[2], isRight: true), row[3].padded(to: widths[3]), row[4],
      ]
      return cells.joined(separator: "  ").trimmingEnd
    }
  }

  private static func rows(_ sums: some Collection<Sum>, _ unit: String) -> [String] {
    let isWeek = unit == "week"
    let rows = sums.map { row($0.name, isWeek ? "\($0.begin)" : "", "\($0.sits)", clockText($0.seconds)) }
    return [row(unit, isWeek ? "from" : "", "sits", "time")] + rows
  }

  private static func row(_ name: String, _ begin: String, _ sits: String, _ time: String) -> String {
    let (sits, time) = (sits.padded(to: 5, isRight: true), time.padded(to: 10, isRight: true))
    return [name.padded(to: 8), begin.padded(to: 10), sits, time].joined(separator: "  ")
  }
}

extension LoggedSit {
  fileprivate var json: JSONLine {
    var line: JSONLine = ["start": start.description]
    line.add("duration", seconds: duration)
    line.add("planned", seconds: planned)
    line.add("session", session)
    line.add("reason", reason)
    line.add("note", note)
    return line
  }

  /// The planned time, for people. That of an imported sit is unknown.
  fileprivate var plannedText: String { planned.map { clockText($0) } ?? (reason == Self.imported ? "" : "open") }

  /// Why it ended, for people.
  fileprivate var reasonText: String { reason == FinishReason.outputFailed.rawValue ? "output failed" : reason }
}

extension LogReport.Sum {
  /// - Parameter unit: the key of the name.
  fileprivate func json(_ unit: String) -> JSONLine {
    JSONLine(dictionaryLiteral: (unit, name), ("from", begin.description)) + JSONLine(count: sits, seconds: seconds)
  }
}

extension JSONLine {
  fileprivate init(count: Int, seconds: Double) {
    self = ["sits": count]
    add("seconds", seconds: seconds)
  }
}

extension String {
  fileprivate func padded(to width: Int, isRight: Bool = false) -> String {
    let gap = String(repeating: " ", count: max(0, width - count))
    return isRight ? gap + self : self + gap
  }

  fileprivate var trimmingEnd: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// The text with an ellipsis in place of what is beyond a width.
  fileprivate func shortened(to width: Int?) -> String {
    guard let width, width < count else { return self }
    return prefix(max(0, width - 1)) + "…"
  }
}

extension SitLog {
  /// The log of this user.
  static func own() throws(Refusal) -> SitLog {
    guard let folder = StateFolder() else {
      throw Refusal("HOME is not set, so there is no log; set HOME to an absolute path")
    }
    return SitLog(in: folder)
  }

  /// The content; without a file, it is empty. Blocks while another program writes.
  func content() throws(Refusal) -> SitLogContent {
    do throws(ErrorNumber) { return try read() } catch {
      throw Refusal("\(path): can't be read: \(error.message); check the file and its permissions")
    }
  }
}

extension LogReport {
  /// The sits of this user in the month that runs. Blocks while another program writes the log.
  static func ofThisMonth() throws(Refusal) -> LogReport {
    let content = try SitLog.own().content()
    let month = SitTime(seconds: Double(CalendarTimes.now))?.day.monthText
    let sits = content.sits.map(\.sit).filter { $0.start.day.monthText == month }
    return LogReport(sits: sits, isWhole: false, damaged: content.damaged)
  }
}
