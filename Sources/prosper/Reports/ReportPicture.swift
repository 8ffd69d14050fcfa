import Glibc
import ProsperKit

/// The levels of a session over time: its layers, its loudness, its stages and gaps. All measures are in pixels.
struct ReportPicture {
  private let facts: SessionFacts
  private let sound: SessionSound
  private let seconds: Double

  private static let (width, left, right) = (960.0, 62.0, 8.0)
  private static let (row, gap, top) = (52.0, 14.0, 22.0)
  /// The loudness at the top and at the bottom of its row in LUFS.
  private static let (loudest, softest) = (0.0, -60.0)
  private static let points = 800

  private static let layers: [(bus: Bus, name: String, kind: String, cues: ReportedCue.Kind)] = [
    (.music, "music", "a", .track), (.overlays, "overlays", "b", .overlay), (.effects, "gongs", "c", .gong),
  ]

  static let style = ".line{stroke:var(--ink);stroke-width:1.2;fill:none}.tick{stroke:var(--faint);stroke-width:1}\n"

  init(_ facts: SessionFacts, _ sound: SessionSound) {
    (self.facts, self.sound) = (facts, sound)
    seconds = max(0.1, facts.end - facts.begin)
  }

  var svg: String {
    let height = Self.bottom(ofRow: 3) + 20
    let rows = Self.layers.indices.map { layer($0) }.joined()
    return """
      <svg viewBox="0 0 \(Self.number(Self.width)) \(Self.number(height))" role="img" \
      aria-label="Peaks of the layers and loudness over time">
      \(stages)\(rows)\(loudness)\(gaps)\(times(below: height - 4))</svg>
      """
  }

  private func x(_ second: Double) -> Double {
    Self.left + (Self.width - Self.left - Self.right) * min(max(0, (second - facts.begin) / seconds), 1)
  }

  private static func bottom(ofRow index: Int) -> Double { top + Double(index + 1) * (row + gap) - gap }

  /// The peaks of a layer, mirrored around the middle of its row, and what began in it. Their square root shows soft
  /// sounds, too.
  private func layer(_ index: Int) -> String {
    let (bus, name, kind, cues) = Self.layers[index]
    let middle = Self.bottom(ofRow: index) - Self.row / 2
    let label = "<text x=\"0\" y=\"\(Self.number(middle + 4))\">\(name)</text>"
    guard let peaks = sound.traces[bus]?.peaks, peaks.contains(where: { 0 < $0 }) else {
      let end = Self.number(Self.width - Self.right)
      return label + "<path class=\"rule\" d=\"M\(Self.number(Self.left)) \(Self.number(middle))H\(end)\"/>\n"
    }
    let stride = max(1, (peaks.count + Self.points - 1) / Self.points)
    let outline = Swift.stride(from: 0, to: peaks.count, by: stride).map { first -> (x: Double, half: Double) in
      let peak = peaks[first..<min(first + stride, peaks.count)].max() ?? 0
      return (x(sound.start + Double(first) * sound.step), Self.row / 2 * Double(min(1, peak)).squareRoot())
    }
    let upper = outline.map { "\(Self.number($0.x)) \(Self.number(middle - $0.half))" }
    let lower = outline.reversed().map { "\(Self.number($0.x)) \(Self.number(middle + $0.half))" }
    let shape = "<path class=\"\(kind)\" d=\"M\((upper + lower).joined(separator: "L"))Z\"/>"
    return label + shape + ticks(of: cues, at: Self.bottom(ofRow: index)) + "\n"
  }

  private func ticks(of kind: ReportedCue.Kind, at y: Double) -> String {
    facts.cues.lazy.filter { $0.kind == kind }.compactMap(\.actual).prefix(1_000).map { at in
      "<path class=\"tick\" d=\"M\(Self.number(self.x(at))) \(Self.number(y + 1))v6\"/>"
    }.joined()
  }

  /// The momentary loudness of the output, at most as many points as there is room for.
  private var loudness: String {
    let bottom = Self.bottom(ofRow: 3)
    let y = { (loudness: Double) in
      bottom - Self.row * min(max(0, (loudness - Self.softest) / (Self.loudest - Self.softest)), 1)
    }
    let values = sound.momentary
    let stride = max(1, (values.count + Self.points - 1) / Self.points)
    let points = Swift.stride(from: 0, to: values.count, by: stride).map { first in
      let loudest = values[first..<min(first + stride, values.count)].max() ?? -.infinity
      return "\(Self.number(x(sound.start + Double(first + 1) / 10))) \(Self.number(y(Double(loudest))))"
    }
    let scale = [0.0, -23, -60].map { level in
      "<text x=\"\(Self.number(Self.left - 4))\" y=\"\(Self.number(y(level) + 4))\" text-anchor=\"end\">\(Int(level))</text>"
        + "<path class=\"rule\" d=\"M\(Self.number(Self.left)) \(Self.number(y(level)))H\(Self.number(Self.width - Self.right))\"/>"
    }
    let line = points.isEmpty ? "" : "<path class=\"line\" d=\"M\(points.joined(separator: "L"))\"/>"
    return "<text x=\"0\" y=\"\(Self.number(bottom - Self.row / 2 + 4))\">LUFS</text>" + scale.joined() + line + "\n"
  }

  private var gaps: String {
    facts.gaps.prefix(Self.points).map { gap in
      let (begin, height) = (x(gap.at), Self.bottom(ofRow: 3) - Self.top)
      // An outage takes no session time, so it is a line.
      return "<rect class=\"mark d\" x=\"\(Self.number(begin))\" y=\"\(Self.number(Self.top))\" width=\"2\" "
        + "height=\"\(Self.number(height))\"><title>\(gap.what.withoutControls.forXML)</title></rect>\n"
    }.joined()
  }

  private var stages: String {
    var end = -Double.infinity
    return facts.stages.map { stage in
      let begin = x(stage.begin)
      let rule = "<path class=\"rule\" d=\"M\(Self.number(begin)) 4V\(Self.number(Self.bottom(ofRow: 3)))\"/>"
      if begin < end { return rule + "\n" }
      let name = stage.name.count <= 30 ? stage.name : stage.name.prefix(29) + "…"
      end = begin + 7 * Double(name.count)
      return rule + "<text x=\"\(Self.number(begin + 3))\" y=\"14\">\(name.withoutControls.forXML)</text>\n"
    }.joined()
  }

  private func times(below y: Double) -> String {
    (0...4).map { quarter in
      let second = facts.begin + seconds * Double(quarter) / 4
      let anchor = quarter == 0 ? "start" : quarter == 4 ? "end" : "middle"
      return "<text x=\"\(Self.number(x(second)))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\">"
        + "\(clockText(second.rounded()))</text>\n"
    }.joined()
  }

  private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
