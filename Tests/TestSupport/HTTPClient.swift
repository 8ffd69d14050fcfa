import Foundation
import Glibc

/// What an HTTP server has answered.
package struct Answer: Sendable {
  package let status: Int
  package let head: String
  package let body: String

  /// Sends a request on a connection of its own, and reads until the server closes it. Waits.
  package init(
    of method: String, _ path: String, at port: UInt16, token: String? = nil, _ headers: [String: String] = [:],
    body: String? = nil
  ) throws {
    var headers = headers
    headers["Host"] = headers["Host"] ?? "127.0.0.1:\(port)"
    headers["Connection"] = "close"
    if let token { headers["Authorization"] = "Bearer \(token)" }
    if let body { headers["Content-Length"] = "\(body.utf8.count)" }
    let lines = headers.map { "\($0): \($1)\r\n" }.joined()
    let connection = try Connection(to: port)
    connection.send(Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body ?? "")".utf8))
    self.init(connection.rest())
  }

  init(_ bytes: [UInt8]) {
    let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
    head = parts[0]
    body = parts.dropFirst().joined(separator: "\r\n\r\n")
    status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  package func member(_ name: String) -> Any? {
    (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?[name]
  }
}

/// A TCP connection to this machine, which waits for at most half a minute.
package final class Connection: Sendable {
  let descriptor: Int32

  /// - Parameter source: the own address; the system's choice without one.
  package init(to port: UInt16, from source: String? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let isBound = source.map { Self.pass($0, 0) { bind(descriptor, $0, $1) } == 0 } ?? true
    guard isBound, Self.pass("127.0.0.1", port, { connect(descriptor, $0, $1) }) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED)
    }
  }

  private static func pass(
    _ host: String, _ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  deinit { close(descriptor) }

  /// Sends everything; returns false if the other side has closed the connection.
  @discardableResult package func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  /// What arrives next; empty at the end.
  package func next() -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &block, block.count, 0)
    return Array(block.prefix(max(0, count)))
  }

  package func rest() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let block = next()
      if block.isEmpty { return all }
      all += block
    }
  }

  /// What arrives until a text is in it.
  package func until(_ text: String) -> String {
    var all: [UInt8] = []
    while true {
      let block = next()
      all += block
      let shown = String(decoding: all, as: UTF8.self)
      if block.isEmpty || shown.contains(text) { return shown }
    }
  }
}
