/// A mount of an Icecast server, to which prosper sends its sound: `icecast://[USER@]HOST[:PORT]/MOUNT.ogg`.
public struct IcecastMount: Hashable, Sendable, CustomStringConvertible {
  /// The port of a server, unless it is configured otherwise.
  public static let standardPort: UInt16 = 8000

  /// What the extension of the mount chooses.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Ogg Vorbis.
    case vorbis = "ogg"
    /// Ogg Opus.
    case opus
    /// MP3.
    case mp3
    /// Ogg FLAC, with 16 bits.
    case flac
  }

  /// The server's name or IP address.
  public var host: String
  /// The port of the server.
  public var port: UInt16
  /// Whether the connection is encrypted, and the server's certificate is checked: `icecasts://`.
  public var isEncrypted: Bool
  /// Who logs in.
  public var user: String
  /// The mount point without the first slash.
  public var mount: String
  /// The format of the stream.
  public var format: Format

  /// Why a text is no address of a mount: the end of a sentence.
  public struct Mistake: Error, Sendable { public var reason: String }

  /// - Parameter address: `icecast://[USER@]HOST[:PORT]/MOUNT` or, with TLS, `icecasts://`. The mount ends in `.ogg`,
  ///   `.opus`, `.mp3` or `.flac`. Without a user, it is `source`.
  public init(_ address: String) throws(Mistake) {
    do throws(ServerAddress.Mistake) {
      let form = "icecast://source@HOST:8000/NAME.opus"
      let parts = try ServerAddress(address, like: form)
      guard ["icecast", "icecasts"].contains(parts.scheme) else {
        throw ServerAddress.Mistake(reason: "write it like \(form)")
      }
      let names = parts.path.split(separator: "/", omittingEmptySubsequences: false)
      if names.contains(where: \.isEmpty) || names.last?.first == "." {
        throw ServerAddress.Mistake(reason: "write it like \(form)")
      }
      if parts.user?.contains(":") ?? false {
        throw ServerAddress.Mistake(reason: "a user's name has no colon; give the password in a file")
      }
      let suffix = parts.path.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() } ?? ""
      guard parts.path.contains("."), let format = Format(rawValue: suffix == "oga" ? "ogg" : suffix) else {
        throw ServerAddress.Mistake(reason: "its name must end in .ogg, .opus, .mp3 or .flac")
      }
      (host, port, isEncrypted) = (parts.host, parts.port ?? Self.standardPort, parts.scheme == "icecasts")
      (user, mount, self.format) = (parts.user ?? "source", parts.path, format)
    } catch { throw Mistake(reason: error.reason) }
  }

  /// The address without the user; the standard port is left out.
  public var description: String {
    let server = ServerAddress.text(host, port == Self.standardPort ? nil : port)
    return "\(isEncrypted ? "icecasts" : "icecast")://\(server)/\(mount)"
  }
}
