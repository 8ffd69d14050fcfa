import Schedule
import Signal

/// The music's part of the story: which track sounds, and the states and crossfades between.
///
/// Clips and frames go in, events come out; the state machine has the last word on what can follow what.
struct MusicNarration: Sendable {
  /// A clip that sounds, and the track as events name it.
  struct Sounding: Sendable {
    var clip: Clip
    var track: TrackInfo
  }

  struct Crossfade: Sendable {
    var from: Sounding
    var to: Sounding
    /// Of the incoming track.
    var fade: Fade
  }

  let rate: SampleRate
  private var coordinator = PlaybackStateCoordinator()
  /// What the state machine refused last: a defect of whoever calls this.
  private(set) var refusal: RefusedTransition?
  /// The one that counts is last; before it those that are on their way out.
  var sounding: [Sounding] = []
  /// What is told of and does not sound yet.
  var announced: Sounding?
  var crossfade: Crossfade?
  var nextProgress: FrameTime = .endless
  var plannedFadeOut: Fade?
  /// The fade-out under way.
  var fadingOut: Fade?
  var pause: Pause?
  /// Where the last track ended, until it is known that none follows in the same frame.
  var silence: FrameTime = .endless
  private var lastID = 0

  init(rate: SampleRate) { self.rate = rate }

  var state: PlayerState { coordinator.state }
  var lastName: String { state.name }

  /// Of the crossfade at a frame, to the frame; nil where there is none.
  func progress(at frame: FrameTime) -> Double? {
    pause == nil ? crossfade.map { max(state.progress ?? 0, $0.fade.progress(at: frame)) } : state.progress
  }

  /// The track that counts, and seconds into it.
  func current(at frame: FrameTime) -> (clip: Clip, seconds: Double)? {
    (sounding.last ?? announced).map { ($0.clip, shownPosition(in: $0.clip, at: frame)) }
  }

  /// One track, and no crossfade.
  private var sounds: Bool { state.kind == .playing || state.kind == .preparingCrossfade }

  /// The next frame with something to tell of itself; a pause holds everything up.
  var nextFrame: FrameTime {
    pause == nil ? min(nextProgress, silence, plannedFadeOut?.start ?? .endless) : .endless
  }

  /// Where the crossfade under way ends.
  var completionFrame: FrameTime { pause == nil ? crossfade?.fade.end ?? .endless : .endless }

  /// The session is over: nothing follows, and that is no silence to tell of.
  mutating func close() { silence = .endless }

  /// - Parameter isUnderWay: the fade-out that is told of goes on, though the plan around it has changed.
  mutating func fadeOut(at frame: FrameTime, over length: FrameCount, isUnderWay: Bool = false) {
    let fade = Fade.falling(at: frame, over: length, .linear)
    if isUnderWay, state.kind == .fadingOut { fadingOut = fade } else { plannedFadeOut = fade }
  }

  mutating func prepare(_ clip: Clip) -> [PlayerEvent] {
    guard case .idle = state else { return [] }
    return become(.preparing(track: announce(clip).track))
  }

  /// The listener has asked for another track, which is being opened while this one goes on.
  mutating func prepareCrossfade(to clip: Clip) -> [PlayerEvent] {
    guard case .playing(let current?) = state else { return [] }
    return become(.preparingCrossfade(current: current, next: announce(clip).track))
  }

  /// It can't be opened.
  mutating func abandonCrossfade() -> [PlayerEvent] {
    guard case .preparingCrossfade(let current, _) = state else { return [] }
    announced = nil
    return become(.playing(track: current))
  }

  mutating func fallSilent() -> [PlayerEvent] {
    guard state.kind == .idle || state.kind == .preparing else { return [] }
    announced = nil
    return become(.playing(track: nil))
  }

