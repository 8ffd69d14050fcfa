package import Engine
import Signal
import Synchronization

/// Sends the sound to a source of a Snapcast server.
package final class SnapcastServer: NetworkServer {
  /// Seconds from the server to the ears, unless the server is configured otherwise, and some more.
  private static let delay = 1.5
  /// Seconds that the server may take to give back each group, and if somebody waits for the end of the program.
  private static let (patience, urgentPatience) = (2.0, 0.2)
  /// Seconds for which a source may be taken at the start: the server calls it playing for two seconds after the end of
  /// another session.
  private static let takenFor = 2.5

  private let address: SnapcastSource
  var name: String { address.description }
  private let groups: SnapcastGroups
  private let hasConnected = Atomic<Bool>(false)

  private init(_ address: SnapcastSource) {
    self.address = address
    groups = SnapcastGroups(at: address)
  }

  /// The sink that sends to a source.
  package static func sink(
    to source: SnapcastSource, waiting patience: Double, report: @escaping @Sendable (OutputEvent) -> Void
  ) -> NetworkSink {
    NetworkSink(SnapcastServer(source), waiting: patience, report: report)
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
    let (control, status, (source, format, port)) = try freeSource()
    let connection = try SnapcastConnection(
      to: address.host, port, format, chunk: source.chunk, from: rate, named: address.description)
    try groups.assign(status, with: control)
    hasConnected.store(true, ordering: .relaxed)
    return connection
  }

  /// The source, which no other program plays to. Only the first connection looks, because a server that was lost may
  /// take the connection before for another program.
  private func freeSource() throws(SinkError) -> (
    SnapcastControl, SnapcastStatus, (SnapcastStatus.Source, SampleFormat, UInt16)
  ) {
    let isFirst = !hasConnected.load(ordering: .relaxed)
    let begin = SuspendingClock().now
    while true {
      let (control, status) = try Self.ask(address.host, address.port)
      let source = try source(of: status)
      if !isFirst || source.0.state != "playing" { return (control, status, source) }
      if .seconds(Self.takenFor) < SuspendingClock().now - begin {
        throw refused("another program plays to it; end that one")
      }
      WakeUp().wait(seconds: 0.25)
    }
  }

  func listeners() throws(SinkError) -> Int? {
    try Self.status(host: address.host, port: address.port).listeners(to: address.source)
  }

  func finish(isUrgent: Bool) -> String? {
    if groups.isEmpty { return nil }
    // The end is still on its way to the rooms.
    if !isUrgent { WakeUp().wait(seconds: Self.delay) }
    let left = groups.restore(within: isUrgent ? Self.urgentPatience : Self.patience)
    if left.isEmpty { return nil }
    let names = left.map { "'\($0)'" }.joined(separator: ", ")
    return "it does not answer, so groups still listen to it: \(names); choose their source in a Snapcast app"
  }

  /// The source with this name, if prosper can write to it.
  private func source(of status: SnapcastStatus) throws(SinkError) -> (SnapcastStatus.Source, SampleFormat, UInt16) {
    let isHere = address.host == "localhost" || address.host.hasPrefix("127.")
    let line = "source = tcp://\(isHere ? "127.0.0.1" : "0.0.0.0"):4953?name=\(address.source)"
    guard let source = status.sources.first(where: { $0.name == address.source }) else {
      let known = status.sources.filter(\.takesSound).map { "'\($0.name)'" }.joined(separator: ", ")
      throw refused(
        "the server has no source '\(address.source)'; "
          + (known.isEmpty ? "add \(line) to its snapserver.conf" : "use \(known)"))
    }
    guard source.isServer, let port = source.port else {
      throw refused(
        "the source is of the kind '\(source.kind)', and prosper needs tcp in the mode server; write "
          + "\(line) in snapserver.conf")
    }
    guard let format = source.format else {
      throw refused("the source has a format that prosper can't write; add &sampleformat=48000:16:2 in snapserver.conf")
    }
    return (source, format, port)
  }

  private func refused(_ cause: String) -> SinkError { .refused(output: address.description, cause: cause) }
}
