package import Signal

/// What sets the pace of the render loop.
package enum Pace: Hashable, Sendable {
  /// The listener: the sink's write waits while enough is buffered, and run time is the computer's monotonic clock.
  case listener
  /// The sources: the loop waits only for sound, and run time is counted in frames.
  case players
}

/// An output for frames. The render loop's thread calls everything except `retract`, `interrupt` and `heard`.
package protocol Sink: AnyObject, Sendable {
  var pace: Pace { get }

  /// Opens the output for stereo at `rate`. Called once, before the first write.
  func start(at rate: SampleRate) throws(SinkError)

  /// Writes the whole block. A live sink waits here until there is room: its write is the clock.
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError)

  /// Waits until the last frame has been heard, or has been written and the file has its final name.
  func finish() throws(SinkError)

  /// Ends without finishing: a live output falls silent, an unfinished file is removed.
  func abandon()

  /// Frames heard since the start; for an output without a listener, frames written. From any thread.
  var heard: FrameCount { get }

  /// Retracts what has been written but not heard: fades out over up to `ramp` frames of it, drops the rest, and lets a
  /// waiting `write` return. Frames that are written later are dropped. A second call fades out the rest of that fade
  /// over up to `ramp` frames. From any thread.
  ///
  /// - Returns: false if nothing can be retracted, because the output has no listener: then the engine fades instead.
  func retract(over ramp: FrameCount) -> Bool

  /// Rewinds to the first frame that can still be replaced. The next `write` overwrites the frames from there on, which
  /// play until they are overwritten. Called between two writes.
  ///
  /// - Returns: the position of the next write, in frames since the start; nil if nothing can be rewound.
  func rewind() -> FrameCount?

  /// Makes a `write` that waits for room return and keep the rest of its block for the next one. From any thread.
  func interrupt()
}

extension Sink {
  package func retract(over ramp: FrameCount) -> Bool { false }
  package func rewind() -> FrameCount? { nil }
  package func interrupt() {}
}

/// Why an output can't be used. Each description is one sentence with the place and a remedy.
package enum SinkError: Error, Hashable, Sendable, CustomStringConvertible {
  case noServer(cause: String)
  case noSuchDevice(name: String, known: [String])
  /// The server was lost and did not come back in time.
  case lost(cause: String)
  case cannotCreate(path: String, cause: String)
  case cannotWrite(path: String, cause: String)
  case unsupported(path: String, what: String)
  /// The reader of stdout or of a FIFO closed it.
  case closed(path: String)

  /// The system can't create a thread that feeds the output.
  package static let noThread = SinkError.cannotCreate(
    path: "the output", cause: "the system can't create another thread; end other programs")

  package var description: String {
    switch self {
    case .noServer(let cause):
      "no sound server answers (\(cause)); start PulseAudio, or render to a file with --output FILE.flac"
    case .noSuchDevice(let name, let known):
      "there is no output '\(name)'; use one of: \(known.joined(separator: ", "))"
    case .lost(let cause): "the sound server was lost (\(cause)); continue with 'prosper play --resume' when it is back"
    case .cannotCreate(let path, let cause): "\(path): can't be created: \(withFix(cause, "choose another folder"))"
    case .cannotWrite(let path, let cause):
      "\(path): can't be written: \(withFix(cause, "make room, or choose another folder"))"
    case .unsupported(let path, let what): "\(path): \(what)"
    case .closed(let path): "\(path): the reader has closed it"
    }
  }

  /// A cause with a remedy, unless it contains one.
  private func withFix(_ cause: String, _ fix: String) -> String { cause.contains("; ") ? cause : "\(cause); \(fix)" }
}
