import Schedule

/// The player's state with crossfades left out, for readers that know nothing of them.
public enum SimplePlayerState: Sendable, Hashable {
  case idle, preparing, playing, paused, fadingOut, finished
  case failed(AudioPlayerError)

  public var name: String {
    switch self {
    case .idle: "idle"
    case .preparing: "preparing"
    case .playing: "playing"
    case .paused: "paused"
    case .fadingOut: "fadingOut"
    case .finished: "finished"
    case .failed: "failed"
    }
  }
}

extension PlayerState {
  /// This state for readers that know seven.
  public var simple: SimplePlayerState {
    switch self {
    case .idle: .idle
    case .preparing, .preparingCrossfade: .preparing
    case .playing, .crossfading: .playing
    case .paused, .crossfadePaused: .paused
    case .fadingOut: .fadingOut
    case .finished: .finished
    case .failed(let error, _): .failed(error)
    }
  }
}

extension PlayerState.Kind {
  /// What a reader of seven states calls it.
  var simpleName: String {
    switch self {
    case .preparingCrossfade: Self.preparing.rawValue
    case .crossfading: Self.playing.rawValue
    case .crossfadePaused: Self.paused.rawValue
    default: rawValue
    }
  }
}

/// The way back: from seven states, and what is known beside them, to ten.
public struct PlayerStateMigration: Sendable {
  public enum Mode: Sendable, Hashable {
    /// What is missing makes the result poorer: a crossfade becomes a track, a track silence.
    case lenient
    /// What is missing is an error.
    case strict
  }

  /// What the seven states leave out.
  public struct Context: Sendable {
    public var isCrossfading = false
    public var active: TrackInfo?
    public var inactive: TrackInfo?
    /// Seconds into the active track.
    public var position = 0.0
    /// Of the crossfade, 0…1.
    public var progress: Double?
    public var snapshot: CrossfadePauseSnapshot?

    public init(active: TrackInfo? = nil, position: Double = 0) {
      self.active = active
      self.position = position
    }
  }

  /// Seconds that a fade-out takes whose length is not known.
  public static let fadeOut = 0.3

  private let mode: Mode

  public init(_ mode: Mode = .lenient) { self.mode = mode }

  public func state(
    from simple: SimplePlayerState, _ context: Context = Context()
  ) throws(MigrationError) -> PlayerState {
    switch simple {
    case .idle: return .idle
    case .finished: return .finished
    case .failed(let error): return .failed(error: error, recoverable: error.recoverable)
    case .fadingOut: return context.active.map { .fadingOut(track: $0, duration: Self.fadeOut) } ?? .finished
    case .preparing, .playing, .paused:
      if let crossfade = try crossfade(simple, context) { return crossfade }
      return try single(simple, context)
    }
  }

  /// Whether a reader of the seven states, told `simple`, knows the truth about `state`.
  public static func agrees(_ simple: SimplePlayerState, with state: PlayerState) -> Bool { state.simple == simple }

  private func single(_ simple: SimplePlayerState, _ context: Context) throws(MigrationError) -> PlayerState {
    guard let track = try track(simple, context) else { return .idle }
    switch simple {
    case .preparing: return .preparing(track: track)
    case .paused: return try paused(track, at: context.position)
    default: return .playing(track: track)
    }
  }

  private func paused(_ track: TrackInfo, at position: Double) throws(MigrationError) -> PlayerState {
    let state = PlayerState.paused(track: track, position: position)
    guard state.defect == nil else { throw .invalidConfiguration(context: "position \(position)") }
    return state
  }

  private func track(_ simple: SimplePlayerState, _ context: Context) throws(MigrationError) -> TrackInfo? {
    if context.active == nil, mode == .strict {
      throw .missingTrackData(state: simple, context: "\(simple.name) without track")
    }
    return context.active
  }

  /// Nil when there is no crossfade, or, leniently, not all of it.
  private func crossfade(_ simple: SimplePlayerState, _ context: Context) throws(MigrationError) -> PlayerState? {
    guard context.isCrossfading else { return nil }
    let state = Self.crossfade(simple, context)
    if state == nil, mode == .strict {
      throw .stateMismatch(simple: simple, state: nil, reason: "a crossfade without both tracks and its progress")
    }
    guard let state, let defect = state.defect else { return state }
    if mode == .strict { throw .stateMismatch(simple: simple, state: state, reason: "\(defect)") }
    return nil
  }

  private static func crossfade(_ simple: SimplePlayerState, _ context: Context) -> PlayerState? {
    guard let from = context.active, let to = context.inactive else { return nil }
    if case .preparing = simple { return .preparingCrossfade(current: from, next: to) }
    guard let progress = context.progress else { return nil }
    if case .playing = simple { return .crossfading(from: from, to: to, progress: progress) }
    guard let snapshot = context.snapshot else { return nil }
    return .crossfadePaused(
      from: from, to: to, progress: progress, strategy: ResumeStrategy(progress: progress), snapshot: snapshot)
  }
}

/// Why seven states and what is known beside them make none of the ten.
public enum MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
  case missingTrackData(state: SimplePlayerState, context: String)
  case stateMismatch(simple: SimplePlayerState, state: PlayerState?, reason: String)
  case invalidConfiguration(context: String)

  public var description: String {
    switch self {
    case .missingTrackData(let state, let context): "Migration failed: \(state.name) - \(context)"
    case .stateMismatch(let simple, let state, let reason):
      "State mismatch: v1=\(simple.name) v2=\(state?.name ?? "none") - \(reason)"
    case .invalidConfiguration(let context): "Invalid configuration: \(context)"
    }
  }
}
