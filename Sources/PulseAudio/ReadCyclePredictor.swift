internal import Signal

/// Predicts when PipeWire next reads from the stream. A rewind must know this, because PipeWire reports no device
/// latency.
///
/// PipeWire reads one cycle (quantum) at a time, and requests more data right after a read, so the requests are in
/// phase with the cycles. If the stream has the graph's sample rate, the length of a cycle in frames is a power of two.
/// All times are seconds of the monotonic clock. Used under the connection's lock.
struct ReadCyclePredictor {
  /// How many consecutive requests, and how many distances between read positions, must agree for a prediction.
  private static let needed = 3
  /// Seconds by which a request may arrive late.
  static let lateness = 0.002
  /// A request that arrives within this many seconds of a write is a reply to the write, and is not in phase.
  private static let replyTime = 0.005
  /// After this many seconds without a request nothing is predicted, because the two clocks may have drifted apart.
  private static let memory = 10.0
  /// Frames of PipeWire's longest cycle.
  private static let longest: FrameCount = 8_192

  /// The times of the last requests.
  private var requests: [Double] = []
  /// The time of the last write.
  private var sentAt = -Double.infinity
  /// The last read positions, each with the time at which it was reported.
  private var reads: [(position: FrameTime, at: Double)] = []

  /// Records a write to the stream.
  mutating func sent(at now: Double) { sentAt = now }

  /// Records a request of the server.
  mutating func requested(at now: Double) {
    if now < sentAt + Self.replyTime { return }
    requests = (requests + [now]).suffix(Self.needed)
  }

  /// Records a report of the read position.
  ///
  /// - Parameter position: the frame that the server reads next.
  mutating func read(_ position: FrameTime, at now: Double) {
    if let last = reads.last {
      if position == last.position { return }
      if position < last.position { reads = [] }
    }
    reads = (reads + [(position, now)]).suffix(Self.needed + 1)
  }

  /// A cycle of the server: its length, and where it stands.
  struct Prediction {
    /// Seconds until the next read is due.
    var left: Double
    /// Length of a cycle in seconds.
    var length: Double
    /// The frame that follows all reads that are due. A late one has not been reported yet, and may happen at any time.
    var position: FrameTime
  }

  /// The state of the cycle at `now`; nil while it is unknown.
  func next(at now: Double, rate: SampleRate) -> Prediction? {
    // Each distance is a multiple of the cycle, so the cycle divides the power of two in it.
    let distances = zip(reads, reads.dropFirst()).map { $1.position - $0.position }
    guard let last = requests.last, requests.count == Self.needed, now < last + Self.memory,
      let cycle = distances.map({ $0 & -$0 }).min(), distances.count == Self.needed, cycle <= Self.longest
    else { return nil }
    let length = rate.seconds(cycle)
    let offsets = requests.map { ($0 - last) - length * (($0 - last) / length).rounded() }
    guard let earliest = offsets.min(), offsets.allSatisfy({ abs($0) <= Self.lateness }), 4 * Self.lateness < length
    else { return nil }
    // The earliest of the requests, each reduced to the phase of the last one, is the least delayed one.
    func count(before time: Double) -> Double { ((time - (last + earliest)) / length).rounded(.down) }
    let done = count(before: now)
    // A read that was due within `lateness` after a report may be included in it, and a late one is missing in it.
    let positions = reads.map { read in
      read.position + cycle * FrameCount(done - count(before: read.at + Self.lateness))
    }
    let next = (done + 1) * length + last + earliest
    return Prediction(left: next - now, length: length, position: positions.max() ?? 0)
  }
}
