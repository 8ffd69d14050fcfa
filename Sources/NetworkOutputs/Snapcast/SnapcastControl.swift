import Engine
import Markup
import Player

/// The questions to a Snapcast server and its answers: JSON-RPC 2.0 over TCP, one object per line.
final class SnapcastControl {
  /// Seconds that the server may take to answer.
  private static let patience = 2.0

  private let connection: TCPConnection
  private var number = 0

  init(host: String, port: UInt16) throws(TCPConnection.Failure) {
    connection = try TCPConnection(to: host, port, within: Self.patience)
  }

  /// Calls a method, and waits for its result. Notifications that arrive before are dropped.
  func call(_ method: String, _ parameters: JSONLine = [:]) throws(TCPConnection.Failure) -> Node {
    number += 1
    let request: JSONLine = ["id": number, "jsonrpc": "2.0", "method": method, "params": parameters]
    try connection.send("\(request)\r\n", within: Self.patience)
    for _ in 0..<Self.most {
      let line = try connection.line(within: Self.patience)
      let answer: Node
      do throws(Diagnostic) { answer = try JSONReader.read(line, file: "the answer") } catch {
        throw TCPConnection.Failure(cause: "it does not speak JSON-RPC")
      }
      guard answer["id"]?.plainText == "\(number)" else { continue }
      if let error = answer["error"] {
        throw TCPConnection.Failure(cause: "it refuses: \(shown(error["message"]?.plainText ?? "without a reason"))")
      }
      return answer["result"] ?? .map([])
    }
    throw TCPConnection.Failure(cause: "it does not answer")
  }

  /// Notifications that may come before an answer.
  private static let most = 1_000
}

extension Node {
  /// The value of a key; nil if this is no map with that key.
  subscript(key: String) -> Node? {
    guard case .map(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// The values of a list; none if it is none.
  var elements: [Node] { if case .list(let nodes) = content { nodes } else { [] } }
}
