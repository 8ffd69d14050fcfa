import Signal

/// Maps frames of an output to session frames: the session advances with the output, is paused while the output plays
/// silence, and continues from another frame after a rewind.
struct TimeMap: Sendable {
  private struct Piece: Sendable {
    /// First frame of the output.
    var begin: FrameCount
    var session: FrameTime
    var isMoving: Bool
  }

  private var pieces: [Piece]

  init(from session: FrameTime) { pieces = [Piece(begin: 0, session: session, isMoving: true)] }

  /// The session frame of an output frame.
  func session(at output: FrameCount) -> FrameTime {
    let piece = pieces.last { $0.begin <= output } ?? pieces[0]
    return piece.isMoving ? piece.session + output - piece.begin : piece.session
  }

  /// From an output frame on, the session continues from `session`. Later entries are removed.
  mutating func go(on session: FrameTime, at output: FrameCount) {
    add(Piece(begin: output, session: session, isMoving: true))
  }

  /// From an output frame on, the session is paused at `session`.
  mutating func stand(at session: FrameTime, from output: FrameCount) {
    add(Piece(begin: output, session: session, isMoving: false))
  }

  private mutating func add(_ piece: Piece) {
    pieces.removeAll { piece.begin <= $0.begin }
    pieces.append(piece)
    // Old entries are never used again.
    if 64 < pieces.count { pieces.removeFirst(32) }
  }
}
