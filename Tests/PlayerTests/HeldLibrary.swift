import Engine
import Signal
import Synchronization
import TestSupport

/// Counts what is opened, and opens some of it only when it is let go.
struct HeldLibrary: SoundLibrary {
  final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }
    func increase() { state.withLock { $0 += 1 } }
  }

  private let sounds: TestLibrary
  private let held: Set<String>
  let opened = Counter()
  let isLetGo = Flag()

  /// - Parameter held: their names; such as are in `sounds` or in none.
  init(_ sounds: TestLibrary, holding held: Set<String>) { (self.sounds, self.held) = (sounds, held) }

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    try sounds.probe(source, at: rate)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    opened.increase()
    if held.contains(source.label) { _ = eventually { isLetGo.isUp } }
    return try sounds.open(source, at: rate, from: offset)
  }
}
