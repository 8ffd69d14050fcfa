import Schedule
import Signal
import Sounds

/// Commands that add sounds to the session. Each sound is probed first, because the schedule needs its length.
extension CommandExecutor {
  /// Decodes a gong into memory, unless it is too long or in memory already, and strikes it.
  func strike(_ cue: Cue, _ context: OperationContext) async -> CommandOutcome {
    switch await opener.preloadEffect(cue, for: context) {
    case .success(let length):
      await edit(context, .gong(cue, length: length))
    case .failure(let failure): failure.outcome
    }
  }

  /// Starts an overlay.
  func play(_ request: OverlayRequest, _ context: OperationContext) async -> CommandOutcome {
    switch await opener.facts(of: request.cue, for: context) {
    case .success(let facts): await edit(context, .overlay(request, length: facts.length, resampled: facts.resampled))
    case .failure(let failure): failure.outcome
    }
  }

  /// Decodes gongs into memory, up to the first one that can't be opened.
  func preload(_ cues: [Cue], _ context: OperationContext) async -> CommandOutcome {
    if cues.allSatisfy(opener.isPreloaded) { return .rejected(.edit(.noEffect("the gongs are already in memory"))) }
    for cue in cues {
      if case .failure(let failure) = await opener.preloadEffect(cue, for: context) { return failure.outcome }
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
      switch await opener.facts(of: cue, for: context) {
      case .failure(let failure): return failure.outcome
      case .success(let facts):
        var track = Track(source: cue.source, title: cue.title, gain: cue.gain, length: facts.length)
        (track.resampled, track.tags) = (facts.resampled, facts.tags)
        tracks.append(track)
      }
    }
    return await edit(context, .playlist(change(tracks)))
  }
}
