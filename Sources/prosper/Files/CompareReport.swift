import Glibc
import ProsperKit

/// How two sounds differ, as `prosper compare` prints it.
struct CompareReport {
  let comparison: Comparison
  /// The stages of A, or of B if A is a sound file.
  let stages: [(name: String, begin: Double)]
  private let times: ComparedTimes

  /// How many spans of a track are printed.
  private static let mostSpans = 10

  init(_ comparison: Comparison) {
    self.comparison = comparison
    stages = comparison.a.isSession ? comparison.a.stages : comparison.b.stages
    times = ComparedTimes(upTo: max(comparison.output.lengthA, comparison.output.lengthB))
  }

  /// The lines for a person.
  var text: String { lines.map { $0.withoutControls + "\n" }.joined() }

  /// The same without line ends.
  var lines: [String] {
    let output = comparison.output
    let residual = "residual \(Level.text(output.peak)) dBFS, limit \(Level.text(output.limit)) dBFS"
    if comparison.isSame { return ["same: " + residual] }
    return ["different: " + residual, "A is \(comparison.a.name), B is \(comparison.b.name)"] + places + end + tracks
  }

  private var places: [String] {
    let output = comparison.output
    guard let first = output.first, let worst = output.worst, first.level.isFinite else { return [] }
    return [
      "first: \(times.exact(first.second))\(stage(first.second)), \(Level.text(first.level)) dBFS",
      "worst: the second from \(times.whole(worst.second))\(stage(worst.second)), \(Level.text(worst.level)) dBFS",
    ]
  }

  /// Missing or added seconds.
  private var end: [String] {
    let output = comparison.output
    if output.addedSeconds == 0 { return [] }
    let seconds = Spelling.decimal(abs(output.addedSeconds), digits: 3)
    let word = output.addedSeconds < 0 ? "earlier" : "later"
    return ["length: B ends \(seconds) s \(word) than A, at \(times.exact(output.lengthB))"]
  }

  /// What is different in which track. The layers say it better than the output.
  private var tracks: [String] {
    let layers = comparison.layers
    if !comparison.output.isSame, layers.allSatisfy(\.difference.isSame) {
      let output = lines(of: "output", comparison.output)
      if layers.isEmpty || comparison.output.spans.isEmpty { return output }
      return output + [
        "music, overlays and gongs are the same: only the volume of the session differs, or what the limiter does"
      ]
    }
    return layers.flatMap { $0.difference.isSame ? ["\($0.name): the same"] : lines(of: $0.name, $0.difference) }
  }

  private func lines(of track: String, _ difference: SoundDifference) -> [String] {
    if let explanation = difference.explanation { return ["\(track): \(words(of: explanation))"] }
    let spans = difference.spans
    let lines = spans.prefix(Self.mostSpans).map { "\(track): \(words(of: $0))" }
    let left = spans.count - lines.count
    return left == 0 ? lines : lines + ["\(track): \(left) more; --json prints all"]
  }

  /// Such as "B is 3.0 dB softer from 25.0 to 34.3 s (stage 'Sitting')".
  func words(of span: DifferenceSpan) -> String {
    let what =
      switch span.kind {
      case .level: "B is \(Self.words(ofGain: span.decibels))"
      case .onlyA: "only A has sound"
      case .onlyB: "only B has sound"
      case .sound:
        abs(span.decibels) < 0.5 || !span.decibels.isFinite
          ? "the sound differs" : "the sound differs, and B is \(Self.words(ofGain: span.decibels))"
      }
    return "\(what) \(self.span(span.from, span.to))"
  }

  private func words(of explanation: DifferenceExplanation) -> String {
    var parts: [String] = []
    if explanation.shift != 0 {
      let (size, isShort) = (abs(explanation.shift), abs(explanation.shift) < 1)
      let shift = Spelling.decimal(isShort ? size * 1_000 : size, digits: 3)
      parts.append("\(shift) \(isShort ? "ms" : "s") \(explanation.shift < 0 ? "earlier" : "later")")
    }
    if explanation.isInverted { parts.append("inverted") }
    if 0.05 <= abs(explanation.decibels) { parts.append(Self.words(ofGain: explanation.decibels)) }
    let when = span(explanation.from, explanation.to)
    return "B is \(parts.joined(separator: " and ")) \(when); that leaves \(Level.text(explanation.rest)) dBFS"
  }

  /// A span with its stages, such as "from 25.0 to 34.3 s (stage 'Sitting')".
  private func span(_ begin: Double, _ end: Double) -> String {
    let isToTheEnd = max(comparison.output.lengthA, comparison.output.lengthB) <= end
    if begin == 0, isToTheEnd { return "throughout" }
    let times = isToTheEnd ? "\(times.tenths(begin)) on" : times.span(begin, end)
    return "from \(times)\(stages(from: begin, to: end))"
  }

