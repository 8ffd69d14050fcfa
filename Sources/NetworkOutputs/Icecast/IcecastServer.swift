import AudioFiles
package import Encoding
package import Engine
import Markup
import Signal

/// Sends the sound to a mount of an Icecast server.
package final class IcecastServer: NetworkServer {
  /// What listeners are told of the session.
  package struct Description: Sendable {
    package var title: String
    package var description: String?
    package var genre: String?
    package var artist: String?

    package init(title: String, description: String?, genre: String?, artist: String?) {
      (self.title, self.description, self.genre, self.artist) = (title, description, genre, artist)
    }
  }

  let mount: IcecastMount
  var name: String { mount.description }
  let password: String
  let compression: Compression?
  let about: Description

  private init(_ mount: IcecastMount, _ password: String, _ compression: Compression?, _ about: Description) {
    (self.mount, self.password, self.compression, self.about) = (mount, password, compression, about)
  }

  /// The sink that sends to a mount.
  ///
  /// - Parameter compression: nil for the format's default.
  package static func sink(
    to mount: IcecastMount, password: String, _ compression: Compression?, about: Description,
    waiting patience: Double, report: @escaping @Sendable (OutputEvent) -> Void
  ) -> NetworkSink {
    NetworkSink(IcecastServer(mount, password, compression, about), waiting: patience, report: report)
  }

  func connect(at rate: SampleRate) throws(SinkError) -> sending any NetworkConnection {
    do throws(ShoutStream.Failure) {
      return IcecastConnection(try ShoutStream(to: self), of: self, at: rate)
    } catch {
      switch error {
      case .refused:
        // The server says the same if another source has the mount.
        let isTaken =
          (try? IcecastStatistics.read(of: mount))?.mounts.contains { $0.name == "/" + mount.mount } ?? false
        if isTaken { throw .unreachable(output: "\(mount)", cause: "another source plays on it; end that one") }
        throw .refused(
          output: "\(mount)",
          cause: "the server refuses the user '\(mount.user)' with this password, or has no room for another source; "
            + "check them in its icecast.xml")
      case .unusable(let cause): throw .refused(output: "\(mount)", cause: cause)
      case .unreachable(let cause): throw .unreachable(output: "\(mount)", cause: cause)
      }
    }
  }

  func listeners() throws(SinkError) -> Int? {
    try IcecastStatistics.read(of: mount)?.mounts.first { $0.name == "/" + mount.mount }?.listeners
  }

  /// An encoder for the sound that follows.
  func makeEncoder(at rate: SampleRate, title: String? = nil) throws(SinkError) -> StreamEncoder {
    var tags = FileTags(title: title ?? about.title)
    tags.album = about.title
    tags.artist = about.artist
    return try StreamEncoder("\(mount)", compression, tags: tags, at: rate)
  }

  /// Checks that the format has the compression.
  func check(at rate: SampleRate) throws(SinkError) { _ = try makeEncoder(at: rate) }
}

/// What an Icecast server publishes about its mounts.
package struct IcecastStatistics: Sendable {
  package struct Mount: Sendable {
    /// With the first slash.
    package var name: String
    package var title: String
    package var type: String
    package var listeners: Int
  }

  package var server: String
  package var mounts: [Mount]

  /// Asks the server of a mount. Takes a few seconds at most.
  ///
  /// - Returns: nil if it keeps them for itself.
  /// - Throws: `unreachable` if it does not answer.
  static func read(of mount: IcecastMount) throws(SinkError) -> IcecastStatistics? {
    try read(host: mount.host, port: mount.port, isEncrypted: mount.isEncrypted)
  }

  /// Asks a server by its host and port.
  package static func read(
    host: String, port: UInt16, isEncrypted: Bool = false
  ) throws(SinkError) -> IcecastStatistics? {
    let server = ServerAddress.text(host, port)
    let answer: String?
    do throws(RemoteText.NoAnswer) {
      answer = try RemoteText.read("\(isEncrypted ? "https" : "http")://\(server)/status-json.xsl", within: 3)
    } catch { throw .unreachable(output: "the Icecast server at \(server)", cause: error.cause) }
    guard let answer, let node = try? JSONReader.read(answer, file: "the statistics", isForeign: true),
      let stats = node["icestats"]
    else { return nil }
    // With one mount it is an object, with several a list.
    let source = stats["source"]
    let sources = source.map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
    return IcecastStatistics(
      server: stats["server_id"]?.plainText ?? "Icecast",
      mounts: sources.compactMap { source in
        guard let url = source["listenurl"]?.plainText, let mark = url.firstRange(of: "://") else { return nil }
        let name = url[mark.upperBound...].drop { $0 != "/" }
        return Mount(
          name: String(name), title: source["server_name"]?.plainText ?? "",
          type: source["server_type"]?.plainText ?? "",
          listeners: (source["listeners"]?.plainText).flatMap { Int($0) } ?? 0)
      })
  }
}
