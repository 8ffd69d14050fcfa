internal import Signal

/// Predicts when PipeWire next reads from the stream. It reads one cycle (quantum) at a time and reports no device
/// latency.
///
/// PipeWire requests more data right after it has read a cycle, so the requests are in phase with the cycles. The
/// length of a cycle is a power of two of frames, provided that the stream has the graph's sample rate. All times are
/// seconds of the monotonic clock.
struct DeviceRhythm {
  /// Consecutive requests, and distances between read positions, that must agree.
  private static let needed = 3
  /// A request may arrive this many seconds late.
  static let lateness = 0.002
  /// A request that arrives within this many seconds of a write is a reply to the write, and is not in phase.
  private static let replyTime = 0.005
  /// After this many seconds without a request, the two clocks may have drifted apart.
  private static let memory = 10.0
  /// Frames of PipeWire's longest cycle.
  private static let longest: FrameCount = 8_192

  private var requests: [Double] = []
  private var sentAt = -Double.infinity
  private var lastRead: FrameTime?
  /// The largest power of two that divides each of the last distances between read positions. Each is a multiple of the
  /// cycle.
  private var cycles: [FrameCount] = []

  mutating func sent(at now: Double) { sentAt = now }

  mutating func requested(at now: Double) {
    if now < sentAt + Self.replyTime { return }
    requests = (requests + [now]).suffix(Self.needed)
  }

  /// - Parameter position: the frame that the server reads next.
  mutating func read(_ position: FrameTime) {
    defer { lastRead = position }
    guard let lastRead, lastRead < position else { return }
    let distance = position - lastRead
    cycles = (cycles + [distance & -distance]).suffix(Self.needed)
  }

  /// Seconds until the next read, and the length of a cycle in seconds; nil while they are unknown.
  func next(at now: Double, rate: SampleRate) -> (left: Double, cycle: Double)? {
    guard let last = requests.last, requests.count == Self.needed, now < last + Self.memory,
      let cycle = cycles.min(), cycles.count == Self.needed, cycle <= Self.longest
    else { return nil }
    let length = rate.seconds(cycle)
    let offsets = requests.map { ($0 - last) - length * (($0 - last) / length).rounded() }
    guard let earliest = offsets.min(), offsets.allSatisfy({ abs($0) <= Self.lateness }), 4 * Self.lateness < length
    else { return nil }
    let passed = (now - (last + earliest)) / length
    return ((passed.rounded(.down) + 1 - passed) * length, length)
  }
}
