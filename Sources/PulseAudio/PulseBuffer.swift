internal import CPulse
internal import Signal

/// How much sound waits where.
///
/// The server asks for a second of sound once a second: few wake-ups, and never less than a second in hand. The device
/// is asked to hold only what is left, half of `device`: what it holds can't be taken back on every kind of device.
enum PulseBuffer {
  /// Seconds that the server asks for at once.
  static let request = 1.0
  /// Twice the seconds that the device holds.
  static let device = 0.02
  /// Seconds that must be there before the first sound, and again after an underrun: they are there in milliseconds, and a
  /// machine that is busy with our own start does not tear the beginning apart.
  static let first = 0.15
  /// Seconds that are sent at once, while at least as much is in hand.
  static let piece = 0.5
  /// Seconds of written frames that are remembered: all that can be unheard, with some to spare.
  static let kept = 3.0

  static func attributes(at rate: SampleRate) -> pa_buffer_attr {
    func bytes(_ seconds: Double) -> UInt32 { UInt32(rate.frames(seconds)) * UInt32(PulseStream.frameBytes) }
    return pa_buffer_attr(
      maxlength: UInt32.max, tlength: bytes(2 * request + device), prebuf: bytes(first), minreq: bytes(request),
      fragsize: UInt32.max)
  }
}
