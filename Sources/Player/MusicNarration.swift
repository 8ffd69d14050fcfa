import Signal

/// The music's part of the story: which track sounds, and the states and crossfades between.
struct MusicNarration: Sendable {
  private enum Phase: Sendable {
    case idle
    case preparing(Placement)
    case silent
    case playing(Placement)
    case crossfading(from: Placement, to: Placement, Fade)
    case fadingOut(Placement?, Fade)
  }

  private let rate: SampleRate
  private var phase = Phase.idle
  private(set) var lastName = "idle"
  private var sounding: [Placement] = []
  private var nextProgress: FrameTime = .endless
  private var plannedFadeOut: Fade?
  /// Where the last track ended, until it is known that none follows in the same frame.
  private var silence: FrameTime = .endless

  init(rate: SampleRate) { self.rate = rate }

  /// The next frame with something to tell of itself.
  var nextFrame: FrameTime { min(nextProgress, silence, plannedFadeOut?.start ?? .endless) }

  /// The session is over: nothing follows, and that is no silence to tell of.
  mutating func close() { silence = .endless }

  /// Where the crossfade under way ends.
  var completionFrame: FrameTime {
    if case .crossfading(_, _, let fade) = phase { fade.end } else { .endless }
  }

  mutating func fadeOut(at frame: FrameTime, over length: FrameCount) {
    plannedFadeOut = .falling(at: frame, over: length, .linear)
  }

  mutating func prepare(_ placement: Placement) -> [PlayerEvent] {
    guard case .idle = phase else { return [] }
    return enter(.preparing(placement), state: .preparing(track: placement.title))
  }

  mutating func fallSilent() -> [PlayerEvent] {
    guard case .idle = phase else { return [] }
    return enter(.silent, state: .playing(track: nil))
  }

  mutating func start(_ placement: Placement, at now: FrameTime) -> [PlayerEvent] {
    let outgoing = sounding.last { now < $0.end }
    let isLeft = (placement.stage ?? 0) < (outgoing?.stage ?? 0)
    sounding.insert(placement, at: isLeft ? 0 : sounding.count)
    silence = .endless
    let told = PlayerEvent.track(
      title: placement.title, index: placement.entry?.index ?? 0, pass: placement.entry?.pass ?? 0,
      duration: placement.length == .endless ? nil : rate.seconds(placement.length))
    // A stage that is fading out goes on repeating beneath; what sounds is the next stage's.
    if isLeft { return [told] }
    let overtaken: [PlayerEvent] = if case .crossfading = phase { [.crossfadeCancelled] } else { [] }
    guard let outgoing, let fade = placement.fadeIn, now < fade.end else {
      return overtaken + [told] + enter(.playing(placement), state: .playing(track: placement.title))
    }
    let state = PlaybackState.crossfading(from: outgoing.title, to: placement.title, progress: 0)
    let started = PlayerEvent.crossfadeStarted(
      from: outgoing.title, to: placement.title, duration: rate.seconds(fade.length))
    nextProgress = min(now + tenth, fade.end)
    return overtaken + [told, started] + enter(.crossfading(from: outgoing, to: placement, fade), state: state)
  }

  mutating func end(_ placement: Placement, at now: FrameTime) -> [PlayerEvent] {
    sounding.removeAll { $0 == placement }
    if sounding.isEmpty, case .playing = phase { silence = now }
    return []
  }

  mutating func advance(to now: FrameTime) -> [PlayerEvent] {
    if silence == now {
      silence = .endless
      return enter(.silent, state: .playing(track: nil))
    }
    if let fade = plannedFadeOut, fade.start == now {
      plannedFadeOut = nil
      nextProgress = .endless
      let track = sounding.last
      return enter(.fadingOut(track, fade), state: .fadingOut(track: track?.title, duration: rate.seconds(fade.length)))
    }
    guard case .crossfading(let from, let to, let fade) = phase else {
      nextProgress = .endless
      return []
    }
    if fade.end <= now {
      nextProgress = .endless
      return [.crossfadeCompleted] + enter(.playing(to), state: .playing(track: to.title))
    }
    nextProgress = min(now + tenth, fade.end)
    let progress = fade.progress(at: now)
    let state = PlaybackState.crossfading(from: from.title, to: to.title, progress: progress)
    return [.crossfadeProgress(progress), .state(state, previous: lastName)]
  }

  func position(at now: FrameTime) -> PlayerEvent {
    guard let track = sounding.last else { return .position(track: nil, position: nil, duration: nil) }
    return .position(
      track: track.title, position: rate.seconds(now - track.at + track.offset),
      duration: track.length == .endless ? nil : rate.seconds(track.length + track.offset))
  }

  private var tenth: FrameCount { max(1, rate.frames(0.1)) }

  private mutating func enter(_ phase: Phase, state: PlaybackState) -> [PlayerEvent] {
    self.phase = phase
    defer { lastName = state.name }
    return [.state(state, previous: lastName)]
  }
}
