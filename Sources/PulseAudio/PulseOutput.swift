internal import CPulse
package import Engine
internal import Glibc

/// An output of the sound server.
public struct PulseOutput: Hashable, Sendable {
  /// What a device does.
  public enum State: String, Hashable, Sendable {
    /// It plays.
    case running
    /// It is open, and nothing plays.
    case idle
    /// It is closed until something plays.
    case suspended
    /// The server does not say.
    case unknown
  }

  /// The server's number of the output; numbers are never reused.
  var index: UInt32
  /// The name for `--output pulse:NAME`.
  public var name: String
  /// The name for people.
  public var description: String
  /// Frames per second, in hertz.
  public var rate: Int
  /// The number of channels.
  public var channels: Int
  /// What the device does.
  public var state: State
  /// Whether the device is muted.
  public var isMuted: Bool
  /// Whether sessions play on it if no other output is chosen.
  public internal(set) var isDefault = false
  /// Whether the device adapts its latency to the requests of streams, and belongs to this machine. The server can
  /// usually rewind such a device, that is, replace what the device has received but not played. It can't rewind
  /// Bluetooth, combined and network outputs, some of which nevertheless have these flags.
  package var hasFlexibleLatency: Bool
  /// Seconds that the device holds whatever streams request; 0 if it adapts to them or is suspended.
  var fixedLatency: Double

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
    fixedLatency = flags & PA_SINK_DYNAMIC_LATENCY.rawValue == 0 ? Double(info.configured_latency) / 1e6 : 0
  }
}

/// What a sound server states about itself and its outputs.
package struct PulseSurvey: Sendable {
  package var server: PulseServerInfo
  package var outputs: [PulseOutput]

  /// Requests a list of all outputs, in the server's order. Returns or throws within a few seconds.
  ///
  /// - Parameter server: its address; nil for `PULSE_SERVER` or the server of this user.
  package static func ofServer(at server: String? = nil) throws(SinkError) -> PulseSurvey {
    let connection = try PulseConnection(server: server)
    return try connection.locked { () throws(SinkError) in
      try connection.connect()
      guard let survey = connection.survey(.all) else { throw .noServer(cause: connection.lastError) }
      return survey
    }
  }

  /// Whether the server can replace what it has passed to the device, according to the device's flags.
  package func isRewindable(_ output: PulseOutput) -> Bool { !server.isPipeWire && output.hasFlexibleLatency }

  /// Seconds of sound that a session requests in the stream's buffer and in the device. The device may grant less. If
  /// its latency is fixed, it may also hold more.
  package func asked(of output: PulseOutput) -> (stream: Double, device: Double) {
    let buffer = buffer(for: output)
    return (2 * buffer.request + buffer.device, max(buffer.device, output.fixedLatency))
  }

  private func buffer(for output: PulseOutput) -> PulseBuffer {
    server.isPipeWire ? .cycles : isRewindable(output) ? .rewindable : .fixed
  }

  /// The buffer that is right for the only output of the survey.
  var buffer: PulseBuffer { outputs.first.map(buffer(for:)) ?? .fixed }
}

/// The answers of the server, which callbacks collect while the requesting thread waits.
private final class Answers: CallbackTarget {
  let changed: Broadcast
  var server: PulseServerInfo?
  var outputs: [PulseOutput] = []

  init(changed: Broadcast) { self.changed = changed }
}

extension PulseConnection {
  enum Question {
    case all
    /// One output; nil for the default.
    case output(String?)
  }

  /// Requests information about the server and its outputs, and waits for the answers. An unknown output is omitted.
  /// Under the lock.
  ///
  /// - Returns: nil if the server does not answer.
  func survey(_ question: Question, while isWanted: () -> Bool = { true }) -> PulseSurvey? {
    let answers = Answers(changed: changed)
    let userdata = answers.userdata
    return withExtendedLifetime(answers) {
      // Both requests are sent before the first answer is awaited, and complete before `answers` is released.
      let about = pa_context_get_server_info(context, noteServer, userdata)
      let list =
        switch question {
        case .all: pa_context_get_sink_info_list(context, noteOutput, userdata)
        case .output(let name):
          pa_context_get_sink_info_by_name(
            context, name ?? Self.environmentDevice ?? "@DEFAULT_SINK@", noteOutput, userdata)
        }
      let isKnown = answered(about, within: Self.answerTimeout, while: isWanted)
      let isListed = answered(list, within: Self.answerTimeout, while: isWanted)
      guard isKnown, isListed, let server = answers.server else { return nil }
      for index in answers.outputs.indices {
        answers.outputs[index].isDefault = answers.outputs[index].name == server.defaultOutput
      }
      return PulseSurvey(server: server, outputs: answers.outputs)
    }
  }

  /// The sink that `PULSE_SINK` names, which libpulse uses in place of the default one; nil without the variable.
  private static var environmentDevice: String? { getenv("PULSE_SINK").map { String(cString: $0) } }

  /// The error for a stream that was refused because `device` is unknown. Under the lock.
  func unknownDevice(_ device: String?) -> SinkError {
    let known = (survey(.all)?.outputs ?? []).map(\.name)
    if known.isEmpty { return .noServer(cause: "it has no output") }
    return .noSuchDevice(name: device ?? Self.environmentDevice ?? "default", known: known)
  }
}

private let noteServer: pa_server_info_cb_t = { _, info, userdata in
  guard let answers = Answers.at(userdata) else { return }
  answers.server = info.map { PulseServerInfo($0.pointee) }
  answers.changed.call()
}

private let noteOutput: pa_sink_info_cb_t = { _, info, isLast, userdata in
  guard let answers = Answers.at(userdata) else { return }
  if isLast == 0, let info = info?.pointee { answers.outputs.append(PulseOutput(info)) }
  answers.changed.call()
}
