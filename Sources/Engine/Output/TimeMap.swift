import Signal

/// Which session frame each frame of an output is: the session goes on with the output, stands still while the output
/// is silent, and goes on from another frame when what was unheard is taken back.
struct TimeMap: Sendable {
  private struct Piece: Sendable {
    /// Of the output.
    var begin: FrameCount
    var session: FrameTime
    var isMoving: Bool
  }

  private var pieces: [Piece]

  init(from session: FrameTime) { pieces = [Piece(begin: 0, session: session, isMoving: true)] }

  /// The session frame that an output frame is.
  func session(at output: FrameCount) -> FrameTime {
    let piece = pieces.last { $0.begin <= output } ?? pieces[0]
    return piece.isMoving ? piece.session + output - piece.begin : piece.session
  }

  /// From an output frame on the session goes on from `session`; what was to follow there is forgotten.
  mutating func go(on session: FrameTime, at output: FrameCount) {
    add(Piece(begin: output, session: session, isMoving: true))
  }

  /// From an output frame on the session stands still at `session`.
  mutating func stand(at session: FrameTime, from output: FrameCount) {
    add(Piece(begin: output, session: session, isMoving: false))
  }

  private mutating func add(_ piece: Piece) {
    pieces.removeAll { piece.begin <= $0.begin }
    pieces.append(piece)
    // Nobody asks for what was heard long ago.
    if 64 < pieces.count { pieces.removeFirst(32) }
  }
}
