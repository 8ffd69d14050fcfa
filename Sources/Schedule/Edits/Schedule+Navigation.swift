package import Signal
package import Sounds

/// Navigation commands.
extension Schedule {
  /// Applies that many steps of `next`; negative for `previous`.
  ///
  /// - Throws: `noNextTrack` or `noPreviousTrack` if there is no target, or none within the stage.
  mutating func step(by steps: Int, isWithinStage: Bool, at frame: FrameTime) throws(EditError) {
    let refusal = steps < 0 ? EditError.noPreviousTrack : .noNextTrack
    guard !isOver(by: frame), let target = target(steps: steps) else { throw refusal }
    if isWithinStage, case .stage = target { throw refusal }
    go(to: target, at: frame)
  }

  /// Goes to a target with the crossfade of the stage that contains it.
  private mutating func go(to target: Target, at frame: FrameTime) {
    switch target {
    case .track(let index, let pass): enter(track: index, pass: pass, position: 0, at: frame, over: plan.crossfade)
    case .stage(let next): enter(stage: next, position: 0, at: frame)
    }
  }

  /// Goes to a track of the current stage.
  ///
  /// - Parameter index: the index in the playlist as the session file lists it.
  mutating func jump(to index: Int, at frame: FrameTime) throws(EditError) {
    // An entry that was removed as unplayable is skipped here as well.
    let position = plan.playlist.position(of: index)
    guard 0 <= index, let position else { throw .invalidPlaylistIndex(index: index, count: plan.tracks.count) }
    if isOver(by: frame) { throw .noActiveTrack }
    go(to: .track(position, pass: 0), at: frame)
  }

  /// Whether the last stage has ended at its planned time, so that only the last bells ring.
  package func isOver(by frame: FrameTime) -> Bool {
    programme.stages[stage].duration != .natural && current + 1 == layouts.count && layout.end ?? .endless <= frame
  }

  /// Seeks within the current track. A position after its end is `next`.
  mutating func seek(_ seek: Seek, at frame: FrameTime) throws(EditError) {
    guard !isOver(by: frame), let (trackPlay, now) = position(at: frame) else { throw .noActiveTrack }
    let wanted =
      switch seek {
      case .to(let seconds): rate.frames(seconds)
      // The limit is longer than any track, and keeps the sum from overflowing.
      case .by(let seconds): now + rate.frames(max(-1e9, min(1e9, seconds)))
      }
    let length = plan.tracks[trackPlay.entry.index].length
    if length <= wanted {
      guard let next = target(steps: 1) else { throw .endOfTrack(seconds: rate.seconds(length)) }
      return go(to: next, at: frame)
    }
    // During a crossfade, a seek ends the other track.
    if max(0, wanted) == now, music(at: frame).count < 2 {
      throw .noEffect("the track is already at that position")
    }
    enter(track: trackPlay.entry.index, pass: trackPlay.entry.pass, position: max(0, wanted), at: frame, over: nil)
  }

  /// Goes to the beginning of the stage that is that many stages later; negative for earlier.
  mutating func go(toStageBy steps: Int, at frame: FrameTime) throws(EditError) {
    let next = stage + steps
    guard programme.stages.indices.contains(next) else { throw steps < 0 ? .noPreviousTrack : .noNextTrack }
    enter(stage: next, position: 0, at: frame)
  }

  /// Goes to a stage.
  ///
  /// - Parameters:
  ///   - position: seconds since the beginning of the stage.
  ///   - frame: the session frame of the edit.
  /// - Throws: `noSuchStage`, or `noSuchPosition` if the position is outside the stage.
  mutating func go(toStage name: String, at position: Double, frame: FrameTime) throws(EditError) {
    guard let next = programme.stages.firstIndex(where: { $0.name == name }) else {
      throw .noSuchStage(name: name, known: programme.stages.map(\.name))
    }
    let frames = rate.frames(position)
    let whole = programme.layOut(from: next, at: 0)[0]
    guard 0 <= frames, frames < whole.end ?? .endless else {
      throw .noSuchPosition(stage: name, seconds: position)
    }
    enter(stage: next, position: frames, at: frame)
  }

  /// The current track, or the one that a navigation at this frame leads to, and the position in it in frames; nil in
  /// silence.
  func position(at frame: FrameTime) -> (trackPlay: MusicPlan.TrackPlay, position: FrameCount)? {
    let frame = pausedMusic?.at ?? frame
    guard let trackPlay = stageMusic.trackPlay, stageMusic.hasBegun || trackPlay.begin == frame,
      !stageMusic.isOver(by: frame)
    else { return nil }
    let position = frame - trackPlay.at
    return frame < plan.end(of: trackPlay) ? (trackPlay, position) : nil
  }

  /// The target of that many `next` (positive) or `previous` (negative) steps; nil if there is none.
  package func target(steps: Int) -> Target? {
    guard let entry = stageMusic.trackPlay?.entry, !plan.tracks.isEmpty else {
      return stageTarget(steps: steps.signum())
    }
    if let (index, pass) = plan.playlist.entry(steps: steps, from: entry) { return .track(index, pass: pass) }
    return stageTarget(steps: steps.signum())
  }

  /// Beyond the playlist, and in silence, any number of steps leads to the neighbouring stage.
  private func stageTarget(steps: Int) -> Target? {
    programme.stages.indices.contains(stage + steps) ? .stage(stage + steps) : nil
  }

  /// The stage of the target of `steps`; nil if there is no target.
  package func stage(steps: Int) -> Int? {
    switch target(steps: steps) {
    case .stage(let other): other
    case .track: stage
    case nil: nil
    }
  }

  /// The edits that skip the tracks of `source` in the stage of the target of `steps`, except the current track.
  ///
  /// - Parameter isTransient: whether only the target is skipped, and only in its pass.
  package func passingOver(_ source: SoundSource, steps: Int, isTransient: Bool = false) -> [Edit] {
    let stage = stage(steps: steps) ?? self.stage
    if isTransient, let (track, _, pass) = peek(steps: steps), track.source == source {
      return [.passOver(stage: stage, entry: track.id, pass: pass)]
    }
    let current = stage == self.stage ? stageMusic.trackPlay?.entry.index : nil
    let tracks = programme.stages[stage].playlist.tracks
    return tracks.indices.filter { $0 != current && tracks[$0].source == source && !tracks[$0].isUnplayable }
      .map { .passOver(stage: stage, entry: tracks[$0].id) }
  }

  /// The track that a number of steps would lead to, with its index and pass; nil if there is none.
  package func peek(steps: Int) -> (track: Track, index: Int, pass: Int)? {
    switch target(steps: steps) {
    case .track(let index, let pass): (plan.tracks[index], index, pass)
    case .stage(let stage):
      programme.stages[stage].playlist.opening.map { (programme.stages[stage].playlist.tracks[$0], $0, 0) }
    case nil: nil
    }
  }
}
