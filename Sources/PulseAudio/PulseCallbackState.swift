internal import CPulse
internal import Signal

/// What the server's callbacks write down about one stream, under the connection's lock.
struct PulseCallbackState {
  var underflows = 0
  /// The last timing, since it was last looked at.
  var timing: pa_timing_info?
  /// When it came, in microseconds of the monotonic clock.
  var timedAt: UInt64 = 0
  /// When the server or the stream went away.
  var lostAt = UInt64.max
  /// The server is about to end the stream, because the output now needs another format.
  var hasLostFormat = false
  struct Underrun {
    /// The first frame that the device asked for and the stream did not have.
    var frame: FrameTime
    /// When it has to be heard, in microseconds of the monotonic clock.
    var due: UInt64
  }
  /// The underrun that is going on, or about to begin.
  var underrun: Underrun?

  /// For the next stream.
  mutating func reset() {
    let underflows = underflows
    self = PulseCallbackState()
    self.underflows = underflows
  }
}
