/// A source of a Snapcast server (0.26 or later), to which prosper sends its sound: `snapcast://HOST[:PORT]/SOURCE`. The
/// server plays it in step in all rooms of the groups that listen to the source.
public struct SnapcastSource: Hashable, Sendable, CustomStringConvertible {
  /// The port on which a server answers questions, unless it is configured otherwise.
  public static let standardPort: UInt16 = 1705

  /// The server's name or IP address.
  public var host: String
  /// The port on which the server answers questions by JSON-RPC over TCP. It tells the port for the sound.
  public var port: UInt16
  /// The name of a source of the kind `tcp`, as in `snapserver.conf`.
  public var source: String
  /// Groups that listen to the source while the session plays, and then to what they listened to before: the name or ID
  /// of the group, or the name of a client in it.
  public var groups: [String] = []

  /// Why a text is no address of a source: the end of a sentence.
  public struct Mistake: Error, Sendable { public var reason: String }

  /// - Parameter address: `snapcast://HOST[:PORT]/SOURCE`.
  public init(_ address: String) throws(Mistake) {
    do throws(ServerAddress.Mistake) {
      let parts = try ServerAddress(address, like: "snapcast://HOST/SOURCE")
      guard parts.scheme == "snapcast", parts.user == nil else {
        throw ServerAddress.Mistake(reason: "write it like snapcast://HOST/SOURCE")
      }
      (host, port, source) = (parts.host, parts.port ?? Self.standardPort, parts.path)
    } catch { throw Mistake(reason: error.reason) }
  }

  /// The address; the standard port is left out.
  public var description: String {
    "snapcast://\(ServerAddress.text(host, port == Self.standardPort ? nil : port))/\(source)"
  }
}