  /// - Parameter isBeneath: its stage is fading out, and goes on repeating beneath the one that counts.
  mutating func start(_ clip: Clip, at now: FrameTime, isBeneath: Bool = false) -> [PlayerEvent] {
    if let known = sounding.firstIndex(where: { $0.clip.id == clip.id }) {
      sounding[known].clip = clip
      return []
    }
    let outgoing = sounding.lastIndex { now < $0.clip.end }
    if let outgoing, clip.goesOn(from: sounding[outgoing].clip, at: now) {
      sounding[outgoing].clip = clip
      // Sought in while it was fading in: it sounds alone.
      return clip.enters == nil ? [] : leaveCrossfade() + leaveFadeOut()
    }
    let leaving = outgoing.map { sounding[$0] }
    let new = take(clip)
    // Where one begins in the middle of a crossfade of stages, the one that leaves is the first that is heard.
    let isBeneath = isBeneath && outgoing != nil
    sounding.insert(new, at: isBeneath ? 0 : sounding.count)
    silence = .endless
    let told = [trackEvent(clip)]
    if isBeneath || fadingOut != nil { return told }
    return leaveCrossfade() + told + enter(new, from: leaving, at: now)
  }

  mutating func end(_ clip: Clip, at now: FrameTime) -> [PlayerEvent] {
    if pause != nil {
      pause?.ended.append(clip)
      return []
    }
    sounding.removeAll { $0.clip.isSamePlaying(as: clip) }
    if sounding.isEmpty, sounds { silence = now }
    return []
  }

  mutating func advance(to now: FrameTime) -> [PlayerEvent] {
    if silence == now {
      silence = .endless
      announced = nil
      return sounds ? become(.playing(track: nil)) : []
    }
    if let fade = plannedFadeOut, fade.start == now {
      plannedFadeOut = nil
      return enter(fade)
    }
    guard let crossfade else {
      nextProgress = .endless
      return []
    }
    return advance(crossfade, to: now)
  }

  func position(at now: FrameTime) -> PlayerEvent {
    guard let current = sounding.last else { return .position(track: nil, position: nil, duration: nil) }
    return .position(
      track: current.track.title, position: shownPosition(in: current.clip, at: now),
      duration: current.track.duration)
  }
}

extension MusicNarration {
  /// Makes a state the current one and tells it, unless it is refused or known.
  mutating func become(_ new: PlayerState, isStep: Bool = false) -> [PlayerEvent] {
    if case .failure(let refused) = coordinator.apply(new), !takeDetour(to: new) { refusal = refused }
    return coordinator.takeChange(evenIfNear: isStep).map { [.state($0.state, previous: $0.previous.name)] } ?? []
  }

  /// What sounds leads to what is new by way of a track that sounds alone, for no time and untold.
  private mutating func takeDetour(to new: PlayerState) -> Bool {
    guard state.isAudible else { return false }
    let ways = [state.currentTrack, new.currentTrack].map { PlayerState.playing(track: $0) }
    guard let way = ways.first(where: { state.canTransition(to: $0) && $0.canTransition(to: new) }) else {
      return false
    }
    coordinator.apply(way)
    coordinator.apply(new)
    return true
  }

  /// - Returns: seconds into the track.
  func position(in clip: Clip, at frame: FrameTime) -> Double {
    max(0, rate.seconds(frame - clip.at))
  }

  /// What was sought in a pause stands where it will go on.
  private func shownPosition(in clip: Clip, at frame: FrameTime) -> Double {
    position(in: clip, at: max(pause?.at ?? frame, clip.begin))
  }

  /// Seconds of the track; nil where nothing ends it.
  func duration(of clip: Clip) -> Double? { clip.length == .endless ? nil : rate.seconds(clip.length) }

  /// Gives a clip the name that it has in the story, before it sounds.
  mutating func announce(_ clip: Clip) -> Sounding {
    lastID += 1
    let new = Sounding(clip: clip, track: TrackInfo(id: lastID, title: clip.title, duration: duration(of: clip)))
    announced = new
    return new
  }

  /// The clip under the name that it has been announced by, or a new one.
  private mutating func take(_ clip: Clip) -> Sounding {
    let known = announced.flatMap { $0.clip.stands(for: clip) ? $0.track : nil }
    defer { announced = nil }
    return known.map { Sounding(clip: clip, track: $0) } ?? announce(clip)
  }

  private func trackEvent(_ clip: Clip) -> PlayerEvent {
    .track(
      title: clip.title, index: clip.number ?? clip.entry?.index ?? 0, pass: clip.entry?.pass ?? 0,
      duration: duration(of: clip))
  }

