import Engine
import Signal

/// What becomes of a live output, and what the session does about it.
extension Control {
  mutating func take(_ event: OutputEvent) {
    let frame = heard
    switch event {
    case .lost(let cause):
      isOutputLost = true
      emit(.output(.lost(cause: cause)), at: frame)
    case .restored(let seconds):
      isOutputLost = false
      emit(.output(.restored(after: seconds)), at: frame)
    case .moved(let device): move = (device, clock.run(at: frame))
    case .unplugged(let device): unplug(to: device)
    case .starved(let seconds):
      // While the session stands still only silence is missing.
      guard !standstill.contains(clock.run(at: frame) - seconds) else { return }
      player.narrator.count(underruns: 1)
      emit(.underrun(nil, title: "the output", milliseconds: 1_000 * seconds), at: frame)
    case .corked(let begins): note(.output, begins, as: .corked)
    case .asleep(let begins): note(.sleep, begins, as: .asleep)
    }
  }

  /// Seconds that a move must last until it is told: a device that comes or goes sends the sound here and there.
  private static let settling = 0.3

  /// Seconds until there is a move to tell; nil while there is none.
  var settlesIn: Double? { move.map { max(0, $0.run + Self.settling - clock.run(at: heard)) } }

  mutating func tellMove() {
    guard settlesIn == 0, let move = move.take() else { return }
    emit(.output(.moved(to: move.device)), at: heard)
  }

  /// Headphones that were pulled out, or a device that is gone: what was meant for one pair of ears does not go on aloud.
  /// It stands still until the listener wants it to go on, whatever comes back meanwhile.
  private mutating func unplug(to device: String) {
    guard refusal == nil, !isPaused || isInterrupted else {
      move = (device, clock.run(at: heard))
      return
    }
    move = nil
    emit(.output(.unplugged(to: device)), at: heard)
    _ = pause()
  }

  /// Something that goes before asks for silence, or no longer does.
  private mutating func note(_ interrupter: Interrupter, _ begins: Bool, as change: OutputChange) {
    if begins {
      interrupters.insert(interrupter)
      emit(.output(change), at: heard)
      interrupt()
    } else if interrupters.remove(interrupter) != nil, interrupters.isEmpty {
      endInterruption()
    }
  }

  /// The session stands still, also in a crossfade.
  private mutating func interrupt() {
    guard !isPaused else { return }
    if case .done = pause() { isInterrupted = true }
  }

  /// What was playing goes on, and nothing else.
  private mutating func endInterruption() {
    guard isInterrupted else { return }
    _ = resume()
  }
}

/// Who can ask for silence.
enum Interrupter {
  case output, sleep
}
