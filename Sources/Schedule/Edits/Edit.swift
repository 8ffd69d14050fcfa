import Engine
public import Signal

/// A change of a schedule, as a value: it can be written down, and made again.
public enum Edit: Sendable, Hashable, Codable {
  /// To the track, or the stage, that so many steps of `next` lead to; negative for `previous`.
  /// `isWithinStage`: only to a track of the stage.
  case step(by: Int, isWithinStage: Bool = false)
  case stage(by: Int)
  case jump(Int)
  case seek(Seek)
  case goto(stage: String, at: Double)
  case crossfade(seconds: Double?, FadeCurve?)
  case repetition(RepeatMode, count: Int?)
  case playlist(PlaylistChange)
  case gong(Cue, length: FrameCount)
  case overlay(OverlayRequest, length: FrameCount)
  case overlayRepetition(OverlayRequest.Times, delay: Double)
  case stopOverlays, pauseOverlays, resumeOverlays
  case stopEffects
  case pauseMusic, resumeMusic
  /// A track of a stage that can't be opened: it is passed over.
  case passOver(stage: Int, entry: Int)
  /// The session falls silent for a pause.
  case pause
  /// It continues, a paused crossfade with it.
  case resume(ResumeStrategy?)
  /// It is to end: the stage's music goes on, and nothing else begins any more.
  case wind

  /// What it brings in.
  var sources: [SoundSource] {
    switch self {
    case .gong(let cue, _): [cue.source]
    case .overlay(let request, _): [request.cue.source]
    case .playlist(.replace(let tracks)), .playlist(.insert(let tracks, _)), .playlist(.append(let tracks)):
      tracks.map(\.source)
    default: []
    }
  }
}

/// Where to go within the track that sounds, in seconds.
public enum Seek: Sendable, Hashable, Codable {
  case to(Double)
  case by(Double)
}

/// A change of the stage's playlist whose tracks have been probed.
public enum PlaylistChange: Sendable, Hashable, Codable {
  case replace([Track])
  case insert([Track], at: Int)
  case append([Track])
  case remove(at: Int)
  case move(from: Int, to: Int)
}

extension Schedule {
  /// Where `next` and `previous` lead.
  public enum Target: Sendable, Hashable, Codable {
    case track(Int, pass: Int)
    case stage(Int)
    /// Behind the last stage.
    case end
  }

  /// The schedule after an edit, made at `frame`.
  ///
  /// - Parameters:
  ///   - kept: everything that ends behind this frame stays known; where it lies before `frame`, the session falls silent
  ///     between them.
  ///   - isSilent: nothing is heard at `frame`: what leaves is gone at once.
  ///   - strategy: how a crossfade that is paused with the music continues.
  /// - Throws: why the edit can't be made.
  public func applying(
    _ edit: Edit, at frame: FrameTime, keeping kept: FrameTime, isSilent: Bool = false,
    resuming strategy: ResumeStrategy? = nil
  ) throws(EditError) -> Schedule {
    var next = self
    next.advance(to: frame, keeping: kept)
    next.isSilent = isSilent
    let before = next.sounding(at: frame)
    try next.make(edit, at: frame, resuming: strategy)
    if !isSilent { next.keepContinuity(with: before, at: frame) }
    return next
  }

  private mutating func make(
    _ edit: Edit, at frame: FrameTime, resuming strategy: ResumeStrategy?
  ) throws(EditError) {
    switch edit {
    case .step(let steps, let isWithinStage): try step(by: steps, isWithinStage: isWithinStage, at: frame)
    case .stage(let steps): try go(toStageBy: steps, at: frame)
    case .jump(let index): try jump(to: index, at: frame)
    case .seek(let seek): try self.seek(seek, at: frame)
    case .goto(let stage, let position): try go(toStage: stage, at: position, frame: frame)
    case .crossfade(let seconds, let curve): setCrossfade(seconds.map { rate.frames($0) }, curve, at: frame)
    case .repetition(let mode, let count): setRepetition(mode, count: count, at: frame)
    case .playlist(let change): try self.change(change, at: frame)
    case .pauseMusic: pauseMusic(at: frame)
    case .resumeMusic: resumeMusic(at: frame, by: strategy)
    case .passOver(let stage, let entry): passOver(entry, ofStage: stage, at: frame)
    default: try makeOnCues(edit, at: frame)
    }
  }

  private mutating func makeOnCues(_ edit: Edit, at frame: FrameTime) throws(EditError) {
    switch edit {
    case .gong(let cue, let length): strike(cue, length: length, at: frame)
    case .overlay(let request, let length): play(request, length: length, at: frame)
    case .overlayRepetition(let times, let delay):
      try overlays.change(times, delay: Double(rate.frames(delay)), among: occurrences, at: frame)
    case .stopOverlays: stopOverlays(at: frame)
    case .pauseOverlays: overlays.pause(at: frame)
    case .resumeOverlays: overlays.resume(at: frame)
    case .stopEffects: effects.stopCommanded(at: frame)
    case .pause:
      postponed.append(PausedFrames(from: frame, to: frame + ramp.length))
      effects.stop(at: frame)
    case .resume(let strategy): if let strategy { resumeCrossfade(at: frame, by: strategy) }
    case .wind: wind(at: frame)
    default: break
    }
  }

  /// What an edit would have end, begin in its middle or jump, fades over.
  private mutating func keepContinuity(with before: [Clip], at frame: FrameTime) {
    let sounding = sounding(at: frame)
    let after = Dictionary(sounding.map { ($0.id, $0) }) { first, _ in first }
    let known = Set(before.map(\.id))
    for new in sounding where new.begin < frame && !known.contains(new.id) {
      eases[new.id] = .rising(at: frame, over: ramp.length, ramp.curve)
    }
    for old in before where old.begin < frame {
      guard let new = after[old.id] else {
        var left = old
        left.leave(at: frame, over: ramp)
        tails.append(left)
        continue
      }
      let (was, now) = (old.fadeGain(at: frame), new.fadeGain(at: frame))
      guard 0.001 < abs(was - now), 0.001 < now else { continue }
      let held = new.ramp.map { $0.gain(at: frame) } ?? 1
      eases[new.id] = Fade(from: held * was / now, to: 1, start: frame, length: ramp.length, curve: .sCurve)
    }
  }
}

extension Clip {
  /// What its fades make of it.
  public func fadeGain(at frame: FrameTime) -> Float {
    [fadeIn, fadeOut, leave, ramp].reduce(1) { $0 * ($1?.gain(at: frame) ?? 1) }
  }
}
