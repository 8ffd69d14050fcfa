import Glibc
import ProsperKit
import Synchronization

/// The line at the bottom of a terminal: time, progress bar, stage, track, overlays and the next track. The bar shows
/// the session's progress, or during a crossfade the progress of the crossfade.
///
/// It is drawn on stderr at most ten times a second, on the printer's thread. It does not change the terminal's mode.
final class StatusLine: Sendable {
  private struct State {
    var stage = ""
    var music = ""
    /// The overlays and the next track.
    var others = ""
    var session = 0.0
    var duration: Double?
    /// A text that replaces stage and track until a time.
    var note: (text: String, until: SuspendingClock.Instant)?
    var isOutputLost = false
    /// The title of a sound that has been loading for a second or more.
    var loading: String?
    /// The progress of the current crossfade, 0 to 1; nil outside of crossfades.
    var progress: Double?
    /// Whether the line is on the screen, and whether its content is out of date.
    var isVisible = false
    var isStale = false
    var lastDrawn: SuspendingClock.Instant?
  }

  private let state = Mutex(State())
  /// Returns the status of the player. Its duration and its next track change with skips and edits.
  private let currentStatus = Mutex<(@Sendable () -> PlayerStatus?)?>(nil)
  private let isColoured: Bool
  /// When a render began, whose time left is shown; nil for a live session.
  private let begin: Int64?

  /// - Parameter isRender: whether the session does not play in real time.
  init(isColoured: Bool, isRender: Bool = false) {
    self.isColoured = isColoured
    begin = isRender ? monotonicNanoseconds() : nil
  }

  /// Records an event without drawing. Called on the control thread of the player.
  func follow(_ event: StampedEvent) {
    state.withLock { state in
      state.session = event.session
      state.isStale = true
      switch event.event {
      case .sessionStarted(_, _, let duration, _): state.duration = duration
      case .stageStarted(let name, _, _): state.stage = name
      case .state(let music, _): (state.music, state.progress) = (music.shown ?? state.music, music.progress)
      case .output(.lost, _): state.isOutputLost = true
      case .output(.restored, _): state.isOutputLost = false
      case .track, .position, .crossfadeStarted, .crossfadeProgress, .crossfadePaused, .crossfadeResumed,
        .crossfadeCompleted, .crossfadeCancelled, .crossfadeTimeout, .loadStarted, .loadProgress, .loadCancellable,
        .loadCompleted, .loadFailed, .loadTimeout, .trackSkipped, .overlayStarted, .overlayEnded, .overlayPaused,
        .overlayResumed, .gong, .caption, .volume, .command, .metrics, .output, .follower, .underrun, .late, .warning,
        .error,
        .sessionFinished:
        break
      }
    }
  }

  /// Takes the session's duration, the overlays and the next track from `status` from now on. May be called from any
  /// thread.
  func read(_ status: @escaping @Sendable () -> PlayerStatus?) { currentStatus.withLock { $0 = status } }

  /// Shows a text instead of stage and track for two seconds, without drawing. May be called from any thread.
  func show(_ note: String) {
    state.withLock { state in
      state.note = (note, .now + .seconds(2))
      state.isStale = true
    }
  }

  /// Draws the line if its content is out of date.
  ///
  /// - Returns: the seconds after which to call again: if it was drawn less than 0.1 s ago, or shows a note; otherwise
  ///   nil.
  func draw() -> Double? {
    let now = SuspendingClock.now
    let status = currentStatus.withLock { $0 }?()
    let (line, rest) = state.withLock { (state) -> (String?, Double?) in
      if let note = state.note, note.until <= now { (state.note, state.isStale) = (nil, true) }
      let untilNoteEnds = state.note.map { ($0.until - now) / .seconds(1) }
      guard state.isStale else { return (nil, untilNoteEnds) }
      let next = state.lastDrawn.map { $0 + .milliseconds(100) } ?? now
      if now < next { return (nil, (next - now) / .seconds(1)) }
      (state.isStale, state.isVisible, state.lastDrawn) = (false, true, now)
      // Before the control thread has started, the status is empty.
      if let status, status.moment.state != PlayerState.Kind.idle.rawValue {
        (state.duration, state.others, state.loading) = (status.duration, status.others, status.loading)
      }
      return (describe(state, columns: terminalColumns()), untilNoteEnds)
    }
    if let line { put("\r\u{1B}[K" + line) }
    return rest
  }