  private static func words(ofGain decibels: Double) -> String {
    "\(Level.text(abs(decibels))) dB \(decibels < 0 ? "softer" : "louder")"
  }

  /// The stage of a second, in brackets; nothing if there are no stages.
  private func stage(_ second: Double) -> String { stageName(second).map { " (stage '\($0)')" } ?? "" }

  /// The stage of a second; nil if there are no stages.
  func stageName(_ second: Double) -> String? { stages.last { $0.begin <= second }?.name }

  private func stages(from begin: Double, to end: Double) -> String {
    // Spans are rounded to 0.1 s.
    let (first, last) = (stageName(begin + 0.05), stageName(max(begin, end - 0.05)))
    guard let first, let last, first != last else { return stage(begin + 0.05) }
    return " (stages '\(first)' to '\(last)')"
  }
}

/// Times for a person: in seconds if the sounds are short, otherwise as minutes and seconds.
struct ComparedTimes {
  private let isShort: Bool

  /// - Parameter length: of the longer sound in seconds.
  init(upTo length: Double) { isShort = length <= 60 }

  /// With three decimals.
  func exact(_ second: Double) -> String { text(second, digits: 3) + unit }
  func tenths(_ second: Double) -> String { text(second, digits: 1) + unit }
  func whole(_ second: Double) -> String { text(second, digits: 0) + unit }
  func span(_ begin: Double, _ end: Double) -> String { "\(text(begin, digits: 1)) to \(tenths(end))" }

  private var unit: String { isShort ? " s" : "" }

  private func text(_ second: Double, digits: Int) -> String {
    let scale = [1, 10, 100, 1_000][digits]
    let count = Int64((second * Double(scale)).rounded())
    let (whole, rest) = (count / Int64(scale), count % Int64(scale))
    let fraction = digits == 0 ? "" : "." + Self.padded(rest, digits)
    if isShort { return "\(whole)\(fraction)" }
    let minutes = whole / 60 % 60
    let hours = 3_600 <= whole ? "\(whole / 3_600):" : ""
    let before = hours + (hours.isEmpty ? "\(minutes)" : Self.padded(minutes, 2))
    return before + ":" + Self.padded(whole % 60, 2) + fraction
  }

  private static func padded(_ number: Int64, _ digits: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

extension CompareReport {
  /// One JSON object and the end of its line. Levels are in dBFS, times in seconds, gains in decibels; null stands for an
  /// infinity, or for what does not exist.
  var json: String {
    let output = comparison.output
    var line: JSONLine = [
      "v": 1, "a": comparison.a.name, "b": comparison.b.name, "same": comparison.isSame,
      "sampleRate": comparison.sampleRate, "limit": Rounded(output.limit), "secondsA": Rounded(output.lengthA),
      "secondsB": Rounded(output.lengthB), "addedSeconds": Rounded(output.addedSeconds),
    ]
    line.add(members(of: output))
    if !comparison.layers.isEmpty {
      line.add(
        "layers",
        comparison.layers.map { layer in
          ["name": layer.name, "same": layer.difference.isSame] as JSONLine + members(of: layer.difference)
        })
    }
    return line.description + "\n"
  }

  private func members(of difference: SoundDifference) -> JSONLine {
    [
      "residual": Self.level(difference.peak), "residualRms": Self.level(difference.rms),
      "first": difference.first.map(object), "worst": difference.worst.map(object),
      "explanation": difference.explanation.map(Self.object), "spans": difference.spans.map(object),
    ]
  }

  private func object(of place: SoundDifference.Place) -> JSONLine {
    ["second": Rounded(place.second), "stage": IfAny(stageName(place.second)), "residualRms": Self.level(place.level)]
  }

  private func object(of span: DifferenceSpan) -> JSONLine {
    [
      "from": Rounded(span.from), "to": Rounded(span.to), "stage": IfAny(stageName(span.from + 0.05)),
      "kind": span.kind.rawValue, "gain": Self.level(span.decibels), "residual": Self.level(span.peak),
    ]
  }

  private static func object(of explanation: DifferenceExplanation) -> JSONLine {
    [
      "from": Rounded(explanation.from), "to": Rounded(explanation.to), "gain": Rounded(explanation.decibels),
      "inverted": explanation.isInverted,
      "shift": explanation.shift, "residualRms": level(explanation.rest),
    ]
  }

  private static func level(_ level: Double) -> Rounded { Rounded(level.isFinite ? level : nil) }
}
