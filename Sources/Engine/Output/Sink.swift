public import Signal

/// Who sets the pace of the render loop.
public enum Pace: Hashable, Sendable {
  /// The listener: the sink's write waits while enough is buffered, and run time is the computer's monotonic clock.
  case listener
  /// The players: nothing waits but for sound, and run time is counted in frames.
  case players
}

/// Where the frames go. The render loop's thread calls everything but `retract`, `interrupt` and `heard`.
public protocol Sink: AnyObject, Sendable {
  var pace: Pace { get }

  /// Opens the output for stereo at `rate`. Called once, before the first write.
  func start(at rate: SampleRate) throws(SinkError)

  /// Takes the whole block. A live sink waits here until it has room: its write is the clock.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError)

  /// Waits until the last frame has been heard, or is safely written and the file has its final name.
  func finish() throws(SinkError)

  /// Ends without finishing: a live output falls silent, an unfinished file is removed.
  func abandon()

  /// Frames heard since the start; for an output without a listener, frames written. From any thread.
  var heard: FrameCount { get }

  /// Takes back what is written and not yet heard: fades out over up to `ramp` frames of it, drops the rest, and lets a
  /// waiting `write` return; frames written later are dropped. Asked once more, it fades out what is left of that fade
  /// over up to `ramp` frames. From any thread.
  ///
  /// - Returns: false where nothing can be taken back (the output has no listener): then the engine fades instead.
  func retract(over ramp: FrameCount) -> Bool

  /// Takes back what is written and can still be replaced: the next `write` goes on there, over what was written before,
  /// which sounds on until it is overwritten. Between two writes.
  ///
  /// - Returns: frames since the start at which the next write goes on; nil where nothing can be taken back.
  func takeBack() -> FrameCount?

  /// Has a `write` that waits for room keep what is left of its block for the next one, and return. From any thread.
  func interrupt()
}

extension Sink {
  public func retract(over ramp: FrameCount) -> Bool { false }
  public func takeBack() -> FrameCount? { nil }
  public func interrupt() {}
}

/// Why an output can't be used; each case is one sentence with the place and the mend.
public enum SinkError: Error, Hashable, Sendable, CustomStringConvertible {
  case noServer(cause: String)
  case noSuchDevice(name: String, known: [String])
  /// The server went away and did not come back in time.
  case lost(cause: String)
  case cannotCreate(path: String, cause: String)
  case cannotWrite(path: String, cause: String)
  case unsupported(path: String, what: String)
  /// The reader of stdout or of a FIFO closed it.
  case closed(path: String)

  /// The system can't create a thread that feeds the output.
  package static let noThread = SinkError.cannotCreate(
    path: "the output", cause: "the system can't create another thread; end other programs")

  public var description: String {
    switch self {
    case .noServer(let cause):
      "no sound server answers (\(cause)); start PulseAudio, or render to a file with --output FILE.flac"
    case .noSuchDevice(let name, let known):
      "there is no output '\(name)'; known are: \(known.joined(separator: ", "))"
    case .lost(let cause): "the sound server was lost (\(cause)); 'prosper play --resume' goes on when it is back"
    case .cannotCreate(let path, let cause): "\(path): can't be created: \(mended(cause, "choose another place"))"
    case .cannotWrite(let path, let cause):
      "\(path): can't be written: \(mended(cause, "make room, or choose another place"))"
    case .unsupported(let path, let what): "\(path): \(what)"
    case .closed(let path): "\(path): the reader has closed it"
    }
  }

  /// A cause with its mend, unless it names one of its own.
  private func mended(_ cause: String, _ mend: String) -> String { cause.contains("; ") ? cause : "\(cause); \(mend)" }
}
