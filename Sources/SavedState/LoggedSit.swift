import Player

/// A sit, as one line of the log states it.
package struct LoggedSit: Sendable, Hashable {
  /// The columns of the log.
  package static let columns = ["start", "duration", "planned", "session", "reason", "note"]
  /// The longest time that is read, in seconds: 100 days. More is damage.
  package static let longest = 8_640_000.0
  /// The reason of a sit that another program has logged.
  package static let imported = "imported"

  package var start: SitTime
  /// Seconds of the session that were played.
  package var duration: Double
  /// The length of the session in seconds; nil for an open one, and if it is unknown.
  package var planned: Double?
  /// The title of the session.
  package var session: String
  /// Why it ended: the name of a `FinishReason`, or ``imported``.
  package var reason: String
  package var note: String

  package init(
    start: SitTime, duration: Double, planned: Double?, session: String, reason: String, note: String = ""
  ) {
    (self.start, self.duration, self.planned) = (start, duration, planned)
    (self.session, self.reason, self.note) = (session, reason, note)
  }

  /// Reads the fields of a line. Nil if one is missing or has no meaning: then the line is damaged.
  init?(_ fields: [String]) {
    guard Self.columns.count <= fields.count, let start = SitTime(fields[0]), let duration = Self.seconds(fields[1])
    else { return nil }
    let planned = Self.seconds(fields[2])
    if planned == nil, !fields[2].isEmpty { return nil }
    self.init(
      start: start, duration: duration, planned: planned, session: fields[3], reason: fields[4], note: fields[5])
  }

  /// The fields of its line.
  package var fields: [String] {
    let times = [start.description, JSONLine.seconds(duration), planned.map(JSONLine.seconds) ?? ""]
    return times + [session, reason, note].map(Self.safe)
  }

  /// A text in which no line begins like a line of the log.
  fileprivate static func safe(_ text: String) -> String {
    // As a character, CR LF is something else than LF.
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.map { (isBegin($0) ? " " : "") + String(Substring($0)) }.joined(separator: "\n")
  }

  /// Whether a text begins like a line of the log, with a date and a time.
  fileprivate static func isBegin(_ line: some Sequence<UInt8>) -> Bool {
    var begin = Array(line.prefix(12))
    if begin.first == UInt8(ascii: "\"") { begin.removeFirst() }
    let day = CalendarDay(String(decoding: begin.prefix(10), as: UTF8.self))
    return day != nil && 10 < begin.count && "Tt ".utf8.contains(begin[10])
  }

  private static func seconds(_ text: String) -> Double? {
    guard let seconds = Double(text), 0...longest ~= seconds else { return nil }
    return seconds
  }

  /// What two lines for the same sit have in common. Its time is compared as a moment, and as it was written: a file is
  /// imported again on a computer in another time zone, where its times, which have no offset, mean other moments.
  fileprivate var keys: [String] {
    let length = JSONLine.seconds(duration)
    return ["\(start.instant) \(length)", "\(start.local) \(length)"]
  }
}

/// The content of the log.
package struct SitLogContent: Sendable {
  private struct Line {
    var record: CSV.Record
    /// Nil if the line is damaged.
    var sit: LoggedSit?
  }

  private var lines: [Line] = []
  /// The line with the names of the columns.
  private var header = Array(CSV.text(of: LoggedSit.columns).utf8)

  package init(_ bytes: [UInt8] = []) {
    var records = CSV.records(in: bytes) { LoggedSit.isBegin($0) }[...]
    if let first = records.first, first.fields?.first?.lowercased() == LoggedSit.columns[0] {
      header = first.bytes
      records = records.dropFirst()
    }
    lines = records.map { Line(record: $0, sit: $0.fields.flatMap { LoggedSit($0) }) }
  }

  /// The bytes of the file. Lines that have not been changed are as they were read, even damaged ones.
  package var bytes: [UInt8] { ([header] + lines.map(\.record.bytes)).flatMap { $0 + [UInt8(ascii: "\n")] } }

  /// The names of the columns, as the file has them.
  package var headerText: String { String(decoding: header, as: UTF8.self) }

  /// How many lines can't be read.
  package var damaged: Int { lines.count { $0.sit == nil } }

  /// The sits in the order of their starts, each with its line as the file has it.
  package var sits: [(sit: LoggedSit, text: String)] {
    order.compactMap { index in
      lines[index].sit.map { ($0, String(decoding: lines[index].record.bytes, as: UTF8.self)) }
    }
  }

  /// The indices of the lines in the order of their starts. A damaged line stays after the one that it follows.
  private var order: [Int] {
    var last = Int.min
    let starts = lines.map { line in
      last = line.sit?.start.instant ?? last
      return last
    }
    return lines.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }
  }

  /// Gives the last sit a note.
  ///
  /// - Returns: that sit; nil if there is none.
  package mutating func setNote(_ note: String) -> LoggedSit? {
    guard let index = order.last(where: { lines[$0].sit != nil }), var sit = lines[index].sit else { return nil }
    sit.note = LoggedSit.safe(note)
    // Further columns, and how the others are written, are kept.
    var fields = lines[index].record.fields ?? sit.fields
    fields[5] = LoggedSit.safe(note)
    lines[index].sit = sit
    lines[index].record.fields = fields
    lines[index].record.bytes = Array(CSV.text(of: fields).utf8)
    return sit
  }

  /// Adds the sits that are not in the log, and sorts all lines by their starts.
  ///
  /// - Returns: how many were added.
  package mutating func add(_ sits: [LoggedSit]) -> Int {
    var known = Set(lines.compactMap(\.sit).flatMap(\.keys))
    let count = lines.count
    for sit in sits where known.isDisjoint(with: sit.keys) {
      known.formUnion(sit.keys)
      let text = CSV.text(of: sit.fields)
      lines.append(Line(record: CSV.Record(line: 0, bytes: Array(text.utf8), fields: sit.fields), sit: sit))
    }
    lines = order.map { lines[$0] }
    return lines.count - count
  }
}
