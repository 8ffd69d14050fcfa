import Engine
import Signal

/// Next and previous: nothing moves before the track that they lead to is open.
extension CommandCarrier {
  /// How many tracks are tried.
  private static let candidates = 3

  func step(_ context: OperationContext) async -> CommandOutcome {
    let direction = context.steps < 0 ? -1 : 1
    var failure: SourceError?
    for attempt in 0..<Self.candidates {
      let steps = context.steps + direction * attempt
      guard let found = await conductor.turn({ $0.player.target(steps: steps, at: $0.heard) }) else {
        return .rejected(.ended)
      }
      switch found {
      case nil:
        return .rejected(failure == nil ? direction < 0 ? .noPreviousTrack : .noNextTrack : .noValidTracksInPlaylist)
      case .end?, .stage?:
        if failure != nil { return await fail(.noValidTracksInPlaylist) }
        if found == .end { return await turn { $0.finish(fade: 3, reason: .completed) } }
      case .track?: break
      }
      guard let target = found else { continue }
      let edit: ScoreEdit = { (score, frame) throws(AudioPlayerError) in try score.go(to: target, at: frame) }
      switch await tryOut(edit, context) {
      case .success(let outcome): return outcome
      case .failure(let error): failure = error
      }
    }
    guard let failure else { return .rejected(.noNextTrack) }
    return await fail(.skipFailed(reason: "three tracks in a row can't be played", underlying: failure))
  }

  /// Makes an edit when all it needs can be opened.
  ///
  /// - Returns: the outcome; or the source that can't be played, which has been told.
  private func tryOut(_ edit: @escaping ScoreEdit, _ context: OperationContext) async -> Result<
    CommandOutcome, SourceError
  > {
    guard case .success(let needs)? = await conductor.turn({ $0.needs(of: edit) }) else {
      return .success(.rejected(.ended))
    }
    let opened = await opener.openAll(needs)
    if let other = context.shouldStop { return .success(.cancelled(by: other)) }
    switch opened {
    case .success(let primed): return .success(await turn { $0.edit(with: primed, by: edit) })
    case .failure(let failure):
      _ = await conductor.turn { $0.tellUnplayable(failure.title, failure.error) }
      return .failure(failure.error)
    }
  }

  private func fail(_ error: AudioPlayerError) async -> CommandOutcome {
    _ = await conductor.turn { $0.emit(.error(PlayerProblem(error)), at: $0.heard) }
    return .rejected(error)
  }
}
