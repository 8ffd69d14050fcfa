internal import CPulse
internal import Signal

/// What the callbacks of one stream record, under the connection's lock.
struct PulseCallbackState {
  /// The number of underruns that have been heard.
  var underflows = 0
  /// The last timing; nil once it has been used.
  var timing: pa_timing_info?
  /// When the last timing arrived, in microseconds of the monotonic clock; 0 before the first one.
  var timedAt: UInt64 = 0
  /// When the server or the stream was lost, in microseconds of the monotonic clock.
  var lostAt = UInt64.max
  /// Whether the server is about to end the stream, because the output now needs another format.
  var hasLostFormat = false
  /// An underrun that the server has reported; the sound may still arrive in time.
  struct Underrun {
    /// The first frame that the device requested and the stream did not have.
    var frame: FrameTime
    /// When it is due to be heard, in microseconds of the monotonic clock.
    var due: UInt64
  }
  /// The current underrun, or one that is about to begin.
  var underrun: Underrun?

  /// Resets everything except the number of underflows, for the next stream.
  mutating func reset() {
    let underflows = underflows
    self = PulseCallbackState()
    self.underflows = underflows
  }
}
