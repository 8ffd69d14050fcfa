/// An output of the program that embeds ProsperKit: receives the rendered frames of one session.
///
/// All methods are called on one thread of the player, which renders the session: first ``start(sampleRate:)``, then
/// ``write(_:)`` repeatedly, then ``finish()``, and ``cancel()`` after an error. The properties may be read from any
/// thread.
/// Pass the sink to a player as ``AudioOutput/sink(_:)``.
public protocol AudioSink: AnyObject, Sendable {
  /// Whether the sink plays in real time. Its ``write(_:)`` then blocks while its buffer is full, and the run time is
  /// that of the computer's monotonic clock. Otherwise the session is rendered as fast as the sink accepts frames, and
  /// the run time counts the rendered frames. The value must be constant. The default is false.
  var isRealTime: Bool { get }

  /// The number of frames that a listener has heard since the start, for a sink that plays in real time; nil if the
  /// sink does not know, and every written frame counts as heard. The default is nil.
  var playedFrames: Int64? { get }

  /// Opens the output for stereo.
  ///
  /// - Parameter sampleRate: frames per second, in hertz, 8,000 to 192,000.
  /// - Throws: any error. It ends the session, and ``SessionPlayer/play()`` throws it.
  func start(sampleRate: Int) throws

  /// Receives frames, and must accept all of them.
  ///
  /// - Parameter frames: at most 4,096 frames. Every sample is finite and at most full scale, ±1. The span is only
  ///   valid during the call. It may be empty.
  /// - Throws: any error. It ends the session, and ``SessionPlayer/play()`` throws it.
  func write(_ frames: Span<StereoFrame>) throws

  /// Called after the last frame. Blocks until all frames have been heard or stored.
  ///
  /// - Throws: any error. ``SessionPlayer/play()`` throws it.
  func finish() throws

  /// Called after an error of ``start(sampleRate:)``, ``write(_:)`` or ``finish()``, as the last call. The sink
  /// releases its resources.
  func cancel()
}

extension AudioSink {
  /// False: the session is rendered as fast as the sink takes it.
  public var isRealTime: Bool { false }
  /// Nil: every written frame counts as heard.
  public var playedFrames: Int64? { nil }
}
