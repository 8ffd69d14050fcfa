internal import CPulse
internal import Signal

/// How much sound waits in the stream's buffer on the server, and how much in the device.
///
/// Playback should wake player and server as rarely as possible, so stream and device together hold four and a half
/// seconds, which are refilled every two seconds. Everything that has been written but not heard can be replaced,
/// because the server rewinds the device.
///
/// A device that holds two seconds wakes the server only every two seconds, but needs two seconds before the first
/// sound. The stream therefore starts with half a second in the device, and gets more once it is ahead: see
/// `PulseStream.grow()`.
///
/// If the server can't rewind the device, a command can't replace what the device holds. In this case the device holds
/// 25 ms, and the stream's buffer two seconds.
struct PulseBuffer: Hashable {
  /// Seconds that are sent at once, while at least a second is buffered.
  static let piece = 2.0
  /// Seconds that must be buffered before sound is staged for the next piece.
  static let safe = 1.0
  /// Seconds of room for which it is worth waking the server, while `safe` is buffered.
  static let least = 0.1
  /// Seconds of written frames that are stored: all that can be unheard, and a little more.
  static let historyLength = 4.6

  /// The least seconds that the server requests at once.
  let request: Double
  /// Seconds that the device holds.
  let device: Double
  /// Prebuffer in seconds: the server plays once it has this much, at the start and after an underrun.
  ///
  /// It must be more than the device reads at once. Otherwise the device reads everything and fills up with silence,
  /// and PulseAudio 16 loses as much of the following pieces as the device holds.
  var first: Double { max(0.15, device + 0.1) }

  /// Seconds that the stream and the device hold together.
  var total: Double { 2 * request + 2 * device }

  /// For a device that the server can rewind.
  static let rewindable = PulseBuffer(request: 1.75, device: 0.5)
  /// The same, once the stream is ahead and the device was seen to rewind.
  static let grown = PulseBuffer(request: 0.25, device: 2)
  /// Seconds that the device has to hold, so that the small request of `grown` does not wake the player more often.
  static let worthGrowing = 1.5

  var isRewindable: Bool { self == .rewindable || self == .grown }
  /// For a device that can't be rewound.
  static let fixed = PulseBuffer(request: 1, device: 0.025)
  /// For PipeWire. It rounds 25 ms down to a cycle of 1,024 frames at 48 kHz, its default quantum: a smaller request
  /// would make the whole graph run faster. The request is sent after an odd number of cycles of any length from 128 to
  /// 8,192 frames, from which `DeviceRhythm` learns the length.
  static let cycles = PulseBuffer(request: (48 * 1024 + 1) / 48_000.0, device: 0.025)

  /// The server's defaults.
  static let serverDefault = pa_buffer_attr(
    maxlength: UInt32.max, tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max, fragsize: UInt32.max)

  /// The attributes that a stream requests. With `PA_STREAM_ADJUST_LATENCY`, the server gives the device half of what
  /// `tlength` has beyond two requests.
  func attributes(at rate: SampleRate) -> pa_buffer_attr {
    func bytes(_ seconds: Double) -> UInt32 { UInt32(rate.frames(seconds)) * UInt32(PulseStream.frameBytes) }
    return pa_buffer_attr(
      maxlength: UInt32.max, tlength: bytes(total), prebuf: bytes(first),
      minreq: bytes(request), fragsize: UInt32.max)
  }
}
