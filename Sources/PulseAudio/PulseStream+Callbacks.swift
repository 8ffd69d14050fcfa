internal import CPulse
internal import Engine
internal import Glibc
internal import Signal

/// Callbacks, which libpulse's thread calls under the connection's lock. A callback records what the server reports,
/// passes it to the session, executes the actions, and wakes the waiting threads.
extension PulseStream {
  private static func at(_ userdata: UnsafeMutableRawPointer?) -> PulseStream? {
    userdata.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The stream outlives the callbacks: `forgetCallbacks` comes before its end.
  private var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func setCallbacks() {
    pa_stream_set_state_callback(stream, { _, data in PulseStream.at(data)?.stateChanged() }, userdata)
    pa_stream_set_write_callback(stream, { _, _, data in PulseStream.at(data)?.sendOnRequest() }, userdata)
    pa_stream_set_latency_update_callback(stream, { _, data in PulseStream.at(data)?.timingCame() }, userdata)
    pa_stream_set_underflow_callback(stream, { _, data in PulseStream.at(data)?.ranDry() }, userdata)
    pa_stream_set_started_callback(stream, { _, data in PulseStream.at(data)?.started() }, userdata)
    pa_stream_set_moved_callback(stream, { _, data in PulseStream.at(data)?.moved() }, userdata)
    pa_stream_set_suspended_callback(stream, { _, data in PulseStream.at(data)?.suspended() }, userdata)
    pa_stream_set_event_callback(stream, { _, name, _, data in PulseStream.at(data)?.asked(for: name) }, userdata)
  }

  /// Removes all callbacks: none is called after this. Under the lock.
  func forgetCallbacks() {
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_set_write_callback(stream, nil, nil)
    pa_stream_set_latency_update_callback(stream, nil, nil)
    pa_stream_set_underflow_callback(stream, nil, nil)
    pa_stream_set_started_callback(stream, nil, nil)
    pa_stream_set_moved_callback(stream, nil, nil)
    pa_stream_set_suspended_callback(stream, nil, nil)
    pa_stream_set_event_callback(stream, nil, nil)
    pa_context_set_subscribe_callback(connection.context, nil, nil)
    questions.cancel()
  }

  /// Passes an input to the session and executes the actions for the stream. Under the lock.
  func handle(_ input: AudioSessionManager.Input, at now: UInt64 = pa_rtclock_now()) {
    for action in request.session.handle(input, at: Double(now) / 1e6) {
      switch action {
      // A server that does not answer properly gets no more requests.
      case .hangUp: if isGood { connection.hangUp() }
      case .cork(let begins):
        if let operation = pa_stream_cork(stream, begins ? 1 : 0, nil, nil) { pa_operation_unref(operation) }
        askForTiming()
      case .send(let event): request.report(event)
      case .pause, .resume, .report, .warn: break
      }
    }
  }

  /// Requests the timing now: the position jumps at a stall and at its end, and the next regular timing may be seconds
  /// away.
  func askForTiming() {
    if let operation = pa_stream_update_timing_info(stream, nil, nil) { pa_operation_unref(operation) }
  }

  private func stateChanged() {
    let state = pa_stream_get_state(stream)
    if state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED {
      callbackState.lostAt = min(callbackState.lostAt, pa_rtclock_now())
      if isOpen, !isLost, !isRetracted { lose(loss) }
    }
    connection.wakeAll()
  }

  private func timingCame() {
    callbackState.timedAt = pa_rtclock_now()
    callbackState.timing = pa_stream_get_timing_info(stream)?.pointee
    if let timing = callbackState.timing { rhythm.read(readPosition(timing)) }
    if isGrantDue { reportGrant() }
  }

  /// Reports what the server has granted, which is known with the first timing of the device. A device that holds very
  /// little is not worth rewinding: PulseAudio's null sink without rewinds holds at most 50 ms.
  private func reportGrant() {
    guard let survey, let output = survey.outputs.first, let timing = callbackState.timing,
      let granted = pa_stream_get_buffer_attr(stream)
    else { return }
    isGrantDue = false
    let held = Double(timing.configured_sink_usec) / 1e6
    let isRewindable = survey.buffer == .rewindable && Self.smallDevice < held && rewindSupport != .absent
    if buffer == .grown, isRewindable {
      // A device with a fixed size, or one that others use, too, holds less than was requested.
      if held < PulseBuffer.worthGrowing { use(.rewindable, after: buffer) }
    } else {
      use(survey.buffer == .rewindable && !isRewindable ? .fixed : survey.buffer, after: survey.buffer)
    }
    let frames = FrameCount(granted.pointee.tlength) / FrameCount(Self.frameBytes)
    request.report(
      .connected(
        OutputGrant(
          server: survey.server.title, output: output.name, sessionRate: rate, outputRate: output.rate,
          outputChannels: output.channels, buffer: min(rate.seconds(frames), buffer.total - held), device: held,
          isRewindable: isRewindable, isMuted: output.isMuted)))
  }

  /// Requests another buffer for the stream. Under the lock.
  func use(_ next: PulseBuffer, after before: PulseBuffer) {
    buffer = next
    guard next != before, request.session.mode == .managed else { return }
    var attributes = next.attributes(at: rate)
    if let operation = pa_stream_set_buffer_attr(stream, &attributes, nil, nil) { pa_operation_unref(operation) }
  }

  /// Requests more sound in the device, once the stream is far enough ahead to fill it. Under the lock.
  func grow() {
    guard mayGrow, request.session.mode == .managed, buffer == .rewindable, rewindSupport == .confirmed, !isHeldUp,
      rate.frames(PulseBuffer.grown.first) < sentEnd - heard() - rate.frames(buffer.device)
    else { return }
    mayGrow = false
    use(.grown, after: buffer)
    isGrantDue = true
    askForTiming()
  }

  /// The stream plays on another device, or is about to. Under the lock.
  private func adapt(to output: PulseOutput) {
    guard let before = survey else { return }
    if before.outputs.first?.index == output.index {
      // A device that has been muted causes a warning.
      isGrantDue = isGrantDue || before.outputs.first?.isMuted != output.isMuted
      survey?.outputs = [output]
      if isGrantDue { askForTiming() }
      return
    }
    let after = PulseSurvey(server: before.server, outputs: [output])
    if after.buffer != buffer { use(after.buffer, after: buffer) }
    // What the device grants is known with its next timing; until then nothing is rewound.
    (survey, buffer, rewindSupport, rhythm, isGrantDue) = (after, .fixed, .unknown, DeviceRhythm(), true)
    mayGrow = true
    askForTiming()
  }

  /// The server reports an underrun when the device requests more than the stream has, up to half a second before the
  /// missing frame is due. The underrun counts only if the frame is still missing when it is due.
  private func ranDry() {
    if !isEnding, callbackState.underrun == nil {
      callbackState.underrun = underrun
      dropAvertedUnderrun()
      // The next frames must not wait until there is enough to fill a large device.
      if buffer == .grown, callbackState.underrun != nil {
        use(.rewindable, after: buffer)
        mayGrow = true
      }
    }
    askForTiming()
  }

  /// The first missing frame, and when it is due. That can be in the past: a process that was stopped receives the
  /// report only when it continues.
  private var underrun: PulseCallbackState.Underrun {
    let index = pa_stream_get_underflow_index(stream)
    guard 0 <= index else { return .init(frame: history.end, due: pa_rtclock_now()) }
    _ = heard()
    let frame = origin + index / Int64(Self.frameBytes)
    return .init(frame: frame, due: UInt64(max(0, position.moment(of: frame)) * 1e6))
  }

  private func started() {
    let now = pa_rtclock_now()
    if let underrun = callbackState.underrun.take(), underrun.due < now {
      callbackState.underflows += 1
      request.report(.starved(seconds: Double(now - underrun.due) / 1e6))
    }
    askForTiming()
  }

  private func suspended() {
    askForTiming()
    handle(.suspended(pa_stream_is_suspended(stream) > 0))
    connection.wakeAll()
  }

  private func asked(for name: UnsafePointer<CChar>?) {
    guard let name else { return }
    if strcmp(name, PA_STREAM_EVENT_FORMAT_LOST) == 0 {
      callbackState.hasLostFormat = true
      callbackState.lostAt = min(callbackState.lostAt, pa_rtclock_now())
    } else if strcmp(name, PA_STREAM_EVENT_REQUEST_CORK) == 0 {
      handle(.corkRequested(true))
    } else if strcmp(name, PA_STREAM_EVENT_REQUEST_UNCORK) == 0 {
      handle(.corkRequested(false))
    }
    connection.wakeAll()
  }

  private func moved() {
    askForTiming()
    let left = device
    askAboutDevice { .moved($0) }
    if let left, left != device { askAboutDevice(left) }
    connection.wakeAll()
  }
}

/// The device on which the stream plays, and the one on which it played before.
extension PulseStream {
  /// Subscribes to changes of the device. Under the lock.
  func watchDevice() {
    pa_context_set_subscribe_callback(
      connection.context, { _, event, index, data in PulseStream.at(data)?.deviceChanged(event, index) }, userdata)
    if let operation = pa_context_subscribe(connection.context, PA_SUBSCRIPTION_MASK_SINK, nil, nil) {
      pa_operation_unref(operation)
    }
    askAboutDevice { .device($0) }
  }

