import ProsperKit

/// The argument of `--from`: a position in the whole session, in the notation of session files or in seconds.
struct StartPosition {
  private let text: String
  private let anchor: Session.Position.Anchor

  init(_ text: String) throws(Refusal) {
    let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
    guard let anchor = PositionSpelling.anchor(text) ?? number.map({ PositionSpelling.anchor($0) }) else {
      throw Refusal(
        "--from '\(text.withoutControls)' is not a position; write it like 12:30, 90s, 1h5m, -30s (before the end), "
          + "start or end")
    }
    (self.text, self.anchor) = (text.withoutControls, anchor)
  }

  /// The frame of the position.
  ///
  /// - Throws: a message for the user if it is outside the session.
  func frame(in programme: Programme) throws(Refusal) -> FrameTime {
    switch anchor {
    case .afterStart(let seconds): try frame(at: seconds, in: programme)
    case .beforeEnd(let seconds): try frame(before: seconds, in: programme)
    }
  }

  /// Counts from the beginning of the session.
  private func frame(at seconds: Double, in programme: Programme) throws(Refusal) -> FrameTime {
    let frame = programme.rate.frames(seconds)
    if let end = Schedule(programme).end, end <= frame {
      let time = TimeSpelling.text(programme.rate.seconds(end))
      throw Refusal("--from \(text) is not before the session's end at \(time); give an earlier position")
    }
    // A session with an open stage has no end that limits the position.
    guard seconds <= Programme.maximumSeconds else {
      throw Refusal("--from \(text) is above the limit of 168 hours; give an earlier position")
    }
    return frame
  }

  /// Counts back from the end of the last stage, after which gongs may still play.
  private func frame(before seconds: Double, in programme: Programme) throws(Refusal) -> FrameTime {
    guard Schedule(programme).end != nil, let end = programme.layout.last?.end else {
      throw Refusal(
        "--from \(text) counts from the end, but a session with an open stage has no known end; count from the start")
    }
    let frame = end - programme.rate.frames(seconds)
    if 0 <= frame { return frame }
    throw Refusal(
      "--from \(text) is before the session's start; count back at most \(clockText(programme.rate.seconds(end)))")
  }
}
