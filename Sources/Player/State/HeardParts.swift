import Signal

/// The parts of the stages that have been heard. What a listener leaves out is in none of them.
struct HeardParts: Sendable {
  /// A part of a stage without a jump in it, in seconds from the beginning of the stage.
  struct Part: Sendable, Hashable {
    var stage: String
    var from: Double
    var to: Double
  }

  /// At most so many parts are kept.
  static let kept = 100

  /// The last parts, in the order in which they were heard.
  private(set) var last: [Part] = []
  /// The current visit: a jump changes the frame at which the stage would have begun.
  private var visit: (stage: Int, begin: FrameTime)?

  /// The stage `index` is heard, `at` seconds after its beginning.
  mutating func note(stage name: String, index: Int, begin: FrameTime, at: Double) {
    if let visit, visit == (index, begin), let part = last.last {
      last[last.count - 1].to = max(part.to, at)
      return
    }
    visit = (index, begin)
    last.append(Part(stage: name, from: at, to: at))
    if Self.kept < last.count { last.removeFirst() }
  }
}

extension HeardParts.Part {
  var json: JSONLine { ["stage": stage, "from": Rounded(from), "to": Rounded(to)] }
}