  private func deviceChanged(_ event: pa_subscription_event_type_t, _ index: UInt32) {
    let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    guard index == device, kind == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue else { return }
    questions.ask(connection.context, about: index, userdata) { _, info, _, data in
      guard let info = info?.pointee, let stream = PulseStream.at(data), info.index == stream.device else { return }
      stream.adapt(to: PulseOutput(info))
      stream.handle(.device(AudioDevice(info)))
    }
  }

  private func askAboutDevice(_ input: (AudioDevice) -> AudioSessionManager.Input) {
    let index = pa_stream_get_device_index(stream)
    device = index
    let name = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
    handle(input(AudioDevice(index: index, name: name)))
    deviceChanged(PA_SUBSCRIPTION_EVENT_CHANGE, index)
  }

  private func askAboutDevice(_ left: UInt32) {
    questions.ask(connection.context, about: left, userdata) { context, info, isLast, data in
      if let info = info?.pointee { return PulseStream.at(data)?.handle(.left(AudioDevice(info))) ?? () }
      guard isLast < 0 else { return }
      let isGone = pa_context_errno(context) == Int32(PA_ERR_NOENTITY.rawValue)
      PulseStream.at(data)?.handle(isGone ? .left(nil) : .left(AudioDevice(index: UInt32.max, name: "")))
    }
  }
}

/// Pending requests about devices.
struct DeviceQuestions {
  private var pending: [OpaquePointer] = []

  mutating func ask(
    _ context: OpaquePointer?, about device: UInt32, _ userdata: UnsafeMutableRawPointer?, _ answer: pa_sink_info_cb_t
  ) {
    let answered = pending.filter { pa_operation_get_state($0) != PA_OPERATION_RUNNING }
    pending.removeAll { answered.contains($0) }
    for question in answered { pa_operation_unref(question) }
    if let question = pa_context_get_sink_info_by_index(context, device, answer, userdata) { pending.append(question) }
  }

  /// Cancels all requests: no answer arrives after this.
  mutating func cancel() {
    for question in pending {
      pa_operation_cancel(question)
      pa_operation_unref(question)
    }
    pending = []
  }
}

extension AudioDevice {
  fileprivate init(_ info: pa_sink_info) {
    let ports = info.ports.map { ports in
      (0..<Int(info.n_ports)).compactMap { ports[$0]?.pointee }.map {
        Port(name: String(cString: $0.name), isUnplugged: $0.available == Int32(PA_PORT_AVAILABLE_NO.rawValue))
      }
    }
    self.init(
      index: info.index, name: info.name.map { String(cString: $0) } ?? "", ports: ports ?? [],
      activePort: info.active_port.map { String(cString: $0.pointee.name) })
  }
}
