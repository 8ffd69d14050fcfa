import Engine
import Signal

/// What becomes of a live output, and what the session does about it.
extension Control {
  mutating func take(_ event: OutputEvent) {
    let frame = heard
    switch event {
    case .lost(let cause): emit(.output(.lost(cause: cause)), at: frame)
    case .restored(let seconds): emit(.output(.restored(after: seconds)), at: frame)
    case .moved(let device): emit(.output(.moved(to: device)), at: frame)
    case .starved(let seconds):
      player.narrator.count(underruns: 1)
      emit(.underrun(title: "the output", milliseconds: 1_000 * seconds), at: frame)
    case .corked(true): interrupt()
    case .corked(false): endInterruption()
    }
  }

  /// Something that goes before asks for silence: the session stands still, also in a crossfade.
  private mutating func interrupt() {
    emit(.output(.corked), at: heard)
    guard !isPaused else { return }
    if case .done = pause() { isInterrupted = true }
  }

  /// It is over: what was playing goes on, and nothing else.
  private mutating func endInterruption() {
    guard isInterrupted else { return }
    _ = resume()
  }
}
