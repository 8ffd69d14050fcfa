import ProsperKit

/// The sits in a file of another program: the CSV export of Insight Timer, files like it, and the log of another
/// computer.
struct ImportedSits {
  /// Why nothing of a file can be imported.
  enum Failure: Error, Hashable {
    /// It has no line that names columns with the start and the duration.
    case noColumns
    case order(DateOrder.Unknown)
  }

  /// A row that can't be read.
  struct Problem: Hashable {
    var line: Int
    /// What is wrong with it.
    var text: String
  }

  private(set) var sits: [LoggedSit] = []
  private(set) var problems: [Problem] = []

  /// - Parameter order: the order of day and month; nil to find it.
  init(_ bytes: [UInt8], order: DateOrder?) throws(Failure) {
    let (columns, rows) = try Self.rows(of: bytes)
    let times = rows.map { row in row.fields.flatMap { ForeignTime(columns.start(in: $0)) } }
    let known: DateOrder
    if let order {
      known = order
    } else {
      do throws(DateOrder.Unknown) { known = try .found(in: times.compactMap(\.self)) } catch { throw .order(error) }
    }
    for (row, time) in zip(rows, times) {
      do throws(Unreadable) { sits.append(try Self.sit(row, time, known, columns)) } catch {
        problems.append(Problem(line: row.line, text: error.text))
      }
    }
  }

  private struct Unreadable: Error { var text: String }

  /// The columns and the rows after the line that names them.
  private static func rows(of bytes: [UInt8]) throws(Failure) -> (ImportedColumns, ArraySlice<CSV.Record>) {
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      let records = CSV.records(in: bytes, separator: separator)
      if let names = records.first?.fields, let columns = ImportedColumns(names) {
        return (columns, records.dropFirst())
      }
    }
    throw .noColumns
  }

  private static func sit(
    _ row: CSV.Record, _ time: ForeignTime?, _ order: DateOrder, _ columns: ImportedColumns
  ) throws(Unreadable) -> LoggedSit {
    guard let fields = row.fields else { throw Unreadable(text: "a field in quotation marks has no proper end") }
    guard let start = time?.time(order) else {
      throw Unreadable(text: "'\(columns.start(in: fields))' is not a date with a time")
    }
    let text = columns.text(.duration, in: fields)
    guard let duration = columns.duration(text), 0...LoggedSit.longest ~= duration else {
      throw Unreadable(text: "'\(text)' is not a duration")
    }
    return columns.sit(fields, start: start, duration: duration)
  }
}

/// Which column of a file contains what.
struct ImportedColumns {
  enum Kind { case start, time, duration, session, activity, note, planned, reason }

  /// The names of columns, in lower case and without spaces and signs.
  private static let names: [(kind: Kind, names: [String])] = [
    (.start, ["startedat", "start", "started", "starttime", "startdate", "datetime", "dateandtime", "date"]),
    (.time, ["time", "timeofday"]),
    (.duration, ["duration", "length", "minutes", "durationminutes", "durationmin", "durationseconds", "seconds"]),
    (.session, ["preset", "session", "title", "name"]), (.activity, ["activity", "type"]),
    (.note, ["note", "notes", "comment"]), (.planned, ["planned"]), (.reason, ["reason"]),
  ]

  private let indices: [Kind: Int]
  /// Whether a duration without a unit is in minutes.
  private let countsMinutes: Bool

  /// Nil without columns for the start and the duration.
  init?(_ titles: [String]) {
    let titles = titles.map { $0.lowercased().filter { $0.isLetter } }
    indices = Self.names.reduce(into: [:]) { found, each in
      found[each.kind] = each.names.lazy.compactMap { titles.firstIndex(of: $0) }.first
    }
    guard indices[.start] != nil, let duration = indices[.duration] else { return nil }
    countsMinutes = titles[duration].contains("min")
  }

  /// The field of a column; empty if there is none.
  func text(_ kind: Kind, in fields: [String]) -> String {
    guard let index = indices[kind], index < fields.count else { return "" }
    return fields[index].trimmingSpaces
  }

  /// The date and the time, which may be in two columns.
  func start(in fields: [String]) -> String {
    let date = text(.start, in: fields)
    return date.contains(":") ? date : (date + " " + text(.time, in: fields)).trimmingSpaces
  }

  /// The seconds of `0:45:0`, `45:00`, `45m` or a number.
  func duration(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if 2...3 ~= parts.count {
      // Insight Timer writes no zeros before single digits.
      let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? Double($0) : nil }
      return numbers.count == parts.count ? numbers.reduce(0) { $0 * 60 + $1 } : nil
    }
    return Double(text).map { countsMinutes ? 60 * $0 : $0 } ?? TimeSpelling.seconds(text)
  }

  func sit(_ fields: [String], start: SitTime, duration: Double) -> LoggedSit {
    let (title, activity) = (text(.session, in: fields), text(.activity, in: fields))
    let (reason, note) = (text(.reason, in: fields), text(.note, in: fields))
    let planned = Double(text(.planned, in: fields)).flatMap { 0...LoggedSit.longest ~= $0 ? $0 : nil }
    // Meditation is what Insight Timer writes unless the user has chosen another activity.
    let other = title.isEmpty || activity == "Meditation" ? "" : activity
    return LoggedSit(
      start: start, duration: duration, planned: planned, session: title.isEmpty ? activity : title,
      reason: reason.isEmpty ? LoggedSit.imported : reason, note: note.isEmpty ? other : note)
  }
}

extension String {
  /// The text without spaces at its begin and end.
  var trimmingSpaces: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
