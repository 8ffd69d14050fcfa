internal import CPulse
internal import Signal

/// How much sound is buffered in the stream on the server, and how much in the device.
///
/// Playback should wake the player and the server as rarely as possible, so the stream and the device together hold
/// four and a half seconds, which are refilled every two seconds. Everything that has been written but not heard can
/// still be replaced, because the server rewinds the device.
///
/// A device that holds two seconds wakes the server only every two seconds, but needs two seconds of sound before it
/// plays. The stream therefore starts with half a second in the device, and requests more as soon as it is far enough
/// ahead: see `DeviceWatch.grow`.
///
/// If the server can't rewind the device, a command can't replace what the device holds. Then the stream requests 25 ms
/// in the device, which may hold more, and two seconds in the stream's buffer.
struct PulseBuffer: Hashable {
  /// Seconds that are sent at once, while at least a second is buffered.
  static let piece = 2.0
  /// Seconds that are sent at once after a rewind, so that the server does not run out of sound before the next piece.
  static let answer = 0.05
  /// Seconds that must be buffered before sound is staged for the next piece.
  static let safe = 1.0
  /// While `safe` is buffered, frames are sent only if there is room for this many seconds, so that the server is not
  /// woken for less.
  static let least = 0.1
  /// The maximum number of seconds that are buffered without having been heard.
  static let longest = 4.5
  /// Seconds of written frames that are stored.
  static let historyLength = longest + 0.1

  /// The minimum number of seconds that the server requests at once.
  let request: Double
  /// Seconds that the device holds.
  let device: Double
  /// Prebuffer in seconds: at the start and after an underrun, the server plays only when it has this much.
  ///
  /// It must be more than the device reads at once. Otherwise the device reads everything, fills up with silence, and
  /// PulseAudio 16 then loses as much of the following sound as the device holds.
  var first: Double { max(0.15, device + 0.1) }

  /// Seconds that the stream and the device hold together.
  var total: Double { 2 * request + 2 * device }

  /// For a device that the server can rewind.
  static let rewindable = PulseBuffer(request: 1.75, device: 0.5)
  /// For such a device, after the stream is far enough ahead and a probe has confirmed that the device rewinds.
  static let grown = PulseBuffer(request: 0.25, device: 2)
  /// Seconds that the device must hold for `grown` to be useful: with less, its small request would wake the player
  /// more often.
  static let worthGrowing = 1.5

  var isRewindable: Bool { self == .rewindable || self == .grown }
  /// For a device that can't be rewound.
  static let fixed = PulseBuffer(request: 1, device: 0.025)
  /// For PipeWire. It rounds 25 ms down to a cycle of 1,024 frames at 48 kHz, its default quantum; a smaller value
  /// would shorten the cycles of the whole graph. With this request, PipeWire sends each request after an odd number of
  /// cycles, whatever their length from 128 to 8,192 frames. `ReadCyclePredictor` can therefore determine the length.
  static let cycles = PulseBuffer(request: (48 * 1024 + 1) / 48_000.0, device: 0.025)

  /// The server's defaults.
  static let serverDefault = pa_buffer_attr(
    maxlength: UInt32.max, tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max, fragsize: UInt32.max)

  /// The attributes that a stream requests. With `PA_STREAM_ADJUST_LATENCY`, the server gives the device half of the
  /// part of `tlength` that exceeds two requests.
  func attributes(at rate: SampleRate) -> pa_buffer_attr {
    func bytes(_ seconds: Double) -> UInt32 { UInt32(rate.frames(seconds)) * UInt32(StreamLink.frameBytes) }
    return pa_buffer_attr(
      maxlength: UInt32.max, tlength: bytes(total), prebuf: bytes(first),
      minreq: bytes(request), fragsize: UInt32.max)
  }
}
