import Player
import PowerManagement

/// Prevents the computer from sleeping while a live session plays. If it goes to sleep anyway, the session is paused
/// until it wakes up.
///
/// A render does not need this, because it continues after the sleep without an audible gap.
struct SleepWatch {
  private let guardian: SleepGuard
  private let following: Task<Void, Never>

  init(for player: AudioPlayerService) {
    let guardian = SleepGuard { player.outputChanged($0) }
    let reader = player.isRunning
    following = Task { for await delivery in reader { guardian.note(isPlaying: delivery.value) } }
    self.guardian = guardian
  }

  /// Stops keeping the computer awake.
  func close() {
    following.cancel()
    guardian.close()
  }
}
