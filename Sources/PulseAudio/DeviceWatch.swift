internal import CPulse
internal import Engine
internal import Signal

/// The device on which a stream plays: its ports, moves to other devices, and how much sound it may hold. The policy
/// decides what follows from a change.
///
/// Everything is called under the connection's lock.
final class DeviceWatch: CallbackTarget {
  enum RewindSupport { case unknown, confirmed, absent }

  private let link: StreamLink
  /// The buffer that suits the device, according to its reports so far.
  private(set) var buffer = PulseBuffer.fixed
  /// Whether a probe has confirmed that the device can be rewound.
  private(set) var rewindSupport = RewindSupport.unknown
  /// What the server reports about itself and the device.
  private var survey: PulseSurvey?
  /// Whether the device has answered since the stream plays on it. The server may change an idle device's rate to that
  /// of a new stream, so the survey before it does not count.
  private var hasAnswered = false
  /// Whether the grant of the server must still be reported to the player.
  private var isGrantDue = false
  /// Whether `grow` may request a larger buffer in the device. It does so once, and again after an underrun or a move.
  private var mayGrow = true
  /// The server's number of the device; nil before the stream is ready.
  private var device: UInt32?
  private var queries = PendingQueries()

  private var connection: PulseConnection { link.connection }
  private var request: PulseRequest { link.request }

  init(of link: StreamLink) { self.link = link }

  /// Passes a change of the stream or of its device to the policy, and executes the actions that follow.
  func handle(_ change: StreamChange, at now: UInt64 = pa_rtclock_now()) {
    for action in request.policy.handle(change, at: Double(now) / 1e6) {
      switch action {
      // A server that does not respond properly gets no more requests.
      case .disconnect: if link.isReady { connection.disconnect() }
      case .cork(let begins):
        link.cork(begins)
        link.requestTiming()
        // The device may have been suspended in the meantime. If that was because it was idle, the end of the cork has
        // resumed it before the server answers this.
        if begins { queryCork() } else { query() }
      case .send(let event): request.report(event)
      }
    }
  }

  /// The stream is connected: subscribes to changes of the device.
  func start(_ survey: PulseSurvey) {
    self.survey = survey
    (isGrantDue, mayGrow, buffer, rewindSupport) = (true, true, .fixed, .unknown)
    handle(.opened(isSuspended: link.isSuspended))
    pa_context_set_subscribe_callback(
      connection.context, { _, event, index, data in DeviceWatch.at(data)?.changed(event, index) }, userdata)
    if let operation = pa_context_subscribe(connection.context, PA_SUBSCRIPTION_MASK_SINK, nil, nil) {
      pa_operation_unref(operation)
    }
    enter { .device($0) }
  }

  /// The stream ends: no answer and no change arrives after this. It must be called before this object is released.
  func stop() {
    pa_context_set_subscribe_callback(connection.context, nil, nil)
    queries.cancel()
  }

  /// The stream plays on another device.
  func moved() {
    let before = device
    enter { .moved($0) }
    if let before, before != device { queryLeft(before) }
  }

  /// Requests the state of the device on which the stream plays.
  private func query() {
    guard let device else { return }
    query(device) { _, info, _, data in
      guard let info = info?.pointee, let watch = DeviceWatch.at(data), info.index == watch.device else { return }
      watch.adapt(to: PulseOutput(info))
      watch.handle(.device(AudioDevice(info)))
      // libpulse learns of the new device's suspension with the move, but calls only the callback for moves. A device
      // that was suspended because it was idle is resumed by now.
      watch.handle(.suspended(watch.link.isSuspended))
    }
  }

  /// Asks whether the server still wants silence, after the stream was corked in answer to its request. PulseAudio mutes
  /// a stream for as long as it wants silence, but reports the end only to a corked stream: if a call is over before the
  /// cork arrives, only the missing mute shows it.
  private func queryCork() {
    guard let survey, !survey.server.isPipeWire else { return }
    queries.request(
      pa_context_get_sink_input_info(
        connection.context, link.index,
        { _, info, _, data in
          guard let info = info?.pointee, info.mute == 0, info.corked != 0 else { return }
          DeviceWatch.at(data)?.handle(.corkRequested(false))
        }, userdata))
  }

  private func enter(_ change: (AudioDevice) -> StreamChange) {
    let (index, name) = link.device
    (device, hasAnswered) = (index, false)
    handle(change(AudioDevice(index: index, name: name)))
    query()
  }

