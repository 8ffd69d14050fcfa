package import Engine
import Signal

/// Sends the sound to a source of a Snapcast server.
package final class SnapcastServer: NetworkServer {
  /// Seconds from the server to the ears, unless the server is configured otherwise, and some more.
  private static let delay = 1.5

  private let address: SnapcastSource
  private let groups: SnapcastGroups

  private init(_ address: SnapcastSource) {
    self.address = address
    groups = SnapcastGroups(at: address)
  }

  /// The sink that sends to a source.
  package static func sink(
    to source: SnapcastSource, _ patience: NetworkSink.Patience, report: @escaping @Sendable (OutputEvent) -> Void
  ) -> NetworkSink {
    NetworkSink(SnapcastServer(source), patience, report: report)
  }

  /// What a server states about its sources and groups. Takes a few seconds at most.
  package static func status(host: String, port: UInt16) throws(SinkError) -> SnapcastStatus {
    try ask(host, port).status
  }

  private static func ask(
    _ host: String, _ port: UInt16
  ) throws(SinkError) -> (control: SnapcastControl, status: SnapcastStatus) {
    do throws(TCPConnection.Failure) {
      let control = try SnapcastControl(host: host, port: port)
      return (control, SnapcastStatus(try control.call("Server.GetStatus")))
    } catch {
      throw .unreachable(output: "the Snapcast server at \(ServerAddress.text(host, port))", cause: error.cause)
    }
  }

  func connect(at rate: SampleRate) throws(SinkError) -> sending any NetworkConnection {
    let (control, status) = try Self.ask(address.host, address.port)
    let (source, format, port) = try source(of: status)
    let connection = try SnapcastConnection(
      to: address.host, port, format, chunk: source.chunk, from: rate, named: address.description)
    try groups.assign(status, with: control)
    return connection
  }

  func listeners() throws(SinkError) -> Int? {
    try Self.status(host: address.host, port: address.port).listeners(to: address.source)
  }

  func finish(isUrgent: Bool) {
    if groups.isEmpty { return }
    // The end is still on its way to the rooms.
    if !isUrgent { WakeUp().wait(seconds: Self.delay) }
    groups.restore()
  }

  /// The source with this name, if prosper can write to it.
  private func source(of status: SnapcastStatus) throws(SinkError) -> (SnapcastStatus.Source, SampleFormat, UInt16) {
    let line = "tcp://0.0.0.0:4953?name=\(address.source)"
    guard let source = status.sources.first(where: { $0.name == address.source }) else {
      let known = status.sources.filter(\.takesSound).map { "'\($0.name)'" }.joined(separator: ", ")
      throw refused(
        "the server has no source '\(address.source)'; "
          + (known.isEmpty ? "add source = \(line) to its snapserver.conf" : "use \(known)"))
    }
    guard source.isServer, let port = source.port else {
      throw refused("the source does not take sound over TCP; write it as source = \(line) in snapserver.conf")
    }
    guard let format = source.format else {
      throw refused("the source has a format that prosper can't write; add &sampleformat=48000:16:2 in snapserver.conf")
    }
    return (source, format, port)
  }

  private func refused(_ cause: String) -> SinkError { .refused(output: address.description, cause: cause) }
}