  /// The listener has sought out of the last fade-out.
  private mutating func leaveFadeOut() -> [PlayerEvent] {
    guard state.kind == .fadingOut, fadingOut == nil, pause == nil else { return [] }
    return become(.playing(track: sounding.last?.track))
  }

  /// The last fade-out begins later now, and what sounds plays on.
  mutating func leaveMovedFadeOut(at frame: FrameTime) -> [PlayerEvent] {
    guard let clip = sounding.last?.clip, plannedFadeOut.map({ frame < $0.start }) ?? true,
      clip.leave.map({ frame < $0.start }) ?? true
    else { return [] }
    return leaveFadeOut()
  }

  /// The next one begins before it is complete.
  private mutating func leaveCrossfade() -> [PlayerEvent] {
    guard let left = endCrossfade() else { return [] }
    return [.crossfadeCancelled] + (pause == nil ? become(.playing(track: left.to.track)) : [])
  }

  @discardableResult mutating func endCrossfade() -> Crossfade? {
    nextProgress = .endless
    return crossfade.take()
  }

  /// It will not be told to its end.
  mutating func breakCrossfade() -> [PlayerEvent] { endCrossfade() == nil ? [] : [.crossfadeCancelled] }

  private mutating func enter(_ new: Sounding, from leaving: Sounding?, at now: FrameTime) -> [PlayerEvent] {
    if pause != nil { return become(.paused(track: new.track, position: position(in: new.clip, at: now))) }
    if state == .idle { return become(.preparing(track: new.track)) + become(.playing(track: new.track)) }
    guard let leaving, let fade = new.clip.fadeIn, now < fade.end else {
      return become(.playing(track: new.track))
    }
    crossfade = Crossfade(from: leaving, to: new, fade: fade)
    nextProgress = min(now + tenth, fade.end)
    let started = PlayerEvent.crossfadeStarted(
      from: leaving.track.title, to: new.track.title, duration: rate.seconds(fade.length))
    return [started] + become(.crossfading(from: leaving.track, to: new.track, progress: fade.progress(at: now)))
  }

  mutating func enter(_ fade: Fade) -> [PlayerEvent] {
    let told = breakCrossfade() + become(.fadingOut(track: sounding.last?.track, duration: rate.seconds(fade.length)))
    fadingOut = state.kind == .fadingOut ? fade : nil
    return told
  }

  private mutating func advance(_ current: Crossfade, to now: FrameTime) -> [PlayerEvent] {
    if current.fade.end <= now {
      endCrossfade()
      return [.crossfadeCompleted] + become(.playing(track: current.to.track))
    }
    nextProgress = min(now + tenth, current.fade.end)
    // A fade that was replaced goes on from the nearest whole frame, which may lie a hair before where it was.
    let progress = max(state.progress ?? 0, current.fade.progress(at: now))
    let crossfading = PlayerState.crossfading(from: current.from.track, to: current.to.track, progress: progress)
    return [.crossfadeProgress(progress)] + become(crossfading, isStep: true)
  }

  private var tenth: FrameCount { max(1, rate.frames(0.1)) }
}

extension Clip {
  /// Whether both are one playing of one track, whatever has become of its times.
  func isSamePlaying(as other: Clip) -> Bool { id.isSamePlaying(as: other.id) }

  /// Whether it announces that playing, or another one of the same track.
  fileprivate func stands(for playing: Clip) -> Bool { isSamePlaying(as: playing) || isSameTrack(as: playing) }

  /// Whether it is the track that sounds, elsewhere in it or later: sought in, or continued after a pause.
  fileprivate func goesOn(from other: Clip, at now: FrameTime) -> Bool {
    isSameTrack(as: other) && fadeIn.map { $0.start < now } ?? true
  }

  /// Whether both are the same entry of the playlist in the same pass, wherever it stands now.
  func isSameTrack(as other: Clip) -> Bool {
    guard case .track(_, _, let entry) = id.origin, case .track(_, _, entry) = other.id.origin else { return false }
    return stage == other.stage && self.entry?.pass == other.entry?.pass
  }
}
