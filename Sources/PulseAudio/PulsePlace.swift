internal import CPulse
internal import Engine

/// The device that a stream plays on, and what the server has been asked of it and of those before.
struct PulsePlace {
  /// The server's number for it; numbers are not used again. Nil before the stream is ready.
  fileprivate var device: UInt32?
  fileprivate var name = ""
  fileprivate var ports: [UInt32: PortWatch] = [:]
  private var questions: [OpaquePointer] = []

  fileprivate mutating func ask(
    _ context: OpaquePointer?, about device: UInt32, _ notes: UnsafeMutableRawPointer?, _ answer: pa_sink_info_cb_t
  ) {
    let over = questions.filter { pa_operation_get_state($0) != PA_OPERATION_RUNNING }
    questions.removeAll { over.contains($0) }
    for question in over { pa_operation_unref(question) }
    if let question = pa_context_get_sink_info_by_index(context, device, answer, notes) { questions.append(question) }
  }

  /// Behind this no answer comes any more. Under the lock.
  mutating func forget() {
    for question in questions {
      pa_operation_cancel(question)
      pa_operation_unref(question)
    }
    self = PulsePlace()
  }

  /// Whether the socket of a device that the sound came out of has been unplugged since it was asked last.
  fileprivate mutating func isUnplugged(_ info: pa_sink_info) -> Bool {
    let active = info.active_port.map { String(cString: $0.pointee.name) }
    return ports[info.index, default: PortWatch()].see(info.watchedPorts, active: active)
  }
}

extension PulseStream {
  /// Has the server tell what becomes of the device. Under the lock.
  func watch() {
    pa_context_set_subscribe_callback(
      connection.context,
      { context, event, device, notes in PulseNotes.of(notes)?.pointee.deviceChanged(context, event, device, notes) },
      notes)
    if let operation = pa_context_subscribe(connection.context, PA_SUBSCRIPTION_MASK_SINK, nil, nil) {
      pa_operation_unref(operation)
    }
    notes.pointee.arrived(stream, notes)
  }

  /// Under the lock.
  func watchNoMore() {
    pa_context_set_subscribe_callback(connection.context, nil, nil)
    notes.pointee.place.forget()
  }
}

extension PulseNotes {
  /// The stream plays on another device than before.
  fileprivate mutating func arrived(_ stream: OpaquePointer?, _ notes: UnsafeMutableRawPointer?) {
    let device = pa_stream_get_device_index(stream)
    place.device = device
    place.name = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
    place.ask(pa_stream_get_context(stream), about: device, notes) { _, info, _, notes in
      if let info = info?.pointee { PulseNotes.of(notes)?.pointee.tells(info) }
    }
  }

  /// What the sound has left decides whether it goes on: a device that is gone was not left by anybody's wish.
  mutating func moved(_ stream: OpaquePointer?, _ notes: UnsafeMutableRawPointer?) {
    let left = place.device
    arrived(stream, notes)
    guard let left, left != place.device else { return tell(.moved(to: place.name)) }
    place.ask(pa_stream_get_context(stream), about: left, notes) { context, info, isLast, notes in
      PulseNotes.of(notes)?.pointee.left(info?.pointee, isAnswered: isLast <= 0, context)
    }
  }

  private mutating func left(_ info: pa_sink_info?, isAnswered: Bool, _ context: OpaquePointer?) {
    guard isAnswered else { return }
    let isGone =
      info.map { place.isUnplugged($0) } ?? (pa_context_errno(context) == Int32(PA_ERR_NOENTITY.rawValue))
    tell(isGone ? .unplugged(to: place.name) : .moved(to: place.name))
  }

  fileprivate mutating func deviceChanged(
    _ context: OpaquePointer?, _ event: pa_subscription_event_type_t, _ device: UInt32,
    _ notes: UnsafeMutableRawPointer?
  ) {
    let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    guard device == place.device, kind == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue else { return }
    place.ask(context, about: device, notes) { _, info, _, notes in
      if let info = info?.pointee { PulseNotes.of(notes)?.pointee.tells(info) }
    }
  }

  /// What the device says of itself. One that has been left meanwhile is asked for itself.
  private mutating func tells(_ info: pa_sink_info) {
    if info.index == place.device, place.isUnplugged(info) { tell(.unplugged(to: place.name)) }
  }
}

extension pa_sink_info {
  fileprivate var watchedPorts: [PortWatch.Port] {
    guard let ports else { return [] }
    return (0..<Int(n_ports)).compactMap { ports[$0]?.pointee }.map {
      PortWatch.Port(
        name: String(cString: $0.name), isUnplugged: $0.available == Int32(PA_PORT_AVAILABLE_NO.rawValue))
    }
  }
}
