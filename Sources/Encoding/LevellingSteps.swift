/// The work of a file that is levelled, and how much of it is done.
struct LevellingSteps {
  /// A pass over the whole sound.
  enum Step {
    /// Limits and measures it.
    case limiting
    /// Limits and encodes it.
    case encoding
    /// Decodes it, and measures its true peaks, too.
    case decoding

    /// How long it takes, compared with the others.
    fileprivate var weight: Double {
      switch self {
      case .limiting: 1
      case .encoding: 2
      case .decoding: 4
      }
    }
  }

  private let show: @Sendable (Double) -> Void
  /// The weights of the steps that are expected and have not begun.
  private var expected = 0.0
  /// The part of all work that was done when the current step began, and the part that it is.
  private var (done, share) = (0.0, 0.0)

  /// - Parameter show: called with the part of all work that is done, 0 to 1, which never becomes less.
  init(show: @escaping @Sendable (Double) -> Void) { self.show = show }

  /// Adds steps that will come. How many are needed is known only at the end.
  mutating func expect(_ steps: [Step]) { expected += steps.map(\.weight).reduce(0, +) }

  /// Begins a step, after the one before is done.
  mutating func begin(_ step: Step) {
    done += share
    // Something is left for steps that nobody expected.
    let rest = max(expected, 1.1 * step.weight)
    share = (1 - done) * step.weight / rest
    expected = max(0, expected - step.weight)
    note(0)
  }

  /// Notes the part of the current step that is done, 0 to 1.
  func note(_ part: Double) { show(done + share * min(1, part)) }
}
