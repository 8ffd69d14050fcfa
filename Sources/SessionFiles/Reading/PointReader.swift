import Markup
import Sounds

/// Reads the points of a built-in sound: how its volume, and some of its settings, change while it plays.
struct PointReader {
  private let description: GeneratorDescription
  private let problems: Problems

  init(_ description: GeneratorDescription, _ problems: Problems) {
    (self.description, self.problems) = (description, problems)
  }

  /// The points that are valid. Those that are not in order are reported.
  func points(_ value: Value) -> [Recipe.Point] {
    var points: [Recipe.Point] = []
    for node in value.elements() {
      guard let (point, location) = point(node) else { continue }
      if let last = points.last, point.at < last.at {
        problems.report(
          .invalidValue, location,
          "the point at \(TimeSpelling.text(point.at)) follows one at \(TimeSpelling.text(last.at))",
          fix: "put the points in the order of their times")
      }
      points.append(point)
    }
    return points
  }

  private func point(_ node: Node) -> (Recipe.Point, SourceLocation)? {
    let names = description.changing.map(\.name)
    guard let fields = Fields(node, "a point", keys: ["at"] + names, required: ["at"], problems),
      let at = fields["at"]?.duration
    else { return nil }
    var point = Recipe.Point(at: at, settings: [:])
    for setting in description.changing {
      point.settings[setting.name] = fields[setting.name].flatMap {
        setting.value(of: $0, in: "a point of '\(description.name)'")
      }
    }
    if names.allSatisfy({ fields[$0] == nil }) {
      problems.report(
        .empty, fields.location, "this point changes nothing",
        fix: "add \(names.map { "\"\($0)\"" }.joined(separator: " or "))")
    }
    return (point, fields.location(of: "at"))
  }
}

extension GeneratorDescription.Setting {
  /// The value of the setting; nil, with an error reported, if it is no number or outside its range.
  func value(of value: Value, in owner: String) -> Double? {
    guard let number = value.number() else { return nil }
    if range.contains(number) { return number }
    return value.refused(
      "of \(owner) is \(value.node.found)",
      fix: "write a number from \(Spelling.plain(range.lowerBound)) to \(Spelling.plain(range.upperBound))")
  }
}
