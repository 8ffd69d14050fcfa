internal import CPulse
internal import Engine
internal import Glibc
internal import Signal

/// The callbacks of libpulse. libpulse's thread calls them under the connection's lock. A callback records what the
/// server reports, passes it to the session, executes the session's actions, and wakes the waiting threads.
extension PulseStream {
  private static func at(_ userdata: UnsafeMutableRawPointer?) -> PulseStream? {
    userdata.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
  }

  /// This object, for the callbacks, which don't retain it: `removeCallbacks` is called before it is released.
  private var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func setCallbacks() {
    pa_stream_set_state_callback(stream, { _, data in PulseStream.at(data)?.stateChanged() }, userdata)
    pa_stream_set_write_callback(stream, { _, _, data in PulseStream.at(data)?.sendOnRequest() }, userdata)
    pa_stream_set_latency_update_callback(stream, { _, data in PulseStream.at(data)?.timingUpdated() }, userdata)
    pa_stream_set_underflow_callback(stream, { _, data in PulseStream.at(data)?.underflowed() }, userdata)
    pa_stream_set_started_callback(stream, { _, data in PulseStream.at(data)?.started() }, userdata)
    pa_stream_set_moved_callback(stream, { _, data in PulseStream.at(data)?.moved() }, userdata)
    pa_stream_set_suspended_callback(stream, { _, data in PulseStream.at(data)?.suspended() }, userdata)
    pa_stream_set_event_callback(stream, { _, name, _, data in PulseStream.at(data)?.received(event: name) }, userdata)
  }

  /// Removes all callbacks; none is called afterwards. Under the lock.
  func removeCallbacks() {
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_set_write_callback(stream, nil, nil)
    pa_stream_set_latency_update_callback(stream, nil, nil)
    pa_stream_set_underflow_callback(stream, nil, nil)
    pa_stream_set_started_callback(stream, nil, nil)
    pa_stream_set_moved_callback(stream, nil, nil)
    pa_stream_set_suspended_callback(stream, nil, nil)
    pa_stream_set_event_callback(stream, nil, nil)
    pa_context_set_subscribe_callback(connection.context, nil, nil)
    deviceQueries.cancel()
  }

  /// Passes an input to the session and executes the actions for the stream. Under the lock.
  func handle(_ input: AudioSessionManager.Input, at now: UInt64 = pa_rtclock_now()) {
    for action in request.session.handle(input, at: Double(now) / 1e6) {
      switch action {
      // A server that does not respond properly gets no more requests.
      case .disconnect: if isReady { connection.disconnect() }
      case .cork(let begins):
        if let operation = pa_stream_cork(stream, begins ? 1 : 0, nil, nil) { pa_operation_unref(operation) }
        requestTiming()
        // The device may have been suspended in the meantime. If that was because it was idle, the end of the cork has
        // resumed it before the server answers this.
        if !begins { queryDevice() }
      case .send(let event): request.report(event)
      case .pause, .resume, .report, .warn: break
      }
    }
  }

