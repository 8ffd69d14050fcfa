import Signal

/// How a session is rendered. Apart from the lead-in, the samples don't depend on it.
package struct RenderOptions: Sendable, Hashable {
  /// The most frames per write to the sink.
  package var blockLength = 4_096
  /// Seconds of silence that precede the session in the output. They are no part of the session.
  package var leadIn = 0.0
  /// How many threads decode sounds if the sink has no listener, 1 or more.
  package var jobs = 1
  /// Frames of the pieces into which `jobs` threads divide a sound; at most a quarter of a voice's ring is used.
  package var pieceLength = 262_144

  package init(blockLength: Int = 4_096) { self.blockLength = blockLength }

  /// The size of a voice's ring in frames, in a render for no listener: more threads decode more pieces in advance.
  func ringSize(isMusic: Bool) -> Int {
    guard isMusic else { return 65_536 }
    if jobs < 2 { return 262_144 }
    var size = 524_288
    while size < 262_144 * (jobs + 1), size < 4_194_304 { size *= 2 }
    return size
  }
}
