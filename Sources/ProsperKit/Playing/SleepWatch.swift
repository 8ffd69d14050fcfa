import Player
import PowerManagement

/// Keeps the computer awake while a live session plays. If the computer is suspended anyway, the session pauses until
/// it wakes up.
///
/// A render does not need this: it continues after a suspend, and nobody hears the gap.
struct SleepWatch {
  private let guardian: SleepGuard
  private let following: Task<Void, Never>

  init(for player: AudioPlayerService) {
    let guardian = SleepGuard { player.outputChanged($0) }
    let reader = player.isRunning
    following = Task { for await isPlaying in reader.values { guardian.note(isPlaying: isPlaying) } }
    self.guardian = guardian
  }

  /// Stops keeping the computer awake.
  func close() {
    following.cancel()
    guardian.close()
  }
}
