import Engine
import Signal
import Synchronization

/// A cache of the most recently used effects, decoded into memory so that they play without delay. All methods may be
/// called from any thread.
final class EffectCache: Sendable {
  /// Maximum number of effects.
  static let capacity = 10
  /// Maximum length of an effect in seconds. A longer one is not cached, but opened each time.
  static let maximumLength = 60.0

  /// All frames of a sound, at the session's rate.
  struct Effect: Sendable {
    let source: SoundSource
    let frames: [Frame]
  }

  /// In the order of use; the most recently used one is last.
  private let effects = Mutex<[Effect]>([])

  /// A cached effect, which becomes the most recently used one; nil if it is not cached.
  func effect(_ source: SoundSource) -> Effect? {
    effects.withLock { effects in
      guard let index = effects.firstIndex(where: { $0.source == source }) else { return nil }
      let effect = effects.remove(at: index)
      effects.append(effect)
      return effect
    }
  }

  /// Adds an effect, and drops the least recently used one if the cache is full.
  func insert(_ effect: Effect) {
    effects.withLock { effects in
      effects.removeAll { $0.source == effect.source }
      effects.append(effect, keeping: Self.capacity)
    }
  }

  var isEmpty: Bool { effects.withLock(\.isEmpty) }

  func clear() { effects.withLock { $0 = [] } }

  func remove(_ source: SoundSource) { effects.withLock { $0.removeAll { $0.source == source } } }
}

extension EffectCache.Effect {
  /// Decodes an effect; nil if it is damaged. A damaged effect is not cached, because only a decoder of the file
  /// reports the damage.
  init?(_ source: SoundSource, from library: any SoundLibrary, at rate: SampleRate, length: FrameCount)
    throws(SourceError)
  {
    let decoder = try library.open(source, at: rate, from: 0)
    let frames = [Frame](unsafeUninitializedCapacity: Int(length)) { buffer, count in
      buffer.initialize(repeating: .silence)
      count = decoder.read(into: buffer)
    }
    if decoder.damage != nil { return nil }
    self.init(source: source, frames: frames)
  }

  /// A new decoder of the frames. Simultaneous strikes never share one.
  var decoder: any Decoder { MemoryDecoder(frames) }
}

/// Decodes frames that are in memory.
private final class MemoryDecoder: Decoder {
  private let frames: [Frame]
  private let position = Mutex(0)

  init(_ frames: [Frame]) { self.frames = frames }

  func read(into buffer: UnsafeMutableBufferPointer<Frame>) -> Int {
    position.withLock { position in
      let count = min(buffer.count, frames.count - position)
      for index in 0..<count { buffer[index] = frames[position + index] }
      position += count
      return count
    }
  }
}
