package import Engine
package import Signal
internal import Synchronization

/// Plays on a PulseAudio server, or a compatible one, in real time.
///
/// If the server, its device or the stream is lost, `write` and `finish` wait until it is available again. The sound
/// then continues with the first frame that was not heard.
package final class PulseSink: Sink {
  private struct State {
    var stream: PulseStream?
    var isRetracted = false
    /// What the stream had counted when it was ended; 0 while it plays.
    var counts: (heard: FrameCount, underruns: Int) = (0, 0)
  }

  private let server: String?
  private let request: @Sendable (SampleRate) -> PulseRequest
  private let state = Mutex(State())

  package var pace: Pace { .listener }

  /// - Parameters:
  ///   - device: the sink's name; nil for `PULSE_SINK` or the server's default.
  ///   - title: the title in the desktop's mixer.
  ///   - server: its address; nil for `PULSE_SERVER` or the server of this user.
  ///   - policy: decides what the output does when it changes, and when it gives up.
  ///   - report: receives the events of the output; called on any thread, and must neither wait nor call the sink.
  package init(
    device: String? = nil, title: String, server: String? = nil, policy: any OutputPolicy,
    report: @escaping @Sendable (OutputEvent) -> Void = { _ in }
  ) {
    self.server = server
    request = { PulseRequest(device: device, title: title, rate: $0, policy: policy, report: report) }
  }

  package func start(at rate: SampleRate) throws(SinkError) {
    let isWanted = { !self.state.withLock { $0.isRetracted } }
    let connection = try PulseConnection(server: server)
    let stream = try PulseStream(on: connection, request(rate), while: isWanted)
    state.withLock { $0.stream = stream }
    // From here on `retract` finds the stream. An earlier call is repeated here.
    if !isWanted() { stream.drop() }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let (stream, isRetracted) = state.withLock { ($0.stream, $0.isRetracted) }
    // This returns without the stream's lock, so that a render loop that continues to write can't delay the retraction.
    if isRetracted { return }
    guard let stream else { throw .lost(cause: "it is not open") }
    try stream.write(block)
  }

  package func finish() throws(SinkError) {
    guard let stream else { return }
    defer { abandon() }
    try stream.drain()
  }

  package func abandon() {
    guard let stream else { return }
    let counts = stream.counts()
    let isFirst = state.withLock { state in
      guard state.stream.take() != nil else { return false }
      state.counts = counts
      return true
    }
    // Another thread may have ended it in the meantime.
    if isFirst { stream.end() }
  }

  package var heard: FrameCount { counts.heard }

  /// Number of underruns: interruptions because nothing was written in time. From any thread.
  package var underruns: Int { counts.underruns }

  private var counts: (heard: FrameCount, underruns: Int) {
    let (stream, last) = state.withLock { ($0.stream, $0.counts) }
    return stream?.counts() ?? last
  }

  package func retract(over ramp: FrameCount) -> Bool {
    let stream = state.withLock {
      $0.isRetracted = true
      return $0.stream
    }
    stream?.retract(over: ramp)
    return true
  }

  package func rewind() -> FrameCount? { stream?.rewind() }

  package func postpone() -> FrameCount? { stream?.postpone() }

  package func interrupt() { stream?.interrupt() }

  private var stream: PulseStream? { state.withLock { $0.stream } }
}
