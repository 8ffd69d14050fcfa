import Markup
import Schedule

/// Reads when the sounds of an overlay follow each other: `every`, `gap` and `count`.
struct SeriesReader {
  private let fields: Fields
  private let problems: Problems

  init(_ fields: Fields, _ problems: Problems) { (self.fields, self.problems) = (fields, problems) }

  /// How many sounds play in all, with the silence between them, and the seconds from one beginning to the next.
  ///
  /// A list plays once by default, and a single sound that follows itself until the stage ends.
  func series(of sounds: [Session.Sound]) -> (repetition: Session.Repetition, interval: Double?) {
    let (every, gap) = (fields["every"]?.interval, fields["gap"]?.duration)
    let count = fields["count"]?.times
    let isList = fields["sounds"] != nil
    check(isList: isList)
    let isSeries = isList || fields["every"] != nil || fields["gap"] != nil
    if !isSeries { return (.once, nil) }
    let standard = isList ? OverlayRequest.Times.times(max(1, sounds.count)) : .forever
    return (Session.Repetition(times: count ?? standard, delay: every == nil ? gap ?? 0 : 0), every)
  }

  /// Reports keys that contradict or need each other.
  private func check(isList: Bool) {
    if fields["every"] != nil { conflict("gap", with: "every", fix: "keep one of them") }
    if fields["repeat"] != nil {
      let series = ["sounds", "every", "gap", "count"].first { fields[$0] != nil }
      if let series {
        conflict(
          "repeat", with: series,
          fix: "write 'count', how many sounds play in all, and 'every' or 'gap' instead of 'repeat'")
      }
    } else if fields["count"] != nil, !isList, fields["every"] == nil, fields["gap"] == nil {
      problems.report(
        .missingKey, fields.location(of: "count"), "'count' needs 'every' or 'gap'",
        fix: "add one of them, or remove 'count'")
    }
  }

  /// Reports that an overlay has two keys of which it may have only one.
  private func conflict(_ key: String, with other: String, fix: String) {
    if fields[key] == nil { return }
    problems.report(
      .conflict, fields.location(of: key),
      "an overlay has both '\(key)' and, in line \(fields.location(of: other).line), '\(other)'", fix: fix)
  }
}

extension Value {
  /// How many times a sound plays: a whole number, or `"forever"`.
  var times: OverlayRequest.Times? {
    if node.string == "forever" { return .forever }
    if node.string != nil { return refused(fix: "write a whole number or \"forever\"") }
    return wholeNumber(in: 1...Session.Limit.cues).map { .times($0) }
  }
}
