import Signal
import Sounds

/// Decodes the sounds of all voices into their rings: `DecodingThreads` in live playback, `PieceDecoders` in a render
/// without a listener. Control calls all methods, and the render calls `kick`, too.
protocol VoiceFeeding: AnyObject, Sendable {
  /// Starts to fill the ring of a slot with a sound. The voice that used the slot before has ended.
  ///
  /// - Parameter length: frames that the voice plays, as far as is known now.
  func begin(_ sound: PrimedSound, in slot: Int, length: FrameCount)

  /// The voice of a slot now plays `length` frames of its sound.
  func extend(_ slot: Int, to length: FrameCount)

  /// The first damage that the decoder of a slot has found.
  func damage(in slot: Int) -> SoundDamage?

  /// Ends the feed of a slot. Waits for what is being decoded, but gives up if `seconds` pass in which no feed ends.
  func end(_ slot: Int, within seconds: Double)

  /// Ends the feed of a slot. Never waits.
  ///
  /// - Returns: false while something is being decoded for the slot: it can't be used again yet.
  func endAtOnce(_ slot: Int) -> Bool

  /// Wakes the threads that decode, if there is room.
  func kick()
}

extension DecodingThreads: VoiceFeeding {
  func begin(_ sound: PrimedSound, in slot: Int, length: FrameCount) {
    slots[slot].begin(sound)
    kick()
  }

  /// Does nothing: live playback decodes every sound to its end.
  func extend(_ slot: Int, to length: FrameCount) {}

  func damage(in slot: Int) -> SoundDamage? { slots[slot].damage }

  func endAtOnce(_ slot: Int) -> Bool { slots[slot].endAtOnce() }
}
