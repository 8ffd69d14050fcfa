internal import CPulse
package import Engine

/// A place that sound can go to, as the sound server knows it.
package struct PulseOutput: Hashable, Sendable {
  package enum State: String, Hashable, Sendable { case running, idle, suspended, unknown }

  /// What `--output pulse:NAME` takes.
  package var name: String
  /// What a person calls it.
  package var description: String
  /// In hertz.
  package var rate: Int
  package var channels: Int
  package var state: State
  /// Where sound goes that asks for no place.
  package var isDefault: Bool
}

/// The outputs of a sound server.
package enum PulseOutputs {
  /// All outputs in the server's order; answers, or throws, within some seconds.
  ///
  /// - Parameter server: its address; nil for `PULSE_SERVER` or this user's own.
  package static func all(server: String? = nil) throws(SinkError) -> [PulseOutput] {
    let connection = try PulseConnection(server: server)
    return try connection.locked { () throws(SinkError) in
      guard let outputs = connection.outputs() else { throw .noServer(cause: connection.lastError) }
      return outputs
    }
  }
}

/// What the server's answers are put together in, while the asking thread waits.
private final class Answers {
  let loop: OpaquePointer
  var outputs: [PulseOutput] = []
  var standard: String?

  init(loop: OpaquePointer) { self.loop = loop }

  static func of(_ userdata: UnsafeMutableRawPointer?) -> Answers? {
    userdata.map { Unmanaged<Answers>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension PulseConnection {
  /// Nil when the server does not answer. Under the lock.
  func outputs() -> [PulseOutput]? {
    let answers = Answers(loop: loop)
    let userdata = Unmanaged.passUnretained(answers).toOpaque()
    // Both questions are over, answered or cancelled, before `answers` goes.
    let isWhole = withExtendedLifetime(answers) {
      answered(pa_context_get_server_info(context, noteStandard, userdata), within: Self.patience)
        && answered(pa_context_get_sink_info_list(context, noteOutput, userdata), within: Self.patience)
    }
    guard isWhole else { return nil }
    return answers.outputs.map { output in
      var output = output
      output.isDefault = output.name == answers.standard
      return output
    }
  }

  /// Why a stream to `device` was refused as unknown. Under the lock.
  func unknownDevice(_ device: String?) -> SinkError {
    let known = (outputs() ?? []).map(\.name)
    if known.isEmpty { return .noServer(cause: "it has no output") }
    return .noSuchDevice(name: device ?? "default", known: known)
  }
}

private let noteStandard: pa_server_info_cb_t = { _, info, userdata in
  guard let answers = Answers.of(userdata) else { return }
  answers.standard = info?.pointee.default_sink_name.map { String(cString: $0) }
  pa_threaded_mainloop_signal(answers.loop, 0)
}

private let noteOutput: pa_sink_info_cb_t = { _, info, isLast, userdata in
  guard let answers = Answers.of(userdata) else { return }
  if isLast == 0, let info = info?.pointee { answers.outputs.append(PulseOutput(info)) }
  pa_threaded_mainloop_signal(answers.loop, 0)
}

extension PulseOutput {
  fileprivate init(_ info: pa_sink_info) {
    name = info.name.map { String(cString: $0) } ?? ""
    description = info.description.map { String(cString: $0) } ?? ""
    rate = Int(info.sample_spec.rate)
    channels = Int(info.sample_spec.channels)
    isDefault = false
    state =
      switch info.state {
      case PA_SINK_RUNNING: .running
      case PA_SINK_IDLE: .idle
      case PA_SINK_SUSPENDED: .suspended
      default: .unknown
      }
  }
}
