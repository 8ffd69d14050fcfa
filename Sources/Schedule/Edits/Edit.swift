package import Signal
package import Sounds

/// A change of a schedule as a value, so that a journal can store and replay it. The names of the cases are keys of the
/// saved position.
package enum Edit: Sendable, Hashable, Codable {
  /// Applies a number of `next` steps; negative for `previous`. `isWithinStage`: only to a track of the current stage.
  case step(by: Int, isWithinStage: Bool = false)
  /// Goes that many stages forward; negative for backward.
  case stage(by: Int)
  /// Goes to a track of the current stage, by its index in the session file.
  case jump(Int)
  case seek(Seek)
  /// Goes to a position in a stage, in seconds since its beginning.
  case goto(stage: String, at: Double)
  /// Changes the crossfade of this stage and the following ones; nil keeps the current value.
  case crossfade(seconds: Double?, FadeCurve?)
  case repetition(RepeatMode, count: Int?)
  /// Replaces what is still to come by what the session file has now.
  case reload(Reload)
  /// Moves the end of the current stage, by seconds; negative for earlier.
  case extend(by: Double)
  case playlist(PlaylistChange)
  /// Strikes a gong or starts an overlay whose sound has that many frames.
  case gong(Cue, length: FrameCount)
  case overlay(OverlayRequest, length: FrameCount, resampled: ResampledLength? = nil, captions: [Caption]? = nil)
  /// Changes the repeats of the current overlay; `delay` is in seconds.
  case overlayRepetition(OverlayRequest.Times, delay: Double)
  case stopOverlays, pauseOverlays, resumeOverlays
  case stopEffects
  /// Pauses or resumes the music separately from the session.
  case pauseMusic, resumeMusic
  /// Skips a track that can't be opened. `entry` is the identity of the playlist entry; `trackPlay` is the ordinal of
  /// the track play that was due, nil if the target of a command can't be opened. `pass`: the only pass of the playlist
  /// in which the entry is skipped, because its sound may open later; nil for all.
  case passOver(stage: Int, entry: Int, trackPlay: Int? = nil, pass: Int? = nil)
  /// Pauses the session.
  case pause
  /// Resumes the session. The strategy applies to a paused crossfade; nil if there is none.
  case resume(ResumeStrategy?)
  /// Ends the session: the current stage's music continues until the final fade-out is complete, and nothing else
  /// begins. The journal never contains it.
  case finish

  /// The sources that the edit adds.
  var sources: [SoundSource] {
    switch self {
    case .gong(let cue, _): [cue.source]
    case .overlay(let request, _, _, _): [request.cue.source]
    case .playlist(let change): change.tracks.map(\.source)
    case .reload(let reload): reload.sources
    default: []
    }
  }
}

extension Edit {
  /// Whether the edit fails if the sound of `clip` can't be opened. Any other clip is skipped, as it would be without
  /// the edit.
  package func needs(_ clip: Clip) -> Bool {
    isReload || isNavigation && clip.layer == .music || sources.contains(clip.source)
  }

  private var isReload: Bool { if case .reload = self { true } else { false } }

  /// Whether levels may change that a listener would not expect to jump: in the fade-out at the end of the session, which
  /// an extended stage leaves, or by a new volume in the session file.
  fileprivate var movesLevels: Bool { if case .extend = self { true } else { isReload } }

  /// Whether the edit depends on which track is current.
  fileprivate var movesMusic: Bool { isNavigation || self == .pauseMusic }

  private var isNavigation: Bool {
    switch self {
    case .step, .stage, .jump, .seek, .goto: true
    default: false
    }
  }
}

/// A seek within the current track, in seconds.
public enum Seek: Sendable, Hashable, Codable {
  /// To a position, counted from the beginning of the track. After its end, the next track starts.
  case to(Double)
  /// Forward, or backward if negative.
  case by(Double)
}

/// A change of the current stage's playlist; the added tracks have been probed. Indices count from 0.
package enum PlaylistChange: Sendable, Hashable, Codable {
  case replace([Track])
  case insert([Track], at: Int)
  case append([Track])
  case remove(at: Int)
  case move(from: Int, to: Int)

  /// The tracks that it adds.
  var tracks: [Track] {
    switch self {
    case .replace(let tracks), .insert(let tracks, _), .append(let tracks): tracks
    case .remove, .move: []
    }
  }
}

extension Schedule {
  /// The target of `next` or `previous`.
  package enum Target: Sendable, Hashable {
    case track(Int, pass: Int)
    case stage(Int)
  }

