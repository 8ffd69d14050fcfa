import Schedule
import Signal
import Sounds

/// `next`, `previous` and `nextStage`. The current track keeps playing until the new one is open.
extension CommandExecutor {
  /// How many tracks in a row a skip tries before it gives up.
  private static let maximumAttempts = 3

  /// Skips by `context.steps` tracks. A track that can't be opened, for a cause that may pass also not at the second
  /// attempt, is left out, and the skip continues with the track after it. `next` in the last track finishes the session.
  func step(_ context: OperationContext) async -> CommandOutcome {
    var failures: [SoundOpener.Failure] = []
    var isWithinStage = false
    var retried: Set<SoundSource> = []
    while failures.count < Self.maximumAttempts {
      let edit = Edit.step(by: context.steps, isWithinStage: isWithinStage)
      switch await attempt(edit, context) {
      case .success(.rejected(let error)) where error == .edit(.noNextTrack) && failures.isEmpty:
        return await perform { $0.finish(fade: Transport.finalFade, reason: .completed) }
      case .success(.rejected(let error)) where [.edit(.noNextTrack), .edit(.noPreviousTrack)].contains(error):
        return failures.isEmpty ? .rejected(.edit(.noPreviousTrack)) : await fail(.noValidTracksInPlaylist)
      case .success(let outcome): return outcome
      case .failure(let failure) where failure.error.isTransient && retried.insert(failure.source).inserted:
        // The other tries are opened a second time with this one.
        let others = await controlLoop.perform { $0.needs(steps: Self.tries(of: context.steps)) } ?? []
        if isLive { retried.formUnion(others.map(\.source)) }
      case .failure(let failure):
        let isInStage = await controlLoop.perform { $0.passOver(failure, steps: context.steps) } ?? nil
        guard let isInStage else { return failure.outcome }
        isWithinStage = isInStage
        failures.append(failure)
      }
    }
    return await giveUp(failures, before: .step(by: context.steps, isWithinStage: isWithinStage))
  }

  /// The numbers of steps that a skip tries one after the other. Live, their sounds are opened side by side: if all of
  /// them hang, the skip takes no longer than with one.
  static func tries(of steps: Int) -> [Int] { (0..<maximumAttempts).map { steps + steps.signum() * $0 } }

  /// Goes to the next stage. Only the listener ends an open stage, so `nextStage` in an open last one finishes the session.
  func nextStage(_ context: OperationContext) async -> CommandOutcome {
    let outcome = await edit(context, .stage(by: 1))
    guard outcome == .rejected(.edit(.noNextTrack)) else { return outcome }
    return await perform { control in
      guard control.player.schedule.openLayout != nil else { return outcome }
      return control.finish(fade: Transport.finalFade, reason: .completed)
    }
  }

  /// Opens the tracks that `next` and `previous` would lead to in the background, so that these need no load.
  func prepareNext() async {
    let preload = Operation(name: "preload", priority: .low, isCounted: false) { [controlLoop, opener] _ in
      if let needs = await controlLoop.perform({ $0.needs(steps: [1, -1]) }) { opener.cache.preload(needs) }
      return .done
    }
    _ = await queue.perform([preload])
  }

  /// - Parameter next: the skip to the next track that would be tried.
  private func giveUp(_ failures: [SoundOpener.Failure], before next: Edit) async -> CommandOutcome {
    guard let last = failures.last else { return .rejected(.edit(.noNextTrack)) }
    if case .failure? = await controlLoop.perform({ $0.arrivals(after: next) }) {
      return await fail(.noValidTracksInPlaylist)
    }
    guard case .failed(let error) = last.error else { return last.outcome }
    return await fail(.skipFailed(reason: "\(failures.count) tracks in a row can't be played", underlying: error))
  }

  private func fail(_ error: PlayerError) async -> CommandOutcome {
    _ = await controlLoop.perform { $0.emit(.error(error), at: $0.heard) }
    return .rejected(error)
  }
}
