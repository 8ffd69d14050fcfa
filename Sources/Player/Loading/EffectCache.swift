import Engine
import Signal
import Sounds
import Synchronization

/// A cache of the most recently used effects, decoded into memory so that they play without delay. All methods may be
/// called from any thread.
final class EffectCache: Sendable {
  /// Maximum number of effects.
  static let capacity = 10
  /// Maximum length of an effect in seconds. A longer one is not cached, but opened each time.
  static let maximumLength = 60.0

  private struct Effect: Sendable {
    let source: SoundSource
    let sound: DecodedSound
  }

  /// In the order of use; the most recently used one is last.
  private let effects = Mutex<[Effect]>([])

  /// A cached effect, which becomes the most recently used one; nil if it is not cached.
  func sound(_ source: SoundSource) -> DecodedSound? {
    effects.withLock { effects in
      guard let index = effects.firstIndex(where: { $0.source == source }) else { return nil }
      let effect = effects.remove(at: index)
      effects.append(effect)
      return effect.sound
    }
  }

  /// Adds an effect, and drops the least recently used one if the cache is full.
  func insert(_ sound: DecodedSound, for source: SoundSource) {
    effects.withLock { effects in
      effects.removeAll { $0.source == source }
      effects.append(Effect(source: source, sound: sound), keeping: Self.capacity)
    }
  }

  var isEmpty: Bool { effects.withLock(\.isEmpty) }

  func clear() { effects.withLock { $0 = [] } }

  func remove(_ source: SoundSource) { effects.withLock { $0.removeAll { $0.source == source } } }
}
