import Markup
import Schedule
import Signal

/// Makes the pieces of the drawing: SVG elements as text. All measures are in pixels.
enum SVG {
  /// The style sheet of the picture. It follows the reader's light or dark colour scheme.
  static let style = """
    <style>
    text{font:12px system-ui,sans-serif;fill:#33383b}.title{font-size:20px}.faint{fill:#6f767a;font-size:11px}
    .paper{fill:#fbfaf7}.rule{stroke:#8a9094;stroke-opacity:.5}.open{stroke-dasharray:3 3}
    .m0{fill:#4f8593}.m1{fill:#83955c}.m2{fill:#8d7196}.m3{fill:#b58d4e}.many{fill:#7d8a90}
    .m0,.m1,.m2,.m3,.many{fill-opacity:.62}.overlay{fill:#c07a5a;fill-opacity:.6}.gong{fill:#b3913a;stroke:#b3913a}
    .wave{fill:#33383b;fill-opacity:.42}
    @media (prefers-color-scheme:dark){text{fill:#e6e4df}.faint{fill:#9aa2a6}.paper{fill:#171a1c}.wave{fill:#e6e4df}}
    </style>

    """

  /// The outline of a clip: its gain over time, drawn upwards from `floor`; a gain of 1 is `height` pixels high.
  static func sound(
    _ clip: Clip, until end: FrameTime, x: (FrameTime) -> Double, floor: Double, height: Double, kind: String,
    hint: String
  ) -> String {
    var points = "\(number(x(clip.at))),\(number(floor))"
    for frame in corners(of: clip, until: end) {
      let level = min(1, Double(gain(of: clip, at: frame)))
      points += " \(number(x(frame))),\(number(floor - height * level))"
    }
    points += " \(number(x(end))),\(number(floor))"
    return "<polygon class=\"\(kind)\" points=\"\(points)\"><title>\(hint.forXML)</title></polygon>\n"
  }

  /// A text whose baseline starts at a point; `kind` is a class of the style sheet.
  static func text(_ text: String, x: Double, y: Double, kind: String? = nil) -> String {
    let kind = kind.map { " class=\"\($0)\"" } ?? ""
    return "<text\(kind) x=\"\(number(x))\" y=\"\(number(y))\">\(text.forXML)</text>\n"
  }

  /// As much of a title as fits into `width` pixels; nil if too little of it would be readable.
  static func label(_ title: String, width: Double) -> String? {
    // An estimate of the average width of a letter at 12 pixels, because the metrics of the font are unknown.
    let room = Int(width / 6.6)
    if title.count <= room { return title.isEmpty ? nil : title }
    return room < 4 ? nil : title.prefix(room - 1) + "…"
  }

  /// A vertical line.
  static func line(x: Double, from top: Double, to bottom: Double, kind: String) -> String {
    "<path class=\"\(kind)\" d=\"M\(number(x)) \(number(top))V\(number(bottom))\"/>\n"
  }

  /// A coordinate with one decimal.
  static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  /// The height of the outline. Quiet clips are drawn at 0.15 at least, so that they stay visible.
  private static func gain(of clip: Clip, at frame: FrameTime) -> Float {
    let fades = [clip.fadeIn, clip.fadeOut, clip.leave].compactMap { $0 }
    return fades.reduce(max(0.15, clip.gain.linear)) { $0 * $1.gain(at: frame) }
  }

  /// The frames at which the outline bends: both ends of the clip, and nine points of each fade.
  private static func corners(of clip: Clip, until end: FrameTime) -> [FrameTime] {
    var frames: Set<FrameTime> = [clip.at, end]
    for fade in [clip.fadeIn, clip.fadeOut, clip.leave].compactMap({ $0 }) {
      for step in 0...8 { frames.insert(fade.start + FrameCount(Double(fade.length) * Double(step) / 8)) }
    }
    return frames.filter { clip.at <= $0 && $0 <= end }.sorted()
  }
}
