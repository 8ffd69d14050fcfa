import Engine
import Signal
import Sounds
import Synchronization

/// Sounds that the session plays several times at once. Each is decoded when it is needed, and stays in memory as long
/// as a voice plays it. All methods may be called from any thread.
final class SharedSounds: Sendable {
  private final class Entry: Sendable {
    let length: FrameCount
    let last = Mutex(Last())

    init(length: FrameCount) { self.length = length }
  }

  /// The sound as it was decoded last. The rings of its voices own the frames.
  private struct Last: Sendable {
    weak var frames: DecodedSound.Frames?
    var damage: SoundDamage?
  }

  private let entries: [SoundSource: Entry]

  /// - Parameter lengths: the lengths of the shared sounds in frames.
  init(_ lengths: [SoundSource: FrameCount] = [:]) { entries = lengths.mapValues(Entry.init) }

  /// All frames of a sound. Waits if another thread is decoding it.
  ///
  /// - Parameter open: opens the sound at its first frame.
  /// - Returns: nil if the sound is not shared.
  func sound(
    _ source: SoundSource, _ open: () throws(SourceError) -> any Decoder
  ) throws(SourceError) -> DecodedSound? {
    guard let entry = entries[source] else { return nil }
    return try entry.last.withLock { (last) throws(SourceError) in
      if let frames = last.frames { return DecodedSound(frames, length: entry.length, damage: last.damage) }
      let sound = DecodedSound(try open(), length: entry.length)
      last = Last(frames: sound.frames, damage: sound.damage)
      return sound
    }
  }
}
