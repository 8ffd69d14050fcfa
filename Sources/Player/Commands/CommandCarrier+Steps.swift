import Engine
import Signal

/// Next and previous: nothing moves before the track that they lead to is open.
extension CommandCarrier {
  /// How many tracks are tried.
  private static let candidates = 3

  func step(_ context: OperationContext) async -> CommandOutcome {
    let direction = context.steps < 0 ? -1 : 1
    var failures: [Opener.Failure] = []
    for attempt in 0..<Self.candidates {
      let steps = context.steps + direction * attempt
      guard let found = await conductor.turn({ $0.player.target(steps: steps, at: $0.heard) }) else {
        return .rejected(.ended)
      }
      guard let target = found, failures.isEmpty || target.isTrack else { return await exhausted(failures, direction) }
      if target == .end { return await turn { $0.finish(fade: Control.finalFade, reason: .completed) } }
      switch await self.attempt(.go(target), context) {
      case .success(let outcome): return outcome
      case .failure(let failure):
        failures.append(failure)
        _ = await conductor.turn { $0.tellUnplayable(failure) }
      }
    }
    return await giveUp(failures)
  }

  /// Has the track open that `next` would lead to, before anybody asks for it.
  func prepareNext() async {
    let needs = await conductor.turn { control -> Result<[PrimedSource.Need], AudioPlayerError>? in
      guard let target = control.player.target(steps: 1, at: control.heard) else { return nil }
      return control.needs(of: .go(target))
    }
    if case .success(let needs)?? = needs, let music = needs.first { opener.preload(music) }
  }

  /// There is nothing left to try.
  private func exhausted(_ failures: [Opener.Failure], _ direction: Int) async -> CommandOutcome {
    if failures.isEmpty { return .rejected(direction < 0 ? .noPreviousTrack : .noNextTrack) }
    return await fail(.noValidTracksInPlaylist)
  }

  private func giveUp(_ failures: [Opener.Failure]) async -> CommandOutcome {
    guard let last = failures.last else { return .rejected(.noNextTrack) }
    guard case .failed(let error) = last.error else { return last.outcome }
    return await fail(.skipFailed(reason: "\(failures.count) tracks in a row can't be played", underlying: error))
  }

  private func fail(_ error: AudioPlayerError) async -> CommandOutcome {
    _ = await conductor.turn { $0.emit(.error(PlayerProblem(error)), at: $0.heard) }
    return .rejected(error)
  }
}

extension Score.Target {
  fileprivate var isTrack: Bool { if case .track = self { true } else { false } }
}
