/// A program of SBaGen: tone-sets at times. All times are in seconds.
struct SBaGenProgram {
  /// How the change to a tone-set, or from it, begins or ends.
  enum Fade: Character {
    /// Through silence.
    case silence = "<"
    /// Voices that stay the same continue; the others fade.
    case keep = "-"
    /// Voices of one kind slide.
    case slide = "="

    /// Nil if the character states no fade.
    init?(_ character: Character) { self.init(rawValue: character == ">" ? "<" : character) }
  }

  /// A line of the time-sequence, with its blocks expanded.
  struct Event {
    /// From the beginning of the program.
    var time: Double
    let set: ToneSet
    let fadeIn: Fade
    let fadeOut: Fade
    /// Whether the change to the next one takes all the time until it.
    let slides: Bool
    let line: Int
  }

  /// In ascending order; the first one is at 0.
  var events: [Event] = []
  /// The time of a change, half of it before and half after the time of the next tone-set.
  var fade = 60.0
  /// The volume of everything, 0 to 1.
  var volume = 1.0
  /// Whether the program ends with its last event.
  var ends = false
  /// The length that an option states.
  var length: Double?
  /// Lines for the listener, which begin with `##`.
  var description: [String] = []
}

/// A time as a line of the time-sequence writes it: `12:30`, `NOW+0:05`, `+00:10:30`.
struct SBaGenTime {
  enum Base: Hashable {
    case now
    /// The time of day in seconds.
    case clock(Double)
    /// After the last time of another kind.
    case last
  }

  var base: Base
  var offset: Double

  /// Nil if the text is no time.
  init?(_ text: String) {
    var parts = text.split(separator: "+", omittingEmptySubsequences: false)[...]
    guard let first = parts.popFirst() else { return nil }
    switch first {
    case "NOW": base = .now
    case "" where !parts.isEmpty: base = .last
    default:
      guard let seconds = Self.seconds(first) else { return nil }
      base = .clock(seconds)
    }
    offset = 0
    for part in parts {
      guard let seconds = Self.seconds(part) else { return nil }
      offset += seconds
    }
  }

  /// `hh:mm` or `hh:mm:ss` in seconds.
  static func seconds(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      1...3 ~= part.utf8.count && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    guard 2...3 ~= parts.count, numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
      return nil
    }
    return Double(numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0))
  }
}
