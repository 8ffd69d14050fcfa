package import Signal

/// Delivers a sound as consecutive stereo frames at the session's rate.
///
/// Only one thread at a time calls it, but different reads may be called by different threads.
package protocol Decoder: AnyObject, Sendable {
  /// Fills `frames` from its beginning, and returns the number of filled frames. It may wait for the disk or the
  /// network.
  ///
  /// If it returns less than `frames.count`, the sound has ended, or nothing after a damaged part can be decoded. Every
  /// sample is finite; full scale is ±1.
  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int

  /// The first damage that the reads so far have found; nil if there is none. Damaged parts are delivered as silence.
  var damage: SoundDamage? { get }

  /// The first frame from `frame` on at which `branch` can begin without decoding much before it; nil if there is none,
  /// because the sound can only be decoded from its beginning. Frames count from the first one of this decoder. From
  /// any thread, also during a read.
  func entry(from frame: FrameCount) -> FrameCount?

  /// Opens the same sound once more. From any thread, also during a read; it may wait for the disk.
  ///
  /// - Parameter frame: the first frame of the new decoder, counted as in `entry`; 0, or a result of `entry`.
  /// - Returns: a decoder whose frames are the same, bit for bit, as those of this one; nil if there can be none, for
  ///   example because the file has changed.
  func branch(at frame: FrameCount) -> (any Decoder)?
}

extension Decoder {
  package var damage: SoundDamage? { nil }
  package func entry(from frame: FrameCount) -> FrameCount? { nil }
  package func branch(at frame: FrameCount) -> (any Decoder)? { nil }
}

/// Damage of a sound, and where it begins.
package struct SoundDamage: Hashable, Sendable {
  package var error: SourceError
  /// The number of frames that the decoder delivers before the damage.
  package var frame: FrameCount

  package init(_ error: SourceError, atFrame frame: FrameCount) { (self.error, self.frame) = (error, frame) }

  /// The damage of the sound without its first `count` frames; nil if it lies within them.
  package func skipping(_ count: FrameCount) -> SoundDamage? {
    count <= frame ? SoundDamage(error, atFrame: frame - count) : nil
  }
}
