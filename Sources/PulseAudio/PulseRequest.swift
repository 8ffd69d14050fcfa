internal import CPulse
internal import Engine
internal import Signal

/// What a stream requests from the server, and who receives its events.
struct PulseRequest {
  /// Name of the only sink on which the stream may play; nil for the default one, from which it may be moved.
  var device: String?
  /// The title in the desktop's mixer.
  var title: String
  var rate: SampleRate
  /// Decides what the stream does when it changes.
  var policy: any OutputPolicy
  /// Receives events. Called under the connection's lock, on any thread: it must not call the stream.
  var report: @Sendable (OutputEvent) -> Void
}

extension PulseConnection {
  /// Creates a stream without connecting it. Under the lock.
  func makeStream(_ request: PulseRequest) throws(SinkError) -> OpaquePointer {
    var format = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: UInt32(request.rate.hertz), channels: 2)
    let properties = pa_proplist_new()
    defer { pa_proplist_free(properties) }
    pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "music")
    pa_proplist_sets(properties, PA_PROP_MEDIA_NAME, request.title)
    guard let stream = pa_stream_new_with_proplist(context, request.title, &format, nil, properties) else {
      throw .lost(cause: lastError)
    }
    return stream
  }

  /// Connects the stream and waits until it is ready, or `isWanted` is no longer true. Under the lock.
  ///
  /// - Returns: the survey of the server, which determines the buffer that the stream has requested.
  func connect(
    _ stream: OpaquePointer, _ request: PulseRequest, while isWanted: () -> Bool
  ) throws(SinkError) -> PulseSurvey {
    guard let survey = survey(.output(request.device), while: isWanted) else {
      throw isReady ? .noServer(cause: "no answer to a new stream") : .lost(cause: lastError)
    }
    // If another program is responsible, the device's latency stays as it is.
    let isManaged = request.policy.isManaged
    var buffer = isManaged ? survey.buffer.attributes(at: request.rate) : PulseBuffer.serverDefault
    let adjusted = isManaged ? PA_STREAM_ADJUST_LATENCY : PA_STREAM_NOFLAGS
    let bound = request.device == nil ? PA_STREAM_NOFLAGS : PA_STREAM_DONT_MOVE
    let flags = pa_stream_flags_t(rawValue: adjusted.rawValue | bound.rawValue)
    guard pa_stream_connect_playback(stream, request.device, &buffer, flags, nil, nil) >= 0 else {
      throw .lost(cause: lastError)
    }
    waitForAnswer(while: isWanted) { pa_stream_get_state(stream) == PA_STREAM_CREATING }
    let state = pa_stream_get_state(stream)
    if state == PA_STREAM_READY { return survey }
    if state == PA_STREAM_CREATING { throw .noServer(cause: "no answer to a new stream") }
    guard pa_context_errno(context) == Int32(PA_ERR_NOENTITY.rawValue) else { throw .lost(cause: lastError) }
    throw unknownDevice(request.device)
  }
}
