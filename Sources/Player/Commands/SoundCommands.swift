import Schedule
import Signal
import Sounds

/// Commands that add sounds to the session, or load them for later. Each sound is probed first, because the schedule
/// needs its length.
struct SoundCommands: Sendable {
  let opener: SoundOpener
  let visits: ControlVisits

  /// Decodes a gong into memory, unless it is too long or in memory already, and strikes it.
  func strike(_ cue: Cue, _ run: CommandRun) async -> CommandOutcome {
    if let length = opener.preloadedLength(cue) { return await visits.edit(run, .gong(cue, length: length)) }
    return await loading(cue, run) {
      await opener.preloadEffect(cue, for: run.context)
    } then: { length, load in
      await visits.edit(run, .gong(cue, length: length), continuing: load)
    }
  }

  /// Starts an overlay.
  func play(_ request: OverlayRequest, _ run: CommandRun) async -> CommandOutcome {
    await loading(request.cue, run) {
      await opener.facts(of: request.cue, for: run.context)
    } then: { facts, load in
      await visits.edit(
        run, .overlay(request, length: facts.length, resampled: facts.resampled, captions: facts.spoken),
        continuing: load)
    }
  }

  /// Loads a sound, and goes on with what was found and with the load, which has not ended yet. Reports why it failed.
  private func loading<Value: Sendable>(
    _ cue: Cue, _ run: CommandRun, _ load: () async -> Result<Value, SoundOpener.Failure>,
    then proceed: (Value, BegunLoad) async -> CommandOutcome
  ) async -> CommandOutcome {
    guard
      let begun = await visits.controlLoop.perform({ $0.beginLoad(cue.source, cue.title, for: run.context.operation) })
    else { return .rejected(.ended) }
    switch await load() {
    case .success(let value): return await proceed(value, begun)
    case .failure(let failure):
      return await visits.visit(run) { control in
        control.endLoad(begun, with: .failure(failure.error))
        return .ended(failure.outcome)
      }
    }
  }

  /// Loads a sound that nothing plays yet, and reports the load.
  private func loaded<Value: Sendable>(
    _ cue: Cue, _ run: CommandRun, _ load: () async -> Result<Value, SoundOpener.Failure>,
    then proceed: (Value) -> Void = { _ in }
  ) async -> CommandOutcome {
    await loading(cue, run, load) { value, begun in
      proceed(value)
      return await visits.controlLoop.perform { $0.endLoad(begun, with: .success(nil)) } == nil
        ? .rejected(.ended) : .done
    }
  }

  /// Decodes gongs into memory, up to the first one that can't be opened.
  func preload(_ cues: [Cue], _ run: CommandRun) async -> CommandOutcome {
    if cues.allSatisfy(opener.isPreloaded) { return .rejected(.edit(.noEffect("the gongs are already in memory"))) }
    for cue in cues where !opener.isPreloaded(cue) {
      let outcome = await loaded(cue, run) { await opener.preloadEffect(cue, for: run.context) }
      if outcome != .done { return outcome }
    }
    return .done
  }

  /// Removes decoded gongs from memory.
  func unload(_ cues: [Cue]) -> CommandOutcome {
    guard cues.contains(where: opener.isPreloaded) else {
      return .rejected(.edit(.noEffect("the gongs are not in memory")))
    }
    for cue in cues { opener.unloadEffect(cue) }
    return .done
  }

  func changePlaylist(_ change: PlaylistEdit, _ run: CommandRun) async -> CommandOutcome {
    switch change {
    case .replace(let cues): await withTracks(cues, run) { .replace($0) }
    case .append(let cues): await withTracks(cues, run) { .append($0) }
    case .insert(let cues, let index): await withTracks(cues, run) { .insert($0, at: index) }
    case .remove(let index): await withTracks([], run) { _ in .remove(at: index) }
    case .move(let from, let to): await withTracks([], run) { _ in .move(from: from, to: to) }
    }
  }

  /// Probes the sounds as tracks, and applies the change of the playlist that `change` makes of them.
  private func withTracks(
    _ cues: [Cue], _ run: CommandRun, then change: @Sendable ([Track]) -> PlaylistChange
  ) async -> CommandOutcome {
    var tracks: [Track] = []
    for cue in cues {
      let outcome = await loaded(cue, run) {
        await opener.facts(of: cue, for: run.context)
      } then: { facts in
        var track = Track(source: cue.source, title: cue.title, gain: cue.gain, length: facts.length)
        (track.resampled, track.tags, track.captions) = (facts.resampled, facts.tags, facts.spoken)
        tracks.append(track)
      }
      if outcome != .done { return outcome }
    }
    return await visits.edit(run, .playlist(change(tracks)))
  }
}
