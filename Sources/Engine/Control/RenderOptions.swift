import Signal

/// How a session is rendered. Only the lead-in has an effect on the output.
package struct RenderOptions: Sendable, Hashable {
  /// The most frames per write to the sink.
  package var blockLength = 4_096
  /// Seconds of silence that precede the session in the output. They are no part of the session.
  package var leadIn = 0.0
  /// The number of threads that decode sounds in a render without a listener, limited to `jobCounts`. A sink may encode
  /// with as many threads.
  package var jobs = 1 {
    didSet { jobs = min(max(Self.jobCounts.lowerBound, jobs), Self.jobCounts.upperBound) }
  }
  package static let jobCounts = 1...64
  /// The length in frames of the pieces of a sound that are decoded at the same time. A piece is never longer than a
  /// quarter of the voice's ring.
  package var pieceLength = 262_144

  package init(blockLength: Int = 4_096) { self.blockLength = blockLength }

  /// The size of a voice's ring in frames, in a render without a listener. It grows with `jobs`, because more threads
  /// decode more pieces in advance. Smaller rings need less memory, but the threads wait more often.
  func ringSize(isMusic: Bool) -> Int {
    isMusic ? min(262_144 * jobs, 4_194_304) : 131_072
  }
}
