internal import CPulse

/// The name and version of a sound server.
package struct PulseServerInfo: Hashable, Sendable {
  /// Its own name, such as `pulseaudio` or `PulseAudio (on PipeWire 0.3.65)`.
  package var name: String
  package var version: String
  /// The output of streams that request none.
  package var defaultOutput: String?

  init(_ info: pa_server_info) {
    name = info.server_name.map { String(cString: $0) } ?? ""
    version = info.server_version.map { String(cString: $0) } ?? ""
    defaultOutput = info.default_sink_name.map { String(cString: $0) }
  }

  /// PipeWire never replaces what it has passed to the graph.
  package var isPipeWire: Bool { name.contains("PipeWire") }

  /// `PulseAudio 16.1` or `PipeWire 0.3.65`.
  package var title: String {
    guard isPipeWire, let number = name.split(separator: " ").last?.filter({ $0 != ")" }) else {
      return "PulseAudio \(version)"
    }
    return "PipeWire \(number)"
  }
}
