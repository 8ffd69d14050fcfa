import Engine
import Signal
import Synchronization

/// A cache of the effects used last, decoded into memory so that they strike without delay.
final class EffectCache: Sendable {
  static let capacity = 10
  /// Seconds. A longer effect is not cached, but opened each time.
  static let longest = 60.0

  /// All frames of a sound, at the session's rate.
  struct Effect: Sendable {
    let source: SoundSource
    let frames: [Frame]
  }

  /// The effect used last is at the end.
  private let effects = Mutex<[Effect]>([])

  func effect(_ source: SoundSource) -> Effect? {
    effects.withLock { effects in
      guard let index = effects.firstIndex(where: { $0.source == source }) else { return nil }
      let effect = effects.remove(at: index)
      effects.append(effect)
      return effect
    }
  }

  func put(_ effect: Effect) {
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
  /// Decodes an effect; nil if it is damaged. It is not cached then, because only a decoder of the file reports damage.
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

/// Delivers frames that are in memory.
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
