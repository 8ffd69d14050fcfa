import Foundation

/// A session that systemd plays at certain times. It is saved as JSON in the timer's unit file.
struct SessionTimer: Codable, Hashable {
  /// The version of this JSON object.
  var version = 1
  /// The absolute path of the session; for a sit, its command.
  var session: String
  /// The length of a sit, as it was given; nil for a session.
  var sit: String?
  var title: String
  /// Times of day and days, in the notation of `--at` and `--days`.
  var at: [String]
  var days: String
  /// How late the session may start, in seconds.
  var grace: Double
  /// Whether the computer wakes up for it.
  var wakes: Bool
  /// The options of `prosper play` or `prosper sit`, without the session or the length.
  var options: [String]
  /// How long the session plays, in seconds, as it was when it was scheduled; nil if only the listener ends it.
  var length: Double?
  /// Its outputs; nil if they are unknown.
  var outputs: [String]?
  /// The day that it is a part of; nil for a session that was scheduled on its own.
  var day: Day?

  /// The file of a day, of which each session has a timer.
  struct Day: Codable, Hashable {
    /// The name with which the names of its timers begin.
    var name: String
    /// The absolute path.
    var path: String
  }

  /// The arguments of the program.
  var command: [String] { (sit.map { ["sit", $0] } ?? ["play", session]) + options }

  /// Whether it plays the same in the same way as another one. Its length may have changed since it was saved.
  func plays(as other: SessionTimer) -> Bool {
    var same = self
    (same.length, same.outputs) = (other.length, other.outputs)
    return same == other
  }

  /// The prefix of the names of all units of prosper.
  static let prefix = "prosper-"

  /// The times; nil if the file was edited and `at` or `days` is not valid any more.
  var times: CalendarTimes? {
    let times = at.compactMap(TimeOfDay.init(argument:))
    guard !times.isEmpty, times.count == at.count, let days = CalendarDays(argument: days) else { return nil }
    return CalendarTimes(times, on: days)
  }

  /// Whether it was for dates that are over.
  var isOver: Bool {
    guard let times, case .dates = times.days else { return false }
    return times.next(after: CalendarTimes.now) == nil
  }

  /// The default name of a timer: the file name without its suffix, with `-` in place of characters that names of units
  /// can't have.
  static func name(for session: String) -> String {
    let file = session.split(separator: "/").last.map(String.init) ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
    let words = (stem.isEmpty ? file[...] : stem).split { !isAllowed($0) || $0 == "-" }
    let name = words.joined(separator: "-")
    return name.isEmpty ? "session" : String(name.prefix(100))
  }

  /// Whether a text can be the name of a timer.
  static func isName(_ text: String) -> Bool { 1...100 ~= text.utf8.count && text.allSatisfy(isAllowed) }

  private static func isAllowed(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }
}

/// The section of the unit file in which the timer is saved. systemd ignores sections that begin with `X-`.
extension SessionTimer {
  private static let section = "[X-Prosper]"
  private static let key = "Timer="

  /// The section, which `init(unit:)` reads.
  var record: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    return "\(Self.section)\n\(Self.key)\(json)\n"
  }

  /// Reads the section of a unit file; nil if it has none, because it was not written by prosper.
  init?(unit text: String) {
    let lines = text.split(separator: "\n").drop { $0 != Self.section }
    guard let line = lines.first(where: { $0.hasPrefix(Self.key) }),
      let timer = try? JSONDecoder().decode(SessionTimer.self, from: Data(line.dropFirst(Self.key.count).utf8))
    else { return nil }
    self = timer
  }
}
