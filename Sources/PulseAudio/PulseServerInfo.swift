internal import CPulse

/// The name and version of a sound server.
package struct PulseServerInfo: Hashable, Sendable {
  /// The name that the server reports, such as `pulseaudio` or `PulseAudio (on PipeWire 0.3.65)`.
  package var name: String
  package var version: String
  /// The name of the output for streams that don't name one.
  package var defaultOutput: String?

  init(_ info: pa_server_info) {
    name = info.server_name.map { String(cString: $0) } ?? ""
    version = info.server_version.map { String(cString: $0) } ?? ""
    defaultOutput = info.default_sink_name.map { String(cString: $0) }
  }

  /// Whether the server is PipeWire, which never replaces sound that it has passed to its graph.
  package var isPipeWire: Bool { name.contains("PipeWire") }

  /// The name and version for people: `PulseAudio 16.1` or `PipeWire 0.3.65`.
  package var title: String {
    guard isPipeWire, let number = name.split(separator: " ").last?.filter({ $0 != ")" }) else {
      return "PulseAudio \(version)"
    }
    return "PipeWire \(number)"
  }
}
