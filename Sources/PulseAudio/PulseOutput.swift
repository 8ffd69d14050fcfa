internal import CPulse
package import Engine

/// A place that sound can go to, as the sound server knows it.
package struct PulseOutput: Hashable, Sendable {
  package enum State: String, Hashable, Sendable { case running, idle, suspended, unknown }

  /// The server's number for it; numbers are not used again.
  var index: UInt32
  /// What `--output pulse:NAME` takes.
  package var name: String
  /// What a person calls it.
  package var description: String
  /// In hertz.
  package var rate: Int
  package var channels: Int
  package var state: State
  package var isMuted: Bool
  /// Whether the device adapts its latency to what streams ask for, and is a device of this machine. The server can rewind
  /// such a device: replace what it has handed over and the device has not played. Bluetooth, combined and network outputs
  /// can't.
  package var hasFlexibleLatency: Bool

  init(_ info: pa_sink_info) {
    index = info.index
    name = info.name.map { String(cString: $0) } ?? ""
    description = info.description.map { String(cString: $0) } ?? ""
    rate = Int(info.sample_spec.rate)
    channels = Int(info.sample_spec.channels)
    state =
      switch info.state {
      case PA_SINK_RUNNING: .running
      case PA_SINK_IDLE: .idle
      case PA_SINK_SUSPENDED: .suspended
      default: .unknown
      }
    isMuted = info.mute != 0
    let flags = info.flags.rawValue
    hasFlexibleLatency =
      flags & PA_SINK_DYNAMIC_LATENCY.rawValue != 0 && flags & PA_SINK_NETWORK.rawValue == 0
  }
}

/// What a sound server says about itself and its outputs.
package struct PulseSurvey: Sendable {
  package var server: PulseServerInfo
  package var outputs: [PulseOutput]

  /// Asks for all outputs, in the server's order; answers, or throws, within some seconds.
  ///
  /// - Parameter server: its address; nil for `PULSE_SERVER` or this user's own.
  package static func ofServer(at server: String? = nil) throws(SinkError) -> PulseSurvey {
    let connection = try PulseConnection(server: server)
    return try connection.locked { () throws(SinkError) in
      guard let survey = connection.survey(.all) else { throw .noServer(cause: connection.lastError) }
      return survey
    }
  }

  package func isDefault(_ output: PulseOutput) -> Bool { output.name == server.defaultOutput }

  /// Whether the server can replace what it has handed to the device.
  package func isRewindable(_ output: PulseOutput) -> Bool { !server.isPipeWire && output.hasFlexibleLatency }

  /// Seconds of sound that a session asks the stream's buffer and the device to hold. The device may grant less.
  package func asked(of output: PulseOutput) -> (stream: Double, device: Double) {
    let buffer = buffer(for: output)
    return (2 * buffer.request + buffer.device, buffer.device)
  }

  private func buffer(for output: PulseOutput) -> PulseBuffer {
    server.isPipeWire ? .cycles : isRewindable(output) ? .rewindable : .fixed
  }

  /// The buffer that is right for the only output of the survey.
  var buffer: PulseBuffer { outputs.first.map(buffer(for:)) ?? .fixed }
}

/// What the server's answers are collected in, while the asking thread waits.
private final class Answers {
  let changed: Broadcast
  var server: PulseServerInfo?
  var outputs: [PulseOutput] = []

  init(changed: Broadcast) { self.changed = changed }

  static func of(_ userdata: UnsafeMutableRawPointer?) -> Answers? {
    userdata.map { Unmanaged<Answers>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension PulseConnection {
  enum Question {
    case all
    /// One output; nil for the default.
    case output(String?)
  }

  /// Nil when the server does not answer. An output that it doesn't know is left out. Under the lock.
  func survey(_ question: Question, while isWanted: () -> Bool = { true }) -> PulseSurvey? {
    let answers = Answers(changed: changed)
    let userdata = Unmanaged.passUnretained(answers).toOpaque()
    return withExtendedLifetime(answers) {
      // Both questions are sent before the first answer is awaited, and over before `answers` goes.
      let about = pa_context_get_server_info(context, noteServer, userdata)
      let list =
        switch question {
        case .all: pa_context_get_sink_info_list(context, noteOutput, userdata)
        case .output(let name):
          pa_context_get_sink_info_by_name(context, name ?? "@DEFAULT_SINK@", noteOutput, userdata)
        }
      let isKnown = answered(about, within: Self.patience, while: isWanted)
      let isListed = answered(list, within: Self.patience, while: isWanted)
      guard isKnown, isListed, let server = answers.server else { return nil }
      return PulseSurvey(server: server, outputs: answers.outputs)
    }
  }

  /// Why a stream to `device` was refused as unknown. Under the lock.
  func unknownDevice(_ device: String?) -> SinkError {
    let known = (survey(.all)?.outputs ?? []).map(\.name)
    if known.isEmpty { return .noServer(cause: "it has no output") }
    return .noSuchDevice(name: device ?? "default", known: known)
  }
}

private let noteServer: pa_server_info_cb_t = { _, info, userdata in
  guard let answers = Answers.of(userdata) else { return }
  answers.server = info.map { PulseServerInfo($0.pointee) }
  answers.changed.call()
}

private let noteOutput: pa_sink_info_cb_t = { _, info, isLast, userdata in
  guard let answers = Answers.of(userdata) else { return }
  if isLast == 0, let info = info?.pointee { answers.outputs.append(PulseOutput(info)) }
  answers.changed.call()
}
