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
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(Self.escaped(title))</title>
      \(Self.style)
      </head>
      <body>
      <h1>\(Self.escaped(title))</h1>
      <p class="\(comparison.isSame ? "same" : "different")">\(comparison.isSame ? "The same" : "Different")</p>
      <ul>
      \(report.lines.map { "<li>\(Self.escaped($0.withoutControls))</li>" }.joined(separator: "\n"))
      </ul>
      \(tracks.map(section).joined())</body>
      </html>

      """
  }

  private func section(_ name: String, _ difference: SoundDifference) -> String {
    let picture = ComparePicture(difference, stages: report.stages)
    return """
      <h2>\(name)\(difference.isSame ? ": the same" : "")</h2>
      <figure>\(picture.svg)</figure>
      \(difference.spans.isEmpty ? "" : table(of: difference))
      """
  }

  private func table(of difference: SoundDifference) -> String {
    let rows = difference.spans.prefix(Self.mostRows).map { span in
      "<tr><td>\(Self.escaped(report.words(of: span).withoutControls))</td><td>\(Level.text(span.peak)) dBFS</td></tr>"
    }
    let left = difference.spans.count - rows.count
    return """
      <table>
      <tr><th>span</th><th>largest difference</th></tr>
      \(rows.joined(separator: "\n"))
      </table>
      \(left == 0 ? "" : "<p>\(left) more</p>")

      """
  }

  private static let mostRows = 200

  /// A text for HTML.
  static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: String(character)
      }
    }.joined()
  }

  private static let style = """
    <style>
    :root{color-scheme:light dark;--paper:#fbfaf7;--ink:#33383b;--faint:#6f767a;--a:#4f8593;--b:#83955c;--d:#b5533c}
    body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;
    background:var(--paper);color:var(--ink)}
    h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}figure{margin:0;overflow-x:auto}
    .same,.different{font-size:1.2rem;font-weight:600}.different{color:var(--d)}
    table{border-collapse:collapse}td,th{padding:.2rem 1rem .2rem 0;text-align:left;font-weight:inherit}
    th{color:var(--faint)}svg{width:100%;min-width:30rem;height:auto}svg text{font-size:11px;fill:var(--faint)}
    .a{fill:var(--a)}.b{fill:var(--b)}.d{fill:var(--d)}.mark{fill:var(--d);fill-opacity:.16}
    .rule{stroke:var(--faint);stroke-opacity:.4}
    @media (prefers-color-scheme:dark){
    :root{--paper:#171a1c;--ink:#e6e4df;--faint:#9aa2a6;--a:#79b3c2;--b:#a9bd7d;--d:#e58a72}}
    </style>
    """
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
      let text = ComparePage.escaped(name.withoutControls)
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
