import ArgumentParser
import ProsperKit

/// A server on the network whose outputs are listed.
struct ServerSurvey {
  /// An output, or a group of rooms.
  struct Listed {
    var text: String
    var json: JSONLine
  }

  private enum Kind { case snapcast, icecast, encryptedIcecast }

  private let kind: Kind
  private let host: String
  private let port: UInt16
  /// The name of the computer; nil if `host` is what the user named it.
  private let name: String?
  /// Whether nobody has named it, so that it need not be there.
  let isGuess: Bool

  private init(_ kind: Kind, _ host: String, _ port: UInt16, named name: String? = nil, isGuess: Bool) {
    (self.kind, self.host, self.port, self.name, self.isGuess) = (kind, host, port, name, isGuess)
  }

  /// The servers of this computer, and those that announce themselves on the local network. Takes about a second.
  static func found() -> [ServerSurvey] {
    let local = [
      ServerSurvey(.snapcast, "127.0.0.1", SnapcastSource.standardPort, isGuess: true),
      ServerSurvey(.icecast, "127.0.0.1", IcecastMount.standardPort, isGuess: true),
    ]
    let announced = AnnouncedServer.find(within: 2).map {
      ServerSurvey(.snapcast, $0.address, $0.port, named: $0.name, isGuess: true)
    }
    return local + announced.filter { server in !local.contains { server.isSame(as: $0) } }
  }

  func isSame(as other: ServerSurvey) -> Bool { (kind, host, port) == (other.kind, other.host, other.port) }

  /// - Parameter address: `snapcast://HOST[:PORT]`, `icecast://HOST[:PORT]` or `icecasts://HOST[:PORT]`.
  init(address: String) throws {
    // With a name, it is the address of an output.
    if let source = try? SnapcastSource(address + "/any") {
      self.init(.snapcast, source.host, source.port, isGuess: false)
    } else if let mount = try? IcecastMount(address + "/any.ogg") {
      self.init(mount.isEncrypted ? .encryptedIcecast : .icecast, mount.host, mount.port, isGuess: false)
    } else {
      throw ValidationError("'\(address)' is no server; write it like snapcast://hall or icecast://radio.example:8000")
    }
  }

  /// What the server offers. Takes a few seconds at most.
  func outputs() throws(SinkError) -> [Listed] {
    switch kind {
    case .snapcast: try sources()
    case .icecast, .encryptedIcecast: try mounts()
    }
  }

  /// The address of an output there. A standard port is left out.
  private func address(_ scheme: String, _ path: String, standardPort: UInt16? = nil) -> String {
    "\(scheme)://\(ServerAddress.text(host, port == standardPort ? nil : port))/\(path)"
  }

  /// The sources and the groups.
  private func sources() throws(SinkError) -> [Listed] {
    let status = try SnapcastServer.status(host: host, port: port)
    let computer = name.map { " on \($0)" } ?? ""
    let sources = status.sources.map { source in
      let format = source.format.map { "\($0)" } ?? ""
      let address = address("snapcast", source.name, standardPort: SnapcastSource.standardPort)
      let details =
        source.takesSound ? "\(format), \(source.state)" : "of the kind \(source.kind): prosper needs tcp with a format"
      return Listed(
        text: "  \(address)  Snapcast source\(computer) (\(details))",
        json: [
          "name": address, "server": "Snapcast", "computer": name, "format": format, "state": source.state,
          "kind": source.kind, "usable": source.takesSound,
        ])
    }
    let groups = status.groups.map { group in
      let names = group.clients.map { client in (client.names.first ?? "?") + (client.isConnected ? "" : " (away)") }
      return Listed(
        text:
          "    group '\(status.distinctTitle(of: group))': \(names.joined(separator: ", ")); listens to \(group.source)",
        json: [
          "group": status.distinctTitle(of: group), "id": group.id, "server": "Snapcast", "clients": names,
          "listensTo": group.source,
        ])
    }
    return sources + groups
  }

  /// The mounts on which somebody plays now.
  private func mounts() throws(SinkError) -> [Listed] {
    let statistics = try IcecastStatistics.read(host: host, port: port, isEncrypted: kind == .encryptedIcecast)
    guard let statistics else {
      throw .refused(
        output: "the Icecast server at \(ServerAddress.text(host, port))",
        cause: "it publishes no statistics; check that it is Icecast, and its rights for status-json.xsl")
    }
    let scheme = kind == .encryptedIcecast ? "icecasts" : "icecast"
    if statistics.mounts.isEmpty {
      let place = address(scheme, "")
      return [
        Listed(
          text: "  \(place)  \(statistics.server) (no mounts are in use)",
          json: ["name": place, "server": statistics.server])
      ]
    }
    return statistics.mounts.map { mount in
      let name = address(scheme, String(mount.name.dropFirst()))
      return Listed(
        text: "  \(name)  \(mount.title) (\(mount.type), \(mount.listeners) listening)",
        json: [
          "name": name, "server": statistics.server, "title": mount.title, "format": mount.type,
          "listeners": mount.listeners,
        ])
    }
  }
}
