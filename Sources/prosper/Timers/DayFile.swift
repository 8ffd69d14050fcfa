import ProsperKit

/// A file that states at which times of a day which sessions play:
///
/// ```yaml
/// prosper: 1
/// title: Day of silence
/// days: sat,sun
/// times:
///   "06:30": zazen.yaml
///   "07:30": { session: walking.yaml, duration: 20m, set: { lang: de } }
///   "12:00": { sit: 25m }
/// ```
struct DayFile {
  /// A session of the day.
  struct Entry {
    var time: TimeOfDay
    /// Nil if it plays on the days of the file.
    var days: CalendarDays?
    /// What it plays, with the options of this entry only.
    var play: ScheduledPlay
    /// The place of the time.
    var location: SourceLocation
  }

  private(set) var title = ""
  /// Nil if the file states no days.
  private(set) var days: CalendarDays?
  /// In the order of their times; those with mistakes are missing.
  private(set) var entries: [Entry] = []
  /// The mistakes in the order of their places.
  private(set) var diagnostics: [Markup.Diagnostic] = []

  /// Whether a file is a day: it has times instead of stages. A file that can't be read is none.
  static func isDay(_ path: String) -> Bool { root(of: path).map { SessionFile.isDay($0) } ?? false }

  private static func root(of path: String) -> Node? {
    guard !SessionFile.isStream(path), let bytes = FilePath.contents(of: path) else { return nil }
    return try? SessionFiles.SessionReader.markup(String(decoding: bytes, as: UTF8.self), path: path)
  }

  /// Reads a file for which `isDay` holds.
  init(_ path: String) {
    let problems = Problems()
    if let root = Self.root(of: path) { read(root, problems) }
    diagnostics = problems.sorted
  }

  private mutating func read(_ root: Node, _ problems: Problems) {
    let keys = ["$schema", "prosper", "title", "days", "times"]
    guard let fields = Fields(root, "the day", keys: keys, required: ["prosper", "title", "times"], problems)
    else { return }
    _ = fields["prosper"]?.wholeNumber(in: 1...1)
    title = fields["title"]?.name ?? ""
    days = fields["days"].flatMap(Self.days)
    guard let times = fields["times"].flatMap({ Fields($0.node, "'times'", problems) }) else { return }
    let folder = SessionFile.folder(of: root.location.file)
    let entries = times.others(than: [])
    if entries.isEmpty {
      problems.report(.empty, times.location, "the day has no sessions", fix: "add one, such as \"06:30\": \"zazen\"")
    }
    self.entries = entries.compactMap { Self.entry($0, in: folder, problems) }.sorted { $0.time < $1.time }
  }

  private static func days(_ value: Value) -> CalendarDays? {
    guard let text = value.text else { return nil }
    return CalendarDays(argument: text) ?? value.refused(fix: "write it like mon-fri, sat,sun or 2026-12-05")
  }

  private static func entry(_ entry: Node.Entry, in folder: String, _ problems: Problems) -> Entry? {
    let time = TimeOfDay(argument: entry.key)
    if time == nil {
      problems.report(
        .invalidValue, entry.location, "'\(shown(entry.key))' is not a time of day", fix: "write it like 06:30")
    }
    let value = Value(entry.value, of: entry.key, problems)
    var (days, play): (CalendarDays?, ScheduledPlay?)
    if case .map = entry.value.content {
      let keys = ["session", "sit", "set", "duration", "volume", "output", "days"]
      guard let fields = value.group("the session at \(entry.key)", keys: keys) else { return nil }
      days = fields["days"].flatMap(Self.days)
      play = Self.play(fields, in: folder, problems)
    } else {
      play = value.name.map { ScheduledPlay(session: path($0, in: folder), options: []) }
    }
    guard let time, let play else { return nil }
    return Entry(time: time, days: days, play: play, location: entry.location)
  }

  /// What an entry plays that is a group of keys.
  private static func play(_ fields: Fields, in folder: String, _ problems: Problems) -> ScheduledPlay? {
    let (session, sit) = (fields["session"], fields["sit"])
    if (session == nil) == (sit == nil) {
      problems.report(
        .conflict, fields.location,
        "there is \(sit == nil ? "neither" : "both") 'session' \(sit == nil ? "nor" : "and") 'sit'",
        fix: "give one of them")
      return nil
    }
    if sit != nil, let key = ["set", "duration"].first(where: { fields[$0] != nil }) {
      problems.report(
        .conflict, fields.location(of: key), "'\(key)' is for sessions, but this is a sit", fix: "remove it")
      return nil
    }
    var options = ["duration", "volume", "output"].flatMap { key in
      fields[key].flatMap { Self.word($0) }.map { ["--\(key)", $0] } ?? []
    }
    if let settings = fields["set"].flatMap({ Fields($0.node, "'set'", problems) }) {
      for entry in settings.others(than: []) {
        let value = Self.word(Value(entry.value, of: entry.key, problems))
        options += value.map { ["--set", "\(entry.key)=\($0)"] } ?? []
      }
    }
    if let sit {
      guard let length = Self.word(sit) else { return nil }
      if length.hasPrefix("-") { return sit.refused(fix: "write its length, such as 25m") }
      return ScheduledPlay(session: "sit", sit: length, options: options)
    }
    return session?.name.map { ScheduledPlay(session: path($0, in: folder), options: options) }
  }

  /// The value of an option, which may be a number.
  private static func word(_ value: Value) -> String? {
    switch value.node.content {
    case .text(let text), .word(let text):
      // A volume may begin with a minus sign; nothing may look like an option.
      text.hasPrefix("--") ? value.refused(fix: "write a value without dashes before it") : text
    case .list, .map: value.refused(fix: "write one value")
    }
  }

  /// The absolute path of a session in the folder of the day; the text itself if it is the name of a session of the
  /// library.
  private static func path(_ text: String, in folder: String) -> String {
    let path = text.hasPrefix("/") ? text : folder + "/" + text
    if FilePath.exists(path) { return path }
    return SessionLibrary().path(named: text) ?? path
  }
}
