import Files
import Glibc
package import Signal

/// What determines the speed of the render loop.
package enum Pace: Hashable, Sendable {
  /// Real time: the sink's `write` waits while enough is buffered, and run time is that of the monotonic clock.
  case listener
  /// The decoders: the loop renders as fast as they deliver sound, and run time is counted in frames.
  case players
}

/// An output for frames. The render loop's thread calls everything except `retract`, `interrupt` and `heard`, which any
/// thread may call.
package protocol Sink: AnyObject, Sendable {
  /// Whether the output is live; constant.
  var pace: Pace { get }

  /// Opens the output for stereo at `rate`. Called once, before the first write.
  func start(at rate: SampleRate) throws(SinkError)

  /// Writes the whole block. A live sink waits until it has room for it, which makes the session play in real time. An
  /// empty block means that nothing follows for now.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError)

  /// Waits until the last frame has been heard, or has been written and the file has its final name.
  func finish() throws(SinkError)

  /// Ends the output at once: a live output stops, and an unfinished file is removed.
  func abandon()

  /// Frames heard since the start; for an output without a listener, frames written. From any thread.
  var heard: FrameCount { get }

  /// Stops the sound that has been written but not heard: fades it out within `ramp` frames, drops the rest, and makes
  /// a waiting `write` return. Frames that are written later are dropped. A second call shortens the rest of the
  /// fade-out to at most `ramp` frames. From any thread.
  ///
  /// - Returns: false if nothing can be retracted, because the output has no listener: then the engine fades instead.
  func retract(over ramp: FrameCount) -> Bool

  /// Rewinds to the first frame that can still be replaced. The next `write` replaces the frames from there on; until
  /// then they continue to play. Called between two writes.
  ///
  /// - Returns: the position of the next write, in frames since the start; nil if nothing can be rewound.
  func rewind() -> FrameCount?

  /// Moves the next `write` after a rewind to the first frame that can still be replaced now, so that its beginning is
  /// not lost if it is later than the rewind has assumed. Called between a rewind and the next write, if silence plays.
  ///
  /// - Returns: the new position of the next write; nil if it stays.
  func postpone() -> FrameCount?

  /// Makes a `write` that waits for room return at once; the sink writes the rest of its block later. From any thread.
  func interrupt()
}

extension Sink {
  package func retract(over ramp: FrameCount) -> Bool { false }
  package func rewind() -> FrameCount? { nil }
  package func postpone() -> FrameCount? { nil }
  package func interrupt() {}
}

/// Why an output can't be used. Each description is one sentence that names the output and a remedy.
package enum SinkError: Error, Hashable, Sendable, CustomStringConvertible {
  case noServer(cause: String)
  case noSuchDevice(name: String, known: [String])
  /// A server on the network can't be reached, or has gone.
  case unreachable(output: String, cause: String)
  /// A server is there, and refuses the output until a person changes something.
  case refused(output: String, cause: String)
  /// The server was lost and did not come back in time.
  case lost(cause: String)
  /// The server runs, but has ended the stream, because its device is gone and there is no other.
  case deviceLost(cause: String)
  case cannotCreate(path: String, cause: String)
  case cannotWrite(path: String, cause: String)
  case unsupported(path: String, what: String)
  /// The reader of stdout or of a FIFO closed it.
  case closed(path: String)
  /// The system can't create a thread that the player can't do without.
  case noThread

  /// The output can't be opened, because this process can open no further file; nil if it can.
  package static var tooManyFiles: SinkError? {
    let descriptor = open("/", O_RDONLY | O_CLOEXEC)
    guard descriptor < 0, errno == EMFILE else {
      close(descriptor)
      return nil
    }
    return .cannotCreate(path: "the output", cause: ErrorNumber(code: EMFILE).message)
  }

  package var description: String {
    switch self {
    case .noServer(let cause):
      "no sound server answers (\(cause)); start PulseAudio or PipeWire, or render to a file"
    case .noSuchDevice(let name, let known):
      "there is no output '\(name)'; use one of: \(known.joined(separator: ", "))"
    case .unreachable(let output, let cause): "\(output) can't be reached: \(withFix(cause, "start the server"))"
    case .refused(let output, let cause): "\(output): \(cause)"
    case .lost(let cause): "the sound server was lost (\(cause)); continue when it is back"
    case .deviceLost(let cause): "the output was removed (\(cause)); continue when it is back"
    case .cannotCreate(let path, let cause): "\(path): can't be created: \(withFix(cause, "choose another folder"))"
    case .cannotWrite(let path, let cause):
      "\(path): can't be written: \(withFix(cause, "free some space, or choose another output"))"
    case .unsupported(let path, let what): "\(path): \(what)"
    case .closed(let path): "\(path): the reader closed it too early; let it read to the end"
    case .noThread: "the system can't create another thread; end other programs"
    }
  }

  /// What happened, for a message during an outage. It has no advice, because the session waits for the output itself.
  package var cause: String {
    switch self {
    case .lost(let cause), .deviceLost(let cause): cause
    case .noServer(let cause): "no sound server answers: \(cause)"
    case .unreachable(_, let cause), .refused(_, let cause): cause
    default: description
    }
  }

  /// A cause with a remedy, unless it contains one.
  private func withFix(_ cause: String, _ fix: String) -> String { cause.contains("; ") ? cause : "\(cause); \(fix)" }
}
