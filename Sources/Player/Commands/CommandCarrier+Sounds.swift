import Engine
import Signal

/// What a listener adds to the session: probed first, so that its length is known.
extension CommandCarrier {
  func strike(_ cue: Cue, _ context: OperationContext) async -> CommandOutcome {
    await withLength(of: cue) { length in
      await edit(context) { score, frame in score.addGong(cue, length: length, at: frame) }
    }
  }

  func carryOut(_ overlay: OverlayCommand, _ context: OperationContext) async -> CommandOutcome {
    switch overlay {
    case .play(let request):
      await withLength(of: request.cue) { length in
        await edit(context) { score, frame in score.addOverlay(request, length: length, at: frame) }
      }
    case .stop: await edit(context) { score, frame in score.stopOverlays(at: frame) }
    case .pause: await edit(context) { score, frame in score.pauseOverlays(at: frame) }
    case .resume: await edit(context) { score, frame in score.resumeOverlays(at: frame) }
    case .repetition(let times, let delay):
      await edit(context) { (score, frame) throws(AudioPlayerError) in
        try score.setOverlayRepetition(times, delay: delay, at: frame)
      }
    case .volume: .done
    }
  }

  func carryOut(_ effects: EffectsCommand, _ context: OperationContext) async -> CommandOutcome {
    switch effects {
    case .stop: return await edit(context) { score, frame in score.stopEffects(at: frame) }
    case .preload(let cues):
      for cue in cues {
        if case .rejected(let error) = await withLength(of: cue, then: { _ in .done }) { return .rejected(error) }
      }
      return .done
    case .unload, .volume: return .done
    }
  }

  func changePlaylist(_ change: PlaylistEdit, _ context: OperationContext) async -> CommandOutcome {
    do throws(AudioPlayerError) {
      let probed: PlaylistChange =
        switch change {
        case .replace(let cues): .replace(try await tracks(cues))
        case .append(let cues): .append(try await tracks(cues))
        case .insert(let cues, let index): .insert(try await tracks(cues), at: index)
        case .remove(let index): .remove(at: index)
        case .move(let from, let to): .move(from: from, to: to)
        }
      return await edit(context) { (score, frame) throws(AudioPlayerError) in try score.change(probed, at: frame) }
    } catch { return .rejected(error) }
  }

  private func tracks(_ cues: [Cue]) async throws(AudioPlayerError) -> [Track] {
    var tracks: [Track] = []
    for cue in cues {
      let length = try await opener.length(of: cue)
      tracks.append(Track(source: cue.source, title: cue.title, gain: cue.gain, length: length))
    }
    return tracks
  }

  private func withLength(
    of cue: Cue, then body: (FrameCount) async -> CommandOutcome
  ) async -> CommandOutcome {
    do throws(AudioPlayerError) { return await body(try await opener.length(of: cue)) } catch {
      return .rejected(error)
    }
  }
}
