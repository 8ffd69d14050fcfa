import Signal
import Sounds
import Synchronization
import TestSupport

/// Counts the sounds that are opened, and holds some of them back until the test releases them.
struct HeldLibrary: SoundLibrary {
  final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }
    /// - Returns: The previous count.
    @discardableResult func increase() -> Int {
      state.withLock { count in
        defer { count += 1 }
        return count
      }
    }
  }

  private let sounds: TestLibrary
  private let held: Set<String>
  private let most: Int
  let opened = Counter()
  /// How many of those opens were of held sounds.
  let holds = Counter()
  let isLetGo = Flag()

  /// - Parameters:
  ///   - held: The names of the sounds to hold back; they need not be in `sounds`.
  ///   - most: How many opens are held at most; later ones are not.
  init(_ sounds: TestLibrary, holding held: Set<String>, atMost most: Int = .max) {
    (self.sounds, self.held, self.most) = (sounds, held, most)
  }

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    try sounds.probe(source, at: rate)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    opened.increase()
    if held.contains(source.label), holds.increase() < most { _ = eventually { isLetGo.isRaised } }
    return try sounds.open(source, at: rate, from: offset)
  }
}
