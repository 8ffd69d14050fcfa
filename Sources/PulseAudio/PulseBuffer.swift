internal import CPulse
internal import Signal

/// How much sound waits in the stream's buffer on the server, and how much in the device.
///
/// Live sound should cost both sides next to nothing, so the device holds two seconds, and every two seconds it takes as much
/// from the stream's buffer, which is filled up again. Everything that is written and not yet heard can be replaced, because
/// the server rewinds the device.
///
/// Where it can't rewind, what the device holds is lost to a command. There the device holds one default quantum of PipeWire
/// and the stream's buffer the rest.
struct PulseBuffer: Hashable {
  /// Seconds that must be there before the first sound, and again after an underrun: they are there in milliseconds, and a
  /// machine that is busy with our own start does not interrupt the beginning.
  static let first = 0.15
  /// Seconds that are sent at once, while a second is in hand.
  static let piece = 2.0
  /// Seconds that must be in hand before sound is staged for the next piece.
  static let safe = 1.0
  /// Seconds of written frames that are remembered: all that can be unheard, with some to spare.
  static let kept = 4.6

  /// Seconds that the server asks for at once, at least.
  let request: Double
  /// Seconds that the device holds.
  let device: Double

  /// Seconds that the stream and the device hold together.
  var total: Double { 2 * request + 2 * device }

  /// For a device that the server can rewind.
  static let rewindable = PulseBuffer(request: 0.25, device: 2)
  /// For a device that plays whatever it was given. PipeWire rounds 25 ms down to 1,024 frames at 48 kHz, its default quantum:
  /// asking for less would make the whole graph run faster.
  static let fixed = PulseBuffer(request: 1, device: 0.025)

  /// Whatever the server gives a stream that asks for nothing.
  static let serverDefault = pa_buffer_attr(
    maxlength: UInt32.max, tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max, fragsize: UInt32.max)

  /// What a stream asks for. With `PA_STREAM_ADJUST_LATENCY`, the server gives the device half of what `tlength` has beyond
  /// two requests.
  func attributes(at rate: SampleRate) -> pa_buffer_attr {
    func bytes(_ seconds: Double) -> UInt32 { UInt32(rate.frames(seconds)) * UInt32(PulseStream.frameBytes) }
    return pa_buffer_attr(
      maxlength: UInt32.max, tlength: bytes(total), prebuf: bytes(Self.first),
      minreq: bytes(request), fragsize: UInt32.max)
  }
}
