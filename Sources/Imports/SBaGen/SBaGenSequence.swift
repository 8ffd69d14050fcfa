import Markup
import SessionFiles

/// Lays the time-sequence of a program of SBaGen out in time: looks up its names, expands its blocks, and counts all
/// times from the first one.
struct SBaGenSequence {
  private let reader: SBaGenReader
  private var notes: ImportNotes
  private(set) var events: [SBaGenProgram.Event] = []
  /// The last time that is not relative, in seconds from the beginning or of the day.
  private var last: Double?
  /// Whether times count from the start of the program.
  private var countsFromNow: Bool
  /// The number of midnights that have passed, in seconds.
  private var days = 0.0

  /// The largest number of lines and of blocks within each other.
  private static let (maximumEvents, maximumDepth) = (1_000, 16)
  private static let day = 86_400.0

  init(_ reader: SBaGenReader) {
    (self.reader, notes) = (reader, reader.notes)
    countsFromNow = reader.lines.contains { $0.time.base == .now }
  }

  /// - Returns: the events in order, the first one at 0, and the notes.
  static func events(_ reader: SBaGenReader) -> (events: [SBaGenProgram.Event], notes: ImportNotes) {
    var sequence = SBaGenSequence(reader)
    for line in reader.lines { sequence.add(line) }
    let start = sequence.events.first?.time ?? 0
    for index in sequence.events.indices { sequence.events[index].time -= start }
    return (sequence.events, sequence.notes)
  }

  private mutating func add(_ line: SBaGenReader.TimeLine) {
    if notes.hasErrors { return }
    let base: Double
    switch line.time.base {
    case .now: base = 0
    case .clock(let seconds):
      if countsFromNow {
        return notes.leaveOut(
          .invalidValue, line: line.line, "a time of day beside NOW depends on when the program is started",
          fix: "write it relative to NOW", at: .session)
      }
      if let last = events.last?.time, seconds + days + line.time.offset < last, days == 0 { days = Self.day }
      base = seconds + days
    case .last:
      guard let last else {
        return notes.refuse(
          .missingKey, line: line.line, "this time is relative, but no other time stands above it",
          fix: "begin with NOW or a time of day")
      }
      base = last
    }
    if line.time.base != .last { last = base }
    add(line, at: base + line.time.offset, depth: 0)
  }

  private mutating func add(_ line: SBaGenReader.TimeLine, at time: Double, depth: Int) {
    if notes.hasErrors { return }
    if let set = reader.sets[line.name.text] { return add(set, line, at: time) }
    guard let block = reader.blocks[line.name.text] else {
      return notes.refuse(
        .unknownName, line: line.line, column: line.name.column, "'\(shown(line.name.text))' is not defined",
        fix: Suggestion.fix(
          for: line.name.text, among: (Array(reader.sets.keys) + Array(reader.blocks.keys)).sorted()))
    }
    guard depth < Self.maximumDepth else {
      return notes.refuse(
        .tooLarge, line: line.line, column: line.name.column,
        "the block '\(shown(line.name.text))' contains itself, or more than \(Self.maximumDepth) blocks",
        fix: "write its lines out")
    }
    for inner in block {
      guard inner.time.base == .last else {
        return notes.refuse(
          .invalidValue, line: inner.line, "a time within a block is not relative", fix: "begin it with +")
      }
      add(inner, at: time + inner.time.offset, depth: depth + 1)
    }
  }

  private mutating func add(_ set: ToneSet, _ line: SBaGenReader.TimeLine, at time: Double) {
    if let last = events.last?.time, time < last {
      return notes.refuse(
        .invalidValue, line: line.line, "this time is before that of the line above", fix: "put the lines in order")
    }
    guard events.count < Self.maximumEvents, time - (events.first?.time ?? time) <= Session.Limit.session else {
      return notes.refuse(
        .tooLarge, line: line.line, "the program is longer than 168 hours or \(Self.maximumEvents) lines",
        fix: "divide it")
    }
    // Of two tone-sets at one time, the first one is never heard.
    if events.last?.time == time { events.removeLast() }
    events.append(
      SBaGenProgram.Event(
        time: time, set: set, fadeIn: line.fadeIn, fadeOut: line.fadeOut, slides: line.slides, line: line.line))
  }
}