  /// Returns the schedule after an edit at `frame`; this schedule does not change.
  ///
  /// - Parameters:
  ///   - kept: clips that end after this frame are kept. If it is before `frame`, the session ramps down to silence
  ///     between the two.
  ///   - isSilent: the output is silent at `frame`, so clips are removed without a fade.
  ///   - strategy: how a crossfade that was paused with the music continues.
  /// - Throws: the reason why the edit can't be applied.
  package func applying(
    _ edit: Edit, at frame: FrameTime, keeping kept: FrameTime, isSilent: Bool = false,
    resuming strategy: ResumeStrategy? = nil
  ) throws(EditError) -> Schedule {
    var next = self
    next.advance(to: frame, keeping: kept)
    if edit.movesMusic { next.enterWithoutCrossfade(at: frame) }
    next.isSilent = isSilent
    let before = next.playing(at: frame)
    try next.apply(edit, at: frame, resuming: strategy)
    // At the start nothing has been heard yet.
    if !isSilent, start < frame { next.keepContinuity(with: before, at: frame, after: edit) }
    return next
  }

  private mutating func apply(
    _ edit: Edit, at frame: FrameTime, resuming strategy: ResumeStrategy?
  ) throws(EditError) {
    switch edit {
    case .step(let steps, let isWithinStage): try step(by: steps, isWithinStage: isWithinStage, at: frame)
    case .stage(let steps): try go(toStageBy: steps, at: frame)
    case .jump(let index): try jump(to: index, at: frame)
    case .seek(let seek): try self.seek(seek, at: frame)
    case .goto(let stage, let position): try go(toStage: stage, at: position, frame: frame)
    case .crossfade(let seconds, let curve): try setCrossfade(seconds.map { rate.frames($0) }, curve, at: frame)
    case .repetition(let mode, let count): try setRepetition(mode, count: count, at: frame)
    case .reload(let reload): try self.reload(reload, at: frame)
    case .extend(let seconds): try extend(by: seconds, at: frame)
    case .playlist(let change): try self.change(change, at: frame)
    case .pauseMusic: try pauseMusic(at: frame)
    case .resumeMusic: try resumeMusic(at: frame, by: strategy)
    case .passOver(let stage, let entry, let due, let pass):
      passOver(entry, ofStage: stage, due: due, pass: pass, at: frame)
    case .gong(let cue, let length): strike(cue, length: length, at: frame)
    case .overlay(let request, let length, let resampled, let captions):
      try play(request, length, resampled, captions, at: frame)
    case .overlayRepetition(let times, let delay):
      try overlays.change(times, delay: Double(rate.frames(delay)), among: occurrences, at: frame)
    case .stopOverlays: try stopOverlays(at: frame)
    case .pauseOverlays: try overlays.pause(among: occurrences, at: frame)
    case .resumeOverlays: try overlays.resume(among: occurrences, at: frame)
    case .stopEffects: try stopEffects(at: frame)
    case .pause:
      postponed.append(frame..<frame + ramp.length)
      effects.stop(at: frame)
    case .resume(let strategy):
      shortenPause(endingAt: frame)
      if let strategy { resumeCrossfade(at: frame, by: strategy) }
    case .finish: finish(at: frame)
    }
  }

  /// Adds a ramp to every clip that the edit ends, starts in the middle, or whose gain it changes, so that nothing
  /// clicks.
  private mutating func keepContinuity(with before: [Clip], at frame: FrameTime, after edit: Edit) {
    let playing = playing(at: frame)
    let length = edit.movesLevels ? CrossfadeOrchestrator(rate: rate).quickFinish : ramp.length
    let after = Dictionary(playing.map { ($0.id, $0) }) { first, _ in first }
    let known = Set(before.filter { $0.begin < frame }.map(\.id))
    for new in playing where new.begin < frame && !known.contains(new.id) {
      editRamps[new.id] = .rising(at: frame, over: ramp.length, ramp.curve)
    }
    for old in before where old.begin < frame {
      // A clip that the edit removed fades out as a tail, unless an edit at the same frame started it, so that it is
      // still silent.
      guard let new = after[old.id] else {
        if old.fadeGain(at: frame) == 0 { continue }
        var left = old
        left.leave(at: frame, over: ramp)
        tails.append(left)
        continue
      }
      let (was, now) = (old.gain.linear * old.fadeGain(at: frame), new.gain.linear * new.fadeGain(at: frame))
      // A step of less than 0.001 (-60 dB) is inaudible. A larger one is divided out, and the quotient fades to 1.
      guard 0.001 < abs(was - now), 0.001 < now || 0 < now && new.isFadingOut(at: frame) else { continue }
      let held = new.ramp.map { $0.gain(at: frame) } ?? 1
      editRamps[new.id] = Fade(from: held * was / now, to: 1, start: frame, length: length, curve: .sCurve)
    }
  }
}

extension Clip {
  /// The product of all fades at `frame`, without `gain`.
  package func fadeGain(at frame: FrameTime) -> Float {
    [fadeIn, fadeOut, leave, ramp].reduce(1) { $0 * ($1?.gain(at: frame) ?? 1) }
  }
}