  /// Removes the line from the screen, before other text is printed and at the end.
  func clear() {
    let wasVisible = state.withLock { state in
      defer { (state.isVisible, state.isStale) = (false, true) }
      return state.isVisible
    }
    if wasVisible { put("\r\u{1B}[K") }
  }

  /// The content of the line, shortened to the width of the terminal.
  private func describe(_ state: State, columns: Int) -> String {
    let time = clockText(state.session) + (state.duration.map { " / " + clockText($0) } ?? "") + timeLeft(state)
    let waiting = state.isOutputLost ? "waiting for the output" : state.loading.map { "loading \($0)" }
    let music = waiting ?? state.music
    let words = (state.note?.text ?? "\(state.stage) · \(music)\(state.others)").withoutControls
    let barWidth = 24
    let room = max(8, columns - time.count - barWidth - 6)
    let shown = words.count <= room ? words : String(words.prefix(room - 1)) + "…"
    return "\(dim(time))  \(bar(for: state, width: barWidth))  \(shown)"
  }

  /// How long a render still takes; empty for a live session, and while it can't be estimated.
  private func timeLeft(_ state: State) -> String {
    guard let begin, let duration = state.duration, 0 < duration else { return "" }
    let seconds = Double(monotonicNanoseconds() - begin) / 1e9
    return ProgressLine.timeLeft(after: state.session / duration, seconds: seconds).map { " · \($0)" } ?? ""
  }

  /// A bar of `width` characters. Crossfades have other characters, so that they can be distinguished without colours.
  private func bar(for state: State, width: Int) -> String {
    let share = state.progress ?? state.duration.map { 0 < $0 ? state.session / $0 : 1 } ?? 0
    let filled = Int((min(1, max(0, share)) * Double(width)).rounded())
    let (full, empty) = state.progress == nil ? ("━", "─") : ("▓", "░")
    return String(repeating: full, count: filled) + dim(String(repeating: empty, count: width - filled))
  }

  private func dim(_ text: String) -> String { isColoured ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

  private func put(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }
}

extension PlayerStatus {
  /// The overlays that play or are paused, and the next track with its artist.
  fileprivate var others: String {
    let overlays = overlays.playing.map { " + \($0)" } + overlays.paused.map { " + ‖ \($0)" }
    let next = next.map { [$0.tags.title ?? $0.title, $0.tags.artist].compactMap(\.self).joined(separator: ", ") }
    return overlays.joined() + (next.map { " · next: \($0)" } ?? "")
  }
}

extension PlayerState {
  /// What is playing, for the status line; nil for states in which the line keeps its text.
  fileprivate var shown: String? {
    switch self {
    case .playing(let track): track?.title ?? "silence"
    case .preparingCrossfade(let current, _): current.title
    case .crossfading(let from, let to, _): "\(from.title) → \(to.title)"
    case .paused(let track, _): "‖ \(track?.title ?? "silence")"
    case .crossfadePaused(let from, let to, _, _, _): "‖ \(from.title) → \(to.title)"
    case .fadingOut(let track, _): (track?.title ?? "") + " ↘"
    case .idle, .preparing, .finished, .failed: nil
    }
  }
}

/// The width of a terminal in columns; `COLUMNS` or 80 if the terminal does not report one.
///
/// - Parameter descriptor: by default stderr.
func terminalColumns(of descriptor: Int32 = 2) -> Int {
  var size = winsize()
  if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, 0 < size.ws_col { return Int(size.ws_col) }
  return getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 80
}
