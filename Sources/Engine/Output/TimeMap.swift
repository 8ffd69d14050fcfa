import Signal

/// Converts frames of an output to session frames. The two differ because the output continues with silence while the
/// session is paused, and because the session may continue from another frame after a rewind.
struct TimeMap: Sendable {
  private struct Piece: Sendable {
    /// The first frame of the output.
    var begin: FrameCount
    /// The session frame at `begin`.
    var session: FrameTime
    /// Whether the session plays; false while it is paused.
    var isMoving: Bool
  }

  private var pieces: [Piece]

  init(from session: FrameTime) { pieces = [Piece(begin: 0, session: session, isMoving: true)] }

  /// The session frame of an output frame.
  func session(at output: FrameCount) -> FrameTime {
    let piece = piece(at: output)
    return piece.isMoving ? piece.session + output - piece.begin : piece.session
  }

  /// Whether the session is paused at an output frame.
  func isPaused(at output: FrameCount) -> Bool { !piece(at: output).isMoving }

  private func piece(at output: FrameCount) -> Piece { pieces.last { $0.begin <= output } ?? pieces[0] }

  /// Records that the session continues from `session`, from an output frame on. Later entries are removed.
  mutating func resume(at session: FrameTime, from output: FrameCount) {
    add(Piece(begin: output, session: session, isMoving: true))
  }

  /// Records that the session is paused at `session`, from an output frame on. Later entries are removed.
  mutating func pause(at session: FrameTime, from output: FrameCount) {
    add(Piece(begin: output, session: session, isMoving: false))
  }

  private mutating func add(_ piece: Piece) {
    pieces.removeAll { piece.begin <= $0.begin }
    pieces.append(piece)
    // The oldest entries belong to frames that were heard long ago.
    if 64 < pieces.count { pieces.removeFirst(32) }
  }
}
