package import MessageBus

/// The user's keyring (GNOME Keyring, KWallet, KeePassXC), which other programs fill, such as `secret-tool`. Speaks the
/// Secret Service interface of freedesktop.org. Used by one thread.
package struct Keyring {
  /// Why a keyring gives no password.
  package enum Failure: Error, Hashable, Sendable {
    /// No program keeps passwords, or it does not answer.
    case unavailable
    case unknown
    /// The user must unlock the keyring first.
    case locked
  }

  private typealias Path = String

  private static let name = "org.freedesktop.secrets"
  private static let patience = 5.0

  private let bus: BusConnection
  /// What the keyring sends passwords in. It is not encrypted: the bus is the user's own.
  private let session: Path

  package init(on target: BusConnection.Target = .session) throws(Failure) {
    guard let bus = BusConnection(to: target) else { throw .unavailable }
    self.bus = bus
    let reply = bus.ask(
      Self.service("OpenSession"), [.string("plain"), .variant(.string(""))], within: Self.patience)
    guard case .values(let values) = reply, values.count == 2, case .path(let session) = values[1] else {
      throw .unavailable
    }
    self.session = session
  }

  /// The password for a mount: the item with the attributes `protocol` (icecast), `server`, `user` and perhaps `port`.
  package func password(for mount: IcecastMount) throws(Failure) -> String {
    var attributes = ["protocol": "icecast", "server": mount.host, "user": mount.user]
    let general = attributes
    attributes["port"] = "\(mount.port)"
    do { return try password(with: attributes) } catch .unknown { return try password(with: general) }
  }

  private func password(with attributes: [String: String]) throws(Failure) -> String {
    guard case .values(let found) = bus.ask(Self.service("SearchItems"), [.texts(attributes)], within: Self.patience),
      found.count == 2, case .array(_, let open) = found[0], case .array(_, let locked) = found[1]
    else { throw .unavailable }
    guard case .path(let item)? = open.first else { throw locked.isEmpty ? .unknown : .locked }
    let secret = BusMember("GetSecret", of: "org.freedesktop.Secret.Item", at: item, in: Self.name)
    guard case .structure(let fields)? = bus.ask(secret, [.path(session)], within: Self.patience).first,
      fields.count == 4, case .bytes(let bytes) = fields[2]
    else { throw .unavailable }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func service(_ method: String) -> BusMember {
    BusMember(method, of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", in: name)
  }
}
