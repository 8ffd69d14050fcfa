/// A set of days of the week.
struct Weekdays: OptionSet, Hashable, CustomStringConvertible {
  /// Bit 0 is Monday, bit 6 is Sunday.
  let rawValue: UInt8

  static let daily = Weekdays(rawValue: 0b111_1111)
  private static let weekdays = Weekdays(rawValue: 0b001_1111)
  private static let weekends = Weekdays(rawValue: 0b110_0000)
  private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let longNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Reads days, ranges and groups, separated by commas: `mon-fri`, `sat,sun`, `fri-mon`, `daily`, `weekdays`,
  /// `weekends`. Returns nil for any other text.
  init?(argument: String) {
    var days: Weekdays = []
    for part in argument.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      guard let group = Self.group(part) else { return nil }
      days.formUnion(group)
    }
    self = days
  }

  private static func group(_ text: Substring) -> Weekdays? {
    switch text {
    case "daily": return .daily
    case "weekdays": return .weekdays
    case "weekends": return .weekends
    default: break
    }
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(index)
    guard 1...2 ~= ends.count, let first = ends[0], let last = ends[ends.count - 1] else { return nil }
    // A range may extend into the next week, as in `fri-mon`.
    return (0...(last - first + 7) % 7).reduce(into: []) { $0.insert(.day((first + $1) % 7)) }
  }

  /// 0 for Monday to 6 for Sunday; nil if the text is not a day.
  private static func index(_ name: Substring) -> Int? {
    names.firstIndex(of: String(name)) ?? longNames.firstIndex(of: String(name))
  }

  private static func day(_ index: Int) -> Weekdays { Weekdays(rawValue: 1 << UInt8(index)) }

  /// Whether the set contains a day, numbered as in `tm_wday`, where 0 is Sunday.
  func contains(weekday: Int32) -> Bool { contains(.day((Int(weekday) + 6) % 7)) }

  /// The shortest notation that `init` reads, such as `mon-fri` or `tue,sat,sun`.
  var description: String {
    self == .daily
      ? "daily"
      : runs.map { run in
        let (first, last) = (Self.names[run.lowerBound], Self.names[run.upperBound])
        return run.count == 1 ? first : first + (run.count == 2 ? "," : "-") + last
      }.joined(separator: ",")
  }

  /// The days in the notation of systemd's calendar, such as `Mon..Fri`; nil for all of them.
  var calendar: String? {
    self == .daily
      ? nil
      : runs.map { run in
        let (first, last) = (Self.names[run.lowerBound].capitalized, Self.names[run.upperBound].capitalized)
        return run.count == 1 ? first : first + (run.count == 2 ? "," : "..") + last
      }.joined(separator: ",")
  }

  /// The days in the notation of cron, such as `1-5`; `*` for all of them.
  var cron: String {
    self == .daily
      ? "*"
      : runs.map { $0.count == 1 ? "\($0.lowerBound + 1)" : "\($0.lowerBound + 1)-\($0.upperBound + 1)" }.joined(
        separator: ",")
  }

  /// Consecutive days from Monday to Sunday, as indices.
  private var runs: [ClosedRange<Int>] {
    (0..<7).filter { contains(.day($0)) }.reduce(into: []) { runs, index in
      if let last = runs.last, last.upperBound == index - 1 {
        runs[runs.count - 1] = last.lowerBound...index
      } else {
        runs.append(index...index)
      }
    }
  }
}

extension String {
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
