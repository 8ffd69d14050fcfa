internal import Files
internal import Glibc
package import Signal
internal import Synchronization

/// Writes raw samples to a FIFO in real time, with or without a reader.
///
/// Both ends are kept open, so readers may connect and disconnect at any time. What is not read in time is dropped, in
/// whole frames. The FIFO holds about a fifth of a second, so that a new reader gets almost current sound.
package final class PipeSink: Sink {
  private struct State {
    var descriptor: Int32 = -1
    var clock: ListenerClock?
    /// The number of frames that are written at a time.
    var piece = 1
    var bytes: [UInt8] = []
    var dropped: FrameCount = 0
    /// Whether this sink has created the FIFO.
    var isOurs = false
  }

  /// Seconds of sound that the FIFO holds at most.
  private static let secondsHeld = 0.2
  /// Seconds that are written at a time, much less than what is buffered.
  private static let piece = 0.02
  private let path: String
  private let encoding: SampleEncoding
  private let state = Mutex(State())
  /// For waiting until a time; nobody calls it.
  private let rest = WakeUp()
  private let report: @Sendable (OutputEvent) -> Void

  package var pace: Pace { .listener }

  /// - Parameters:
  ///   - path: of a FIFO; if it does not exist, it is created, for this user only.
  ///   - report: receives the events of the output; called on the writer's thread, and must not wait.
  package init(
    path: String, encoding: SampleEncoding, report: @escaping @Sendable (OutputEvent) -> Void = { _ in }
  ) {
    self.path = path
    self.encoding = encoding
    self.report = report
  }

  deinit { abandon() }

  package func start(at rate: SampleRate) throws(SinkError) {
    let isOurs = mkfifo(path.forSystem, 0o600) == 0
    guard isOurs || errno == EEXIST else { throw .cannotCreate(path: path, cause: reason(errno)) }
    let descriptor = open(path.forSystem, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, cause: reason(errno)) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFIFO else {
      close(descriptor)
      throw .cannotCreate(path: path, cause: "it is there already and is no FIFO; name another, or remove it")
    }
    shrink(descriptor, at: rate)
    state.withLock {
      ($0.descriptor, $0.isOurs) = (descriptor, isOurs)
      $0.piece = Int(rate.frames(Self.piece))
      $0.clock = ListenerClock(rate: rate, ahead: Self.secondsHeld / 2, refill: Self.secondsHeld / 4)
    }
  }

  /// Writes in pieces. Several of them are always buffered, so that a short delay causes no gap.
  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let piece = state.withLock { $0.piece }
    var rest = block[...]
    while !rest.isEmpty {
      try write(piece: UnsafeBufferPointer(rebasing: rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
  }

  private func write(piece block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let count = FrameCount(block.count)
    if let due = state.withLock({ $0.clock?.due(count, at: now) }) { rest.wait(until: due) }
    let missing = try state.withLock { (state) throws(SinkError) in
      let missing = state.clock?.wrote(count, at: now) ?? 0
      let size = block.count * encoding.bytesPerFrame
      if state.bytes.count < size { state.bytes = Array(repeating: 0, count: size) }
      state.bytes.withUnsafeMutableBytes { encoding.encode(block, into: $0) }
      let taken = try offer(state.bytes[..<size], to: state.descriptor)
      state.dropped += FrameCount((size - taken) / encoding.bytesPerFrame)
      return missing
    }
    if 0 < missing { report(.starved(seconds: missing)) }
  }

  package func finish() throws(SinkError) {
    let end = state.withLock { $0.clock.flatMap { $0.moment(of: $0.written) } }
    if let end { rest.wait(until: end) }
    abandon()
  }

  package func abandon() {
    state.withLock {
      if $0.descriptor >= 0 { close($0.descriptor) }
      if $0.isOurs { unlink(path.forSystem) }
      ($0.descriptor, $0.isOurs) = (-1, false)
    }
  }

  package var heard: FrameCount { state.withLock { $0.clock?.heard(at: now) ?? 0 } }

  /// Frames that were not read in time. From any thread.
  package var dropped: FrameCount { state.withLock { $0.dropped } }

  /// Returns false, because the content of a FIFO can't be changed: the engine fades instead.
  package func retract(over ramp: FrameCount) -> Bool { false }

  /// Writes as much as there is room for, and returns the number of bytes. They are whole frames, because a FIFO
  /// accepts up to `PIPE_BUF` bytes either completely or not at all.
  private func offer(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SinkError) -> Int {
    let piece = 4096 / encoding.bytesPerFrame * encoding.bytesPerFrame
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.prefix(piece).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EAGAIN { break }
      if count < 0, errno != EINTR { throw .cannotWrite(path: path, cause: reason(errno)) }
      rest = rest.dropFirst(max(0, count))
    }
    return bytes.count - rest.count
  }

  /// Sets the size of the FIFO, a power of two, to at most `secondsHeld`.
  private func shrink(_ descriptor: Int32, at rate: SampleRate) {
    let most = Int(rate.frames(Self.secondsHeld)) * encoding.bytesPerFrame
    var size = 4096
    while size * 2 <= most { size *= 2 }
    let setPipeSize: Int32 = 1031
    // If the kernel refuses, the FIFO keeps its size, and a reader only hears the sound later.
    _ = fcntl(descriptor, setPipeSize, Int32(size))
  }

  private func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  private var now: SuspendingClock.Instant { SuspendingClock().now }
}