  /// Requests a timing now. At the beginning and the end of a stall the position can't be extrapolated from the last
  /// timing, and the next regular one may be seconds away.
  func requestTiming() {
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

  private func timingUpdated() {
    callbackState.timedAt = pa_rtclock_now()
    callbackState.timing = pa_stream_get_timing_info(stream)?.pointee
    if let timing = callbackState.timing { predictor.read(readPosition(timing), at: now) }
    if isGrantDue { reportGrant() }
  }

  /// Reports what the server has granted, which the first timing of the device shows. A device that holds very little
  /// is not rewound: PulseAudio's null sink without rewinds, for example, holds at most 50 ms.
  private func reportGrant() {
    guard let survey, let output = survey.outputs.first, let timing = callbackState.timing,
      let granted = pa_stream_get_buffer_attr(stream)
    else { return }
    isGrantDue = false
    let held = Double(timing.configured_sink_usec) / 1e6
    let isRewindable = survey.buffer == .rewindable && Self.smallDevice < held && rewindSupport != .absent
    if buffer == .grown, isRewindable {
      // A device with a fixed buffer, or one that other streams also use, may hold less than was requested.
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

  /// Requests a larger buffer in the device, as soon as the stream is far enough ahead to fill it. Under the lock.
  func grow() {
    guard mayGrow, request.session.mode == .managed, buffer == .rewindable, rewindSupport == .confirmed,
      !isCorkedOrSuspended,
      rate.frames(PulseBuffer.grown.first) < sentEnd - heard() - rate.frames(buffer.device)
    else { return }
    mayGrow = false
    use(.grown, after: buffer)
    isGrantDue = true
    requestTiming()
  }

  /// The stream plays on another device, or is about to. Under the lock.
  private func adapt(to output: PulseOutput) {
    guard let before = survey else { return }
    if before.outputs.first?.index == output.index {
      // A device that is now muted causes a warning.
      isGrantDue = isGrantDue || before.outputs.first?.isMuted != output.isMuted
      survey?.outputs = [output]
      if isGrantDue { requestTiming() }
      return
    }
    let after = PulseSurvey(server: before.server, outputs: [output])
    if after.buffer != buffer { use(after.buffer, after: buffer) }
    // The next timing shows what the device grants; until then nothing is rewound.
    (survey, buffer, rewindSupport, predictor, isGrantDue) = (after, .fixed, .unknown, ReadCyclePredictor(), true)
    mayGrow = true
    requestTiming()
  }

  /// The server reports an underrun when the device requests more than the stream has. That may be half a second before
  /// the missing frame is due to be heard. The underrun counts only if the frame is still missing then.
  private func underflowed() {
    if !isEnding, callbackState.underrun == nil {
      callbackState.underrun = underrun
      dropPreventedUnderrun()
      // With the smaller buffer, the server plays the next frames before there are enough to fill a large device.
      if buffer == .grown, callbackState.underrun != nil {
        use(.rewindable, after: buffer)
        mayGrow = true
      }
    }
    requestTiming()
  }

  /// The first missing frame, and when it is due. That may be in the past, because a process that was stopped receives
  /// the report only when it continues.
  private var underrun: PulseCallbackState.Underrun {
    let index = pa_stream_get_underflow_index(stream)
    guard 0 <= index else { return .init(frame: replay.end, due: pa_rtclock_now()) }
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
    requestTiming()
  }

  private func suspended() {
    requestTiming()
    handle(.suspended(isSuspended))
    connection.wakeAll()
  }

  private func received(event name: UnsafePointer<CChar>?) {
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
    requestTiming()
    let left = device
    requestDevice { .moved($0) }
    if let left, left != device { requestDevice(left) }
    connection.wakeAll()
  }
}

/// Requests about the device on which the stream plays, and about the one on which it played before.
extension PulseStream {
  /// Subscribes to changes of the device. Under the lock.
  func watchDevice() {
    pa_context_set_subscribe_callback(
      connection.context, { _, event, index, data in PulseStream.at(data)?.deviceChanged(event, index) }, userdata)
    if let operation = pa_context_subscribe(connection.context, PA_SUBSCRIPTION_MASK_SINK, nil, nil) {
      pa_operation_unref(operation)
    }
    requestDevice { .device($0) }
  }

  private func deviceChanged(_ event: pa_subscription_event_type_t, _ index: UInt32) {
    let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    if index == device, kind == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue { queryDevice() }
  }

  /// Requests the state of the device on which the stream plays.
  private func queryDevice() {
    guard let device else { return }
    deviceQueries.request(connection.context, about: device, userdata) { _, info, _, data in
      guard let info = info?.pointee, let stream = PulseStream.at(data), info.index == stream.device else { return }
      stream.adapt(to: PulseOutput(info))
      stream.handle(.device(AudioDevice(info)))
      // libpulse learns of the new device's suspension with the move, but calls only the callback for moves. A device
      // that was suspended because it was idle is resumed by now.
      stream.handle(.suspended(stream.isSuspended))
    }
  }

  private func requestDevice(_ input: (AudioDevice) -> AudioSessionManager.Input) {
    let index = pa_stream_get_device_index(stream)
    device = index
    let name = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
    handle(input(AudioDevice(index: index, name: name)))
    deviceChanged(PA_SUBSCRIPTION_EVENT_CHANGE, index)
  }

  private func requestDevice(_ left: UInt32) {
    deviceQueries.request(connection.context, about: left, userdata) { context, info, isLast, data in
      if let info = info?.pointee { return PulseStream.at(data)?.handle(.left(AudioDevice(info))) ?? () }
      guard isLast < 0 else { return }
      let isGone = pa_context_errno(context) == Int32(PA_ERR_NOENTITY.rawValue)
      PulseStream.at(data)?.handle(isGone ? .left(nil) : .left(AudioDevice(index: UInt32.max, name: "")))
    }
  }
}

/// Pending requests about devices. Under the lock.
struct DeviceQueries {
  private var pending: [OpaquePointer] = []

  mutating func request(
    _ context: OpaquePointer?, about device: UInt32, _ userdata: UnsafeMutableRawPointer?, _ answer: pa_sink_info_cb_t
  ) {
    let answered = pending.filter { pa_operation_get_state($0) != PA_OPERATION_RUNNING }
    pending.removeAll { answered.contains($0) }
    for operation in answered { pa_operation_unref(operation) }
    if let operation = pa_context_get_sink_info_by_index(context, device, answer, userdata) {
      pending.append(operation)
    }
  }

  /// Cancels all requests: no answer arrives after this.
  mutating func cancel() {
    for operation in pending {
      pa_operation_cancel(operation)
      pa_operation_unref(operation)
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
