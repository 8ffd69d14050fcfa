import Schedule
import Sounds

/// `next` and `previous`. The current track keeps playing until the new one is open.
///
/// A track that can't be opened, for a cause that may pass also not at the second attempt, is left out, and the skip
/// continues with the track after it. `next` in the last track finishes the session. It is a value, used on the control
/// thread.
struct Skip: Sendable {
  /// How many tracks in a row a skip tries before it gives up.
  private static let maximumAttempts = 3

  /// The numbers of steps that a skip tries one after the other. Live, their sounds are opened side by side: if all of
  /// them hang, the skip takes no longer than with one.
  static func tries(of steps: Int) -> [Int] { (0..<maximumAttempts).map { steps + steps.signum() * $0 } }

  private let steps: Int
  private let isLive: Bool
  private var failures = 0
  private var isWithinStage = false
  private var retried: Set<SoundSource> = []

  /// - Parameter steps: how many tracks to skip, backward if negative.
  init(by steps: Int, isLive: Bool) { (self.steps, self.isLive) = (steps, isLive) }

  private var edit: Edit { .step(by: steps, isWithinStage: isWithinStage) }

  /// The next try.
  var step: CommandStep {
    .edit(edit) { result, control in
      var skip = self
      return skip.proceed(after: result, &control).map { .ended($0) } ?? skip.step
    }
  }

  /// - Returns: nil to try again.
  private mutating func proceed(after result: EditResult, _ control: inout Transport) -> CommandOutcome? {
    switch result {
    case .success(.rejected(let error)) where error == .edit(.noNextTrack) && failures == 0:
      return control.finish(fade: Transport.finalFade, reason: .completed)
    case .success(.rejected(let error)) where [.edit(.noNextTrack), .edit(.noPreviousTrack)].contains(error):
      return failures == 0 ? .rejected(error) : fail(.noValidTracksInPlaylist, &control)
    case .success(let outcome): return outcome
    case .failure(let failure) where failure.error.isTransient && retried.insert(failure.source).inserted:
      // The other tries are opened a second time with this one.
      if isLive { retried.formUnion(control.needs(steps: Self.tries(of: steps)).map(\.source)) }
      return nil
    case .failure(let failure):
      guard let isInStage = control.passOver(failure, steps: steps) else { return failure.outcome }
      isWithinStage = isInStage
      failures += 1
      return failures < Self.maximumAttempts ? nil : giveUp(after: failure, &control)
    }
  }

  private func giveUp(after last: SoundOpener.Failure, _ control: inout Transport) -> CommandOutcome {
    if case .failure = control.arrivals(after: edit) { return fail(.noValidTracksInPlaylist, &control) }
    guard case .failed(let error) = last.error else { return last.outcome }
    return fail(.skipFailed(reason: "\(failures) tracks in a row can't be played", underlying: error), &control)
  }

  private func fail(_ error: PlayerError, _ control: inout Transport) -> CommandOutcome {
    control.emit(.error(error), at: control.heard)
    return .rejected(error)
  }
}
