import Signal

/// Formats times for people: `2:30`, `1:02:03.500`.
enum Clock {
  /// A number of frames as a time, rounded to milliseconds. Whole seconds have no decimals, unless `alwaysExact`.
  static func text(_ frames: FrameCount, _ rate: SampleRate, alwaysExact: Bool = false) -> String {
    if frames == .endless { return "without end" }
    let milliseconds = Int64((rate.seconds(frames.magnitude > 1 << 60 ? 0 : frames) * 1000).rounded())
    let seconds = milliseconds / 1000
    var text = 3600 <= seconds ? "\(seconds / 3600):\(two(seconds / 60 % 60))" : "\(seconds / 60)"
    text += ":" + two(seconds % 60)
    let rest = milliseconds % 1000
    if alwaysExact || rest != 0 { text += "." + (rest < 100 ? "0" : "") + two(rest) }
    return text
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
