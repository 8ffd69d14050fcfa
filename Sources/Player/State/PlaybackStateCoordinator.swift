import Signal

/// Decides what a request does, before the session changes: it is refused, it has no effect, or `Transport` carries it
/// out and reports here what has changed. A value, used on the control thread.
///
/// It decides about the frames that are still to come. `Playhead` has the state of the frame that is heard.
struct PlaybackStateCoordinator: Sendable {
  /// What the session does from now on.
  enum Phase: Sendable, Hashable {
    case playing
    /// It is silent from the frame `at` on, after the ramp into a pause.
    case paused(at: FrameTime)
    /// Everything fades out, and the session ends at the frame `at`.
    case closing(at: FrameTime, FinishReason)
    /// It ends as soon as the render notices it. `pausedAt`: the frame of the pause in which that happens.
    case stopping(FinishReason, pausedAt: FrameTime?)
    /// It has ended, early if there is a reason. `pausedAt`: the frame of the pause in which that happened.
    case over(FinishReason?, pausedAt: FrameTime?)
  }

  /// `change`: of the schedule or of a volume.
  enum Request: Sendable, Hashable {
    case pause, resume, change
  }

  /// How a session ends early.
  enum Ending: Sendable, Hashable {
    /// Everything fades out first.
    case fadeOut(over: FrameCount)
    /// At the frame `at`, where the ramp into a pause ends.
    case inPause(at: FrameTime)
    /// At once.
    case now
    /// At once, and what the output holds is dropped: it can't be heard, or it is silence.
    case unheard
  }

  enum Refusal: Error, Sendable, Hashable {
    case isEnding, isOver
  }

  private(set) var phase = Phase.playing
  private let isLive: Bool

  init(isLive: Bool) { self.isLive = isLive }

  /// The session frame from which a pause is silent; nil if the session is not paused.
  var pausedAt: FrameTime? {
    switch phase {
    case .paused(let at): at
    case .stopping(_, let at), .over(_, let at): at
    case .playing, .closing: nil
    }
  }

  /// The frame at which a fade ends the session.
  var closing: FrameTime? { if case .closing(let at, _) = phase { at } else { nil } }

  /// Why the session ends early; nil if it has not been asked to.
  var ending: FinishReason? {
    switch phase {
    case .playing, .paused: nil
    case .closing(_, let reason), .stopping(let reason, _): reason
    case .over(let reason, _): reason
    }
  }

  /// Whether a request has an effect now.
  func hasEffect(_ request: Request) throws(Refusal) -> Bool {
    switch phase {
    case .playing: request != .resume
    case .paused: request != .pause
    case .closing, .stopping: throw .isEnding
    case .over: throw .isOver
    }
  }

  /// How a command ends the session. A session that already ends may only be made to end sooner.
  ///
  /// - Parameters:
  ///   - length: the length of the fade in frames.
  ///   - isHeard: false before the session begins, and while its output is lost.
  ///   - heard: the session frame that is heard.
  func finish(over length: FrameCount, isHeard: Bool, at heard: FrameTime) throws(Refusal) -> Ending {
    switch phase {
    case .over: throw .isOver
    case _ where !isHeard: return .unheard
    case .playing: return .fadeOut(over: length)
    case .paused(let at): return inPause(at: at, heard: heard)
    case .closing(let at, _) where heard + length < at: return .fadeOut(over: length)
    case .closing, .stopping: throw .isEnding
    }
  }

  /// How a signal ends the session; nil if it has ended.
  ///
  /// - Parameter isFading: whether the output already fades out the sound that it holds.
  func interrupt(over length: FrameCount, isFading: Bool, at heard: FrameTime) -> Ending? {
    switch phase {
    case .over: nil
    case .closing, .stopping: .now
    case _ where isFading: .now
    case .playing: .fadeOut(over: length)
    case .paused(let at): inPause(at: at, heard: heard)
    }
  }

  /// A listener who has heard the ramp into the pause hears nothing more, so the output drops the silence that it
  /// holds. A render continues up to its last frame.
  private func inPause(at pausedAt: FrameTime, heard: FrameTime) -> Ending {
    isLive && pausedAt <= heard ? .unheard : .inPause(at: pausedAt)
  }
}

extension PlaybackStateCoordinator {
  mutating func pause(at frame: FrameTime) { phase = .paused(at: frame) }

  mutating func resume() { phase = .playing }

  /// The session has been asked to end.
  mutating func stop(as reason: FinishReason) { phase = .stopping(reason, pausedAt: pausedAt) }

  /// The fade to the end has begun, or the session ends in a pause.
  mutating func close(at frame: FrameTime) { phase = .closing(at: frame, ending ?? .stopped) }

  /// The session has ended.
  mutating func end() { phase = .over(ending, pausedAt: pausedAt) }
}
