import Schedule
import Signal
import Sounds

/// Commands that add sounds to the session. Each sound is probed first, because the schedule needs its length.
extension CommandExecutor {
  /// Decodes a gong into memory, unless it is too long or in memory already, and strikes it.
  func strike(_ cue: Cue, _ context: OperationContext) async -> CommandOutcome {
    if let length = opener.preloadedLength(cue) { return await edit(context, .gong(cue, length: length)) }
    return await loading(cue, context) {
      await opener.preloadEffect(cue, for: context)
    } then: { length, load in
      await edit(context, .gong(cue, length: length), continuing: load)
    }
  }

  /// Starts an overlay.
  func play(_ request: OverlayRequest, _ context: OperationContext) async -> CommandOutcome {
    await loading(request.cue, context) {
      await opener.facts(of: request.cue, for: context)
    } then: { facts, load in
      await edit(
        context, .overlay(request, length: facts.length, resampled: facts.resampled), continuing: load)
    }
  }

  /// Loads a sound, and goes on with what was found and with the load, which has not ended yet. Reports why it failed.
  private func loading<Value: Sendable>(
    _ cue: Cue, _ context: OperationContext, _ load: () async -> Result<Value, SoundOpener.Failure>,
    then proceed: (Value, BegunLoad) async -> CommandOutcome
  ) async -> CommandOutcome {
    guard let begun = await controlLoop.perform({ $0.beginLoad(cue.source, cue.title, for: context.operation) })
    else { return .rejected(.ended) }
    switch await load() {
    case .success(let value): return await proceed(value, begun)
    case .failure(let failure):
      _ = await controlLoop.perform { $0.endLoad(begun, with: .failure(failure.error)) }
      return failure.outcome
    }
  }

  /// Loads a sound that nothing plays yet, and reports the load.
  private func loaded<Value: Sendable>(
    _ cue: Cue, _ context: OperationContext, _ load: () async -> Result<Value, SoundOpener.Failure>,
    then proceed: (Value) -> Void = { _ in }
  ) async -> CommandOutcome {
    await loading(cue, context, load) { value, begun in
      proceed(value)
      return await perform { control in
        control.endLoad(begun, with: .success(nil))
        return .done
      }
    }
  }

  /// Decodes gongs into memory, up to the first one that can't be opened.
  func preload(_ cues: [Cue], _ context: OperationContext) async -> CommandOutcome {
    if cues.allSatisfy(opener.isPreloaded) { return .rejected(.edit(.noEffect("the gongs are already in memory"))) }
    for cue in cues where !opener.isPreloaded(cue) {
      let outcome = await loaded(cue, context) { await opener.preloadEffect(cue, for: context) }
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

  func changePlaylist(_ change: PlaylistEdit, _ context: OperationContext) async -> CommandOutcome {
    switch change {
    case .replace(let cues): await withTracks(cues, context) { .replace($0) }
    case .append(let cues): await withTracks(cues, context) { .append($0) }
    case .insert(let cues, let index): await withTracks(cues, context) { .insert($0, at: index) }
    case .remove(let index): await withTracks([], context) { _ in .remove(at: index) }
    case .move(let from, let to): await withTracks([], context) { _ in .move(from: from, to: to) }
    }
  }

  /// Probes the sounds as tracks, and applies the change of the playlist that `change` makes of them.
  private func withTracks(
    _ cues: [Cue], _ context: OperationContext, then change: @Sendable ([Track]) -> PlaylistChange
  ) async -> CommandOutcome {
    var tracks: [Track] = []
    for cue in cues {
      let outcome = await loaded(cue, context) {
        await opener.facts(of: cue, for: context)
      } then: { facts in
        var track = Track(source: cue.source, title: cue.title, gain: cue.gain, length: facts.length)
        (track.resampled, track.tags) = (facts.resampled, facts.tags)
        tracks.append(track)
      }
      if outcome != .done { return outcome }
    }
    return await edit(context, .playlist(change(tracks)))
  }
}