  private func query(_ device: UInt32, _ answer: pa_sink_info_cb_t) {
    queries.request(pa_context_get_sink_info_by_index(connection.context, device, answer, userdata))
  }

  private func queryLeft(_ device: UInt32) {
    query(device) { context, info, isLast, data in
      if let info = info?.pointee { return DeviceWatch.at(data)?.handle(.left(AudioDevice(info))) ?? () }
      guard isLast < 0 else { return }
      let isGone = pa_context_errno(context) == Int32(PA_ERR_NOENTITY.rawValue)
      DeviceWatch.at(data)?.handle(.left(isGone ? nil : AudioDevice(index: UInt32.max, name: "")))
    }
  }

  private func changed(_ event: pa_subscription_event_type_t, _ index: UInt32) {
    let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    if index == device, kind == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue { query() }
  }
}

/// How much the device holds.
extension DeviceWatch {
  /// Seconds that the device must be able to hold to be rewound at all.
  static let smallDevice = 0.1

  /// Seconds of the stream's sound that the device holds. After an underrun the device also holds silence, which is
  /// subtracted. For a device that is rewound, the server reports too much silence, so there nothing is subtracted.
  func held(_ timing: pa_timing_info) -> Double {
    let silence = timing.playing != 0 || buffer.isRewindable ? 0 : Double(timing.since_underrun)
    return max(0, Double(timing.sink_usec) - silence) / 1e6
  }

  /// A timing has arrived. The first one after the device's answer shows what the server has granted, which is
  /// reported. A device that holds very little is not rewound: PulseAudio's null sink without rewinds, for example,
  /// holds at most 50 ms.
  func timed() {
    guard isGrantDue, hasAnswered, let survey, let output = survey.outputs.first, let timing = link.timing,
      let granted = link.granted
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
    request.report(
      .connected(
        OutputGrant(
          server: survey.server.title, output: output.name, sessionRate: request.rate, outputRate: output.rate,
          outputChannels: output.channels, buffer: min(request.rate.seconds(granted), buffer.total - held),
          device: held, isRewindable: isRewindable, isMuted: output.isMuted)))
  }

  /// A probe of the device has ended.
  func probed(isRewound: Bool) {
    rewindSupport = isRewound ? .confirmed : .absent
    if isRewound { return }
    use(.fixed, after: buffer)
    isGrantDue = true
  }

  /// Requests a larger buffer in the device, as soon as `ahead` unheard frames are enough to fill it.
  func grow(ahead: FrameCount) {
    guard mayGrow, request.policy.isManaged, buffer == .rewindable, rewindSupport == .confirmed,
      !link.isStopped,
      request.rate.frames(PulseBuffer.grown.first) < ahead - request.rate.frames(buffer.device)
    else { return }
    mayGrow = false
    use(.grown, after: buffer)
    isGrantDue = true
    link.requestTiming()
  }

  /// The stream is about to run out of sound. With the smaller buffer, the server plays the next frames before there
  /// are enough to fill a large device.
  func shrink() {
    guard buffer == .grown else { return }
    use(.rewindable, after: buffer)
    mayGrow = true
  }

  /// Requests another buffer for the stream.
  private func use(_ next: PulseBuffer, after before: PulseBuffer) {
    buffer = next
    if next != before, request.policy.isManaged { link.use(next) }
  }

  /// The stream plays on another device, or is about to; or the device has changed.
  private func adapt(to output: PulseOutput) {
    guard let before = survey else { return }
    hasAnswered = true
    if before.outputs.first?.index == output.index {
      // A device that is now muted causes a warning.
      isGrantDue = isGrantDue || before.outputs.first?.isMuted != output.isMuted
      survey?.outputs = [output]
      if isGrantDue { link.requestTiming() }
      return
    }
    let after = PulseSurvey(server: before.server, outputs: [output])
    if after.buffer != buffer { use(after.buffer, after: buffer) }
    // The next timing shows what the device grants; until then nothing is rewound.
    (survey, buffer, rewindSupport, isGrantDue, mayGrow) = (after, .fixed, .unknown, true, true)
    link.forgetReads()
    link.requestTiming()
  }
}

/// Pending requests about devices and the stream.
private struct PendingQueries {
  private var pending: [OpaquePointer] = []

  /// Keeps a request until it is answered; nil if it could not be sent.
  mutating func request(_ operation: OpaquePointer?) {
    let answered = pending.filter { pa_operation_get_state($0) != PA_OPERATION_RUNNING }
    pending.removeAll { answered.contains($0) }
    for operation in answered { pa_operation_unref(operation) }
    if let operation { pending.append(operation) }
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
