import Glibc
import ProsperKit

/// How two sounds differ, as one HTML page that needs no other file: what `prosper compare` prints, and drawings.
struct ComparePage {
  private let report: CompareReport

  init(_ report: CompareReport) { self.report = report }

  var html: String {
    let comparison = report.comparison
    let title = "\(comparison.a.name) and \(comparison.b.name)".withoutControls
    let tracks = [(name: "output", difference: comparison.output)] + comparison.layers
    let body = """
      <p class="\(comparison.isSame ? "same" : "different")">\(comparison.isSame ? "The same" : "Different")</p>
      <ul>
      \(report.lines.map { "<li>\($0.withoutControls.forXML)</li>" }.joined(separator: "\n"))
      </ul>
      \(tracks.map(section).joined())
      """
    return HTMLPage(title: title, body: body).html
  }

  private func section(_ name: String, _ difference: SoundDifference) -> String {
    let picture = ComparePicture(difference, stages: report.stages)
    return """
      <h2>\(name)\(difference.isSame ? ": the same" : "")</h2>
      <figure class="wide">\(picture.svg)</figure>
      \(difference.spans.isEmpty ? "" : table(of: difference))
      """
  }

  private func table(of difference: SoundDifference) -> String {
    let rows = difference.spans.map { [report.words(of: $0), "\(Level.text($0.peak)) dBFS"] }
    return HTMLPage.table(["span", "largest difference"], rows, most: Self.mostRows)
  }

  private static let mostRows = 200
}

/// The levels of A, of B and of their difference over time. All measures are in pixels.
struct ComparePicture {
  private let difference: SoundDifference
  private let stages: [(name: String, begin: Double)]
  private let seconds: Double

  private static let (width, left, right) = (960.0, 34.0, 8.0)
  private static let (row, gap, top) = (60.0, 8.0, 22.0)
  /// The level at the bottom of a row in dBFS.
  private static let floor = -90.0
  /// The largest number of points of an outline.
  private static let points = 900

  init(_ difference: SoundDifference, stages: [(name: String, begin: Double)]) {
    (self.difference, self.stages) = (difference, stages)
    seconds = max(0.1, difference.lengthA, difference.lengthB)
  }

  var svg: String {
    let height = Self.top + 3 * (Self.row + Self.gap) + 16
    let rows = [
      outline("a", "A", row: 0) { Double($0.a) }, outline("b", "B", row: 1) { Double($0.b) },
      outline("d", "A−B", row: 2) { Double($0.peak) * Double($0.peak) },
    ]
    return """
      <svg viewBox="0 0 \(Self.number(Self.width)) \(Self.number(height))" role="img" aria-label="Levels over time">
      \(marks)\(rows.joined())\(stageNames)\(times(below: height - 4))</svg>
      """
  }

  private func x(_ second: Double) -> Double {
    Self.left + (Self.width - Self.left - Self.right) * min(max(0, second / seconds), 1)
  }

  private static func y(_ decibels: Double, row index: Int) -> Double {
    let bottom = top + Double(index + 1) * (row + gap) - gap
    return bottom - row * min(max(0, 1 - decibels / floor), 1)
  }

  /// The area under the largest level of each point, with its name.
  private func outline(_ kind: String, _ name: String, row: Int, _ power: (ComparedStep) -> Double) -> String {
    let steps = difference.steps
    let stride = max(1, (steps.count + Self.points - 1) / Self.points)
    let bottom = Self.number(Self.y(Self.floor, row: row))
    var path = "M\(Self.number(Self.left)) \(bottom)"
    for begin in Swift.stride(from: 0, to: steps.count, by: stride) {
      let end = min(begin + stride, steps.count)
      let level = Self.number(Self.y(10 * log10(steps[begin..<end].map(power).max() ?? 0), row: row))
      path += "L\(Self.number(x(Double(begin) / 10))) \(level)L\(Self.number(x(Double(end) / 10))) \(level)"
    }
    path += "V\(bottom)Z"
    return "<text x=\"0\" y=\"\(bottom)\">\(name)</text><path class=\"\(kind)\" d=\"\(path)\"/>\n"
  }

  /// The spans that differ, behind the outlines.
  private var marks: String {
    difference.spans.prefix(Self.points).map { span in
      let (begin, end) = (x(span.from), x(span.to))
      let height = 3 * (Self.row + Self.gap)
      return "<rect class=\"mark\" x=\"\(Self.number(begin))\" y=\"\(Self.number(Self.top))\" "
        + "width=\"\(Self.number(max(1, end - begin)))\" height=\"\(Self.number(height))\"/>\n"
    }.joined()
  }

  private var stageNames: String {
    var end = -Double.infinity
    return stages.map { stage in
      let begin = x(stage.begin)
      let bottom = Self.number(Self.top + 3 * (Self.row + Self.gap))
      let rule = "<path class=\"rule\" d=\"M\(Self.number(begin)) 4V\(bottom)\"/>"
      if begin < end { return rule + "\n" }
      let name = stage.name.count <= 30 ? stage.name : stage.name.prefix(29) + "…"
      end = begin + 7 * Double(name.count)
      let text = name.withoutControls.forXML
      return rule + "<text x=\"\(Self.number(begin + 3))\" y=\"14\">\(text)</text>\n"
    }.joined()
  }

  private func times(below y: Double) -> String {
    let times = ComparedTimes(upTo: seconds)
    return (0...4).map { quarter in
      let second = seconds * Double(quarter) / 4
      let anchor = quarter == 0 ? "start" : quarter == 4 ? "end" : "middle"
      return "<text x=\"\(Self.number(x(second)))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\">"
        + "\(times.tenths(second))</text>\n"
    }.joined()
  }

  private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
