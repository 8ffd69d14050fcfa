import Player
import PowerManagement

/// Keeps the computer awake while a live session goes on; when it sleeps all the same, the session stands still.
///
/// A render needs neither: it goes on where the computer has stopped it, and nobody hears that.
struct SleepWatch {
  private let guardian: SleepGuard
  private let following: Task<Void, Never>

  init(for player: AudioPlayerService) {
    let guardian = SleepGuard { player.outputChanged($0) }
    let reader = player.goesOn
    following = Task { for await isPlaying in reader.values { guardian.note(isPlaying: isPlaying) } }
    self.guardian = guardian
  }

  func close() {
    following.cancel()
    guardian.close()
  }
}
