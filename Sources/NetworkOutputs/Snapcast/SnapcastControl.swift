import Engine
import Markup
import Player

/// The questions to a Snapcast server and its answers: JSON-RPC 2.0 over TCP, one object per line.
final class SnapcastControl {
  /// Seconds that the server may take to answer.
  private let patience: Double
  private let connection: TCPConnection
  private var number = 0
  private static let advice =
    "check the server, and that the port is that of [tcp] in its snapserver.conf, usually 1705"

  init(host: String, port: UInt16, within seconds: Double = 2) throws(TCPConnection.Failure) {
    patience = seconds
    connection = try TCPConnection(to: host, port, within: seconds)
  }

  /// Calls a method, and waits for its result. Notifications that arrive before are dropped.
  func call(_ method: String, _ parameters: JSONLine = [:]) throws(TCPConnection.Failure) -> Node {
    number += 1
    let request: JSONLine = ["id": number, "jsonrpc": "2.0", "method": method, "params": parameters]
    try connection.send("\(request)\r\n", within: patience)
    let deadline = SuspendingClock().now + .seconds(patience)
    while true {
      let answer: Node
      let line: String
      do throws(TCPConnection.Failure) { line = try connection.line(by: deadline) } catch {
        throw TCPConnection.Failure(cause: "\(error.cause); \(Self.advice)")
      }
      do throws(Diagnostic) { answer = try JSONReader.read(line, file: "the answer", isForeign: true) } catch {
        throw TCPConnection.Failure(cause: "it does not speak JSON-RPC; \(Self.advice)")
      }
      guard answer["id"]?.plainText == "\(number)" else { continue }
      if let error = answer["error"] {
        throw TCPConnection.Failure(cause: "it refuses: \(shown(error["message"]?.plainText ?? "without a reason"))")
      }
      return answer["result"] ?? .map([])
    }
  }
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
