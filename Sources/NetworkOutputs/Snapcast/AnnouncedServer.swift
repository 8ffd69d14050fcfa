package import MessageBus

/// A Snapcast server that announces itself on the local network (mDNS), as Avahi knows it.
package struct AnnouncedServer: Hashable, Sendable {
  /// The name of its computer, such as `hall.local`.
  package var name: String
  /// Its IPv4 address; 127.0.0.1 if it is this computer.
  package var address: String
  /// The port on which it answers questions by JSON-RPC over TCP.
  package var port: UInt16
}

extension AnnouncedServer {
  private static let avahi = "org.freedesktop.Avahi"
  /// The service by which a server announces its JSON-RPC port.
  private static let service = "_snapcast-tcp._tcp"

  /// The servers that answer within a while; none without Avahi.
  ///
  /// - Parameter seconds: how long to listen. Servers that are there are known after about a second.
  package static func find(on target: BusConnection.Target = .system, within seconds: Double) -> [AnnouncedServer] {
    guard let bus = BusConnection(to: target) else { return [] }
    var (items, isComplete): ([[BusValue]], Bool) = ([], false)
    // The browser is started once its signals are subscribed to, so that none is missed.
    let prepare = BusMember("ServiceBrowserPrepare", of: avahi + ".Server2", at: "/", in: avahi)
    let reply = bus.ask(prepare, anywhere + [.string(service), .string("local"), .uint32(0)], within: seconds)
    guard case .path(let path)? = reply.first else { return [] }
    func member(_ name: String) -> BusMember { BusMember(name, of: avahi + ".ServiceBrowser", at: path, in: avahi) }
    let subscriptions = [
      BusSubscription(to: member("ItemNew"), on: bus) { items.append($0.values ?? []) },
      BusSubscription(to: member("AllForNow"), on: bus) { _ in isComplete = true },
    ]
    withExtendedLifetime(subscriptions) {
      _ = bus.ask(member("Start"), [], within: seconds)
      bus.process(within: seconds) { isComplete }
    }
    var found: [AnnouncedServer] = []
    for server in items.compactMap({ resolve($0, on: bus, within: seconds) }) where !found.contains(server) {
      found.append(server)
    }
    return found
  }

  /// All network interfaces, IPv4: a Snapcast server listens there, and an IPv6 address would need its interface.
  private static let anywhere: [BusValue] = [.int32(-1), .int32(0)]

  /// - Parameter item: interface, protocol, name, type, domain and flags.
  private static func resolve(
    _ item: [BusValue], on bus: BusConnection, within seconds: Double
  ) -> AnnouncedServer? {
    guard item.count == 6 else { return nil }
    let reply = bus.ask(
      BusMember("ResolveService", of: avahi + ".Server", at: "/", in: avahi),
      item[..<5] + [.int32(0), .uint32(0)], within: seconds)
    // Interface, protocol, name, type, domain, host, protocol, address, port, text and flags.
    guard case .values(let values) = reply, values.count == 11, case .string(let host) = values[5],
      case .string(let address) = values[7], case .uint16(let port) = values[8], case .uint32(let flags) = values[10]
    else { return nil }
    return AnnouncedServer(name: host, address: flags & isLocal != 0 ? "127.0.0.1" : address, port: port)
  }

  /// Set by Avahi if this computer announces the service.
  private static let isLocal: UInt32 = 8
}
