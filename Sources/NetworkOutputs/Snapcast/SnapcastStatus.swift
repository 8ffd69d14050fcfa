import Markup

/// What a Snapcast server states about its sources and groups.
package struct SnapcastStatus: Sendable {
  /// A source, which the server calls a stream.
  package struct Source: Sendable {
    package var name: String
    /// How the server gets the sound: `tcp`, `pipe`, `process` and others.
    package var kind: String
    /// Whether the server waits for the sound to be sent, and does not get it itself.
    package var isServer: Bool
    /// The port for the sound; nil unless the kind is `tcp`.
    package var port: UInt16?
    /// Nil if the server states none that prosper can write.
    package var format: SampleFormat?
    /// Milliseconds of a chunk: the server takes sound in whole chunks only.
    package var chunk: Int
    /// `playing` or `idle`.
    package var state: String

    /// Whether prosper can send its sound there.
    package var takesSound: Bool { kind == "tcp" && isServer && port != nil && format != nil }
  }

  /// A group of clients, which all play the same source.
  package struct Group: Sendable {
    package var id: String
    /// Often empty.
    package var name: String
    package var source: String
    /// The names and IDs of its clients, and whether they are connected.
    package var clients: [(names: [String], isConnected: Bool)]

    /// What to call it.
    package var title: String { name.isEmpty ? clients.first?.names.first ?? id : name }

    /// Whether a person may mean this group by a name.
    func isCalled(_ text: String) -> Bool { ([id, name] + clients.flatMap(\.names)).contains(text) }
  }

  package var sources: [Source]
  package var groups: [Group]

  /// - Parameter answer: the result of `Server.GetStatus`.
  init(_ answer: Node) {
    let server = answer["server"]
    sources = (server?["streams"]?.elements ?? []).compactMap(Source.init)
    groups = (server?["groups"]?.elements ?? []).compactMap(Group.init)
  }

  /// What to call a group so that no other one is meant.
  package func distinctTitle(of group: Group) -> String {
    let names = [group.title] + group.clients.flatMap(\.names)
    return names.first { name in groups.count { $0.isCalled(name) } == 1 } ?? group.id
  }

  /// The number of connected clients that play a source.
  func listeners(to source: String) -> Int {
    groups.filter { $0.source == source }.reduce(0) { $0 + $1.clients.count(where: \.isConnected) }
  }
}

extension SnapcastStatus.Source {
  fileprivate init?(_ node: Node) {
    guard let name = node["id"]?.plainText else { return nil }
    self.name = name
    let (uri, query) = (node["uri"], node["uri"]?["query"])
    kind = uri?["scheme"]?.plainText ?? ""
    isServer = query?["mode"]?.plainText != "client"
    let host = uri?["host"]?.plainText ?? ""
    port = kind == "tcp" ? host.lastIndex(of: ":").flatMap { UInt16(host[host.index(after: $0)...]) } ?? 4_953 : nil
    format = query?["sampleformat"]?.plainText.flatMap(SampleFormat.init)
    chunk = (query?["chunk_ms"]?.plainText).flatMap { Int($0) }.map { min(max(1, $0), 1_000) } ?? 20
    state = node["status"]?.plainText ?? ""
  }
}

extension SnapcastStatus.Group {
  fileprivate init?(_ node: Node) {
    guard let id = node["id"]?.plainText else { return nil }
    self.id = id
    name = node["name"]?.plainText ?? ""
    source = node["stream_id"]?.plainText ?? ""
    clients = (node["clients"]?.elements ?? []).map { client in
      let texts = [client["config"]?["name"], client["host"]?["name"], client["id"]].map { $0?.plainText ?? "" }
      return (texts.filter { !$0.isEmpty }, client["connected"]?.plainText == "true")
    }
  }
}
