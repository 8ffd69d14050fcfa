import Markup
import Sounds

/// When a gong strikes, as its keys say: at positions, and besides at an interval or at random moments.
struct GongMoments {
  /// At an interval or at random; at positions if the gong has only these.
  private(set) var times: Session.Gong.Times
  /// The positions of a gong that has others, too.
  private(set) var extra: [Session.Position] = []
  /// The share of the interval by which strikes are moved.
  let jitter: Double
  let seed: UInt64?

  /// Reads the keys, and reports those that contradict or need each other.
  init(_ fields: Fields, _ problems: Problems) {
    let at = fields["at"]?.positions ?? []
    let every = fields["every"]?.interval
    let count = fields["count"]?.wholeNumber(in: 1...Session.Limit.cues)
    let random = fields["random"]?.wholeNumber(in: 1...Session.Limit.cues / 2)
    let minimum = fields["minimum"]?.interval
    jitter = fields["jitter"]?.jitter ?? 0
    seed = fields["seed"]?.wholeNumber(in: 0...OriginReader.largestSeed).map { UInt64($0) }
    if let every {
      (times, extra) = (.every(every, count: count), at)
    } else if let random {
      (times, extra) = (.random(random, minimum: minimum), at)
    } else {
      times = .at(at)
    }
    Self.check(fields, problems)
  }

  private static func check(_ fields: Fields, _ problems: Problems) {
    if fields["every"] != nil, fields["random"] != nil {
      problems.report(
        .conflict, fields.location(of: "random"),
        "a gong has both 'random' and, in line \(fields.location(of: "every").line), 'every'", fix: "write two gongs")
    } else if ["at", "every", "random"].allSatisfy({ fields[$0] == nil }) {
      problems.report(
        .missingKey, fields.location, "a gong has none of 'at', 'every' and 'random'",
        fix: "add one, such as \"at\": \"start\"")
    }
    let needs: [(key: String, others: [String])] = [
      ("count", ["every"]), ("jitter", ["every"]), ("minimum", ["random"]), ("seed", ["random", "jitter"]),
    ]
    for (key, others) in needs where fields[key] != nil && others.allSatisfy({ fields[$0] == nil }) {
      let names = others.map { "'\($0)'" }.joined(separator: " or ")
      problems.report(
        .missingKey, fields.location(of: key), "'\(key)' needs \(names)", fix: "add \(names), or remove '\(key)'")
    }
  }
}

extension Value {
  /// How far strikes are moved: a percentage from 0 to 50, or a number from 0 to 0.5.
  fileprivate var jitter: Double? {
    let share =
      node.string.map { VolumeSpelling.percent($0).map { $0 / 100 } } ?? number("a percentage such as \"20%\"")
    if node.string == nil, share == nil { return nil }
    if let share, 0...0.5 ~= share { return share }
    return refused(fix: "write a percentage from \"0%\" to \"50%\"")
  }
}
