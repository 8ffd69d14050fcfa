import Glibc
import ProsperKit
import Synchronization

/// A line on stderr that shows how much of a long work is done and how long it still takes. It is drawn only on a
/// terminal, and removed at the end. Any thread may use it.
final class ProgressLine: Sendable {
  private struct State {
    var shown: Int64 = 0
    /// When something was shown for the first time, in nanoseconds, and the part that was done by then.
    var begin: (time: Int64, part: Double)?
    var isDrawn = false
    var hasEnded = false
  }

  private let what: String
  private let state = Mutex(State())
  private let isOnTerminal: Bool

  /// Nanoseconds between two texts.
  private static let interval: Int64 = 200_000_000
  /// Seconds before the time that is left can be estimated.
  private static let estimateAfter = 1.0

  /// - Parameters:
  ///   - what: such as "measuring rain.flac".
  ///   - isHidden: whether nothing is drawn even on a terminal.
  init(_ what: String, isHidden: Bool = false) {
    self.what = what.withoutControls
    isOnTerminal = !isHidden && isatty(2) == 1 && getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }

  /// Shows the part that is done, 0 to 1, and its count if there is one.
  func show(_ part: Double, _ count: String? = nil) {
    if !isOnTerminal { return }
    let now = monotonicNanoseconds()
    state.withLock { state in
      guard !state.hasEnded, Self.interval <= now - state.shown else { return }
      (state.shown, state.isDrawn) = (now, true)
      let (part, begin) = (min(max(part, 0), 1), state.begin ?? (now, part))
      state.begin = begin
      let seconds = Double(now - begin.time) / 1e9
      Self.write("\r\u{1B}[K" + Self.text(what, part, count, seconds: seconds, since: begin.part))
    }
  }

  /// Removes the line. Later calls of `show` do nothing.
  func end() {
    state.withLock { state in
      if state.isDrawn, !state.hasEnded { Self.write("\r\u{1B}[K") }
      state.hasEnded = true
    }
  }

  /// Such as "measuring rain.flac · 42 % · 12 s left".
  ///
  /// - Parameters:
  ///   - seconds: since the first text.
  ///   - first: the part that was done by then.
  static func text(
    _ what: String, _ part: Double, _ count: String?, seconds: Double, since first: Double = 0
  ) -> String {
    var words = [what, count ?? "\(Int(part * 100)) %"]
    if first < 1, let left = timeLeft(after: (part - first) / (1 - first), seconds: seconds) { words.append(left) }
    return words.joined(separator: " · ")
  }

  /// Such as "12 s left"; nil while it can't be estimated.
  static func timeLeft(after part: Double, seconds: Double) -> String? {
    guard estimateAfter <= seconds, 0.01 <= part else { return nil }
    let left = Int((seconds * (1 - min(part, 1)) / part).rounded(.up))
    return left < 60 ? "\(left) s left" : "\(left / 60) min \(left % 60) s left"
  }

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }
}
