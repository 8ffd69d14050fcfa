import Foundation
import Glibc
import Synchronization

/// An HTTP server on this computer. A test determines its pages, and the faults of its responses.
package final class WebServer: Sendable {
  package struct Page: Sendable {
    package var body: [UInt8]
    package var etag: String?
    /// The faults of the next responses, one per response; later responses have none.
    package var faults: [Fault]
    /// Whether the server supports ranges.
    package var supportsRanges = true
    /// Additional header lines of a response with a body.
    package var fields: [String] = []
    /// Withholds the bytes of the body after the limit, however often they are requested.
    package var limit: TransferLimit?

    package init(_ body: [UInt8], etag: String? = nil, faults: [Fault] = [], limit: TransferLimit? = nil) {
      (self.body, self.etag, self.faults, self.limit) = (body, etag, faults, limit)
    }
  }

  package enum Fault: Sendable {
    /// The connection is closed after this many bytes of the body.
    case dropped(after: Int)
    /// Nothing is sent after this many bytes, and the connection stays open.
    case stalled(after: Int)
    case status(Int)
    case redirected(to: String)
    /// A body without a length and without an end.
    case endless
  }

  package struct Request: Sendable {
    package var path: String
    /// The header fields by lower-case name.
    package var fields: [String: String]
  }

  private struct State {
    var pages: [String: Page] = [:]
    var requests: [Request] = []
    var bodyBytes = 0
    var connections: Set<Int32> = []
    var isClosed = false
  }

  package let port: UInt16
  private let state = Mutex(State())
  private let listener: Int32

  /// - Parameters:
  ///   - port: The port of a closed server that this one replaces, or 0 for a port that the system chooses.
  ///   - pages: The pages that exist from the first request on, by path without a leading slash.
  package init(port: UInt16 = 0, pages: [String: Page] = [:]) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.port = try listen(on: listener, port)
    for (path, page) in pages { put(page, at: path) }
    Thread.detachNewThread { [self] in accept() }
  }

  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  package func put(_ page: Page, at path: String) { state.withLock { $0.pages["/" + path] = page } }

  /// All requests so far. They are copied, because ThreadSanitizer does not see the reference counts by which an array
  /// is shared, and reports a race.
  package var requests: [Request] { state.withLock { $0.requests.map(\.self) } }
  /// The number of bytes of bodies that were sent.
  package var bodyBytes: Int { state.withLock { $0.bodyBytes } }

  /// Accepts no more connections, and closes the open ones.
  package func close() {
    let connections = state.withLock { state in
      state.isClosed = true
      return state.connections
    }
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  private func accept() {
    defer { Glibc.close(listener) }
    while case let connection = Glibc.accept(listener, nil, nil), 0 <= connection {
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      let isClosed = state.withLock { state in
        state.connections.insert(connection)
        return state.isClosed
      }
      if isClosed { shutdown(connection, Int32(SHUT_RDWR)) }
      Thread.detachNewThread { [self] in
        serve(connection)
        // A child process that was started meanwhile may have inherited the socket, so closing it is not enough.
        shutdown(connection, Int32(SHUT_RDWR))
        state.withLock { _ = $0.connections.remove(connection) }
        Glibc.close(connection)
      }
    }
  }

  private func serve(_ connection: Int32) {
    guard let request = Request(readFrom: connection) else { return }
    let (page, fault) = state.withLock { state -> (Page?, Fault?) in
      state.requests.append(request)
      let faults = state.pages[request.path]?.faults ?? []
      if !faults.isEmpty { state.pages[request.path]?.faults.removeFirst() }
      return (state.pages[request.path], faults.first)
    }
    guard let page else { return answer(connection, 404, [], Array("nothing here".utf8)[...]) }
    switch fault {
    case .status(let status): answer(connection, status, [], Array("no".utf8)[...])
    case .redirected(let place): answer(connection, 302, ["Location: \(place)"], Array("elsewhere".utf8)[...])
    case .endless: answerEndlessly(connection, page)
    case .dropped(let count): answer(connection, page, request, upTo: count)
    case .stalled(let count):
      answer(connection, page, request, upTo: count)
      _ = receive(connection)
    case nil: answer(connection, page, request, upTo: .max)
    }
  }

  private func answer(_ connection: Int32, _ page: Page, _ request: Request, upTo count: Int) {
    let tag = (page.etag.map { ["ETag: \($0)"] } ?? []) + page.fields
    if let etag = page.etag, request.fields["if-none-match"] == etag { return answer(connection, 304, tag, []) }
    let isSame = request.fields["if-range"].map { $0 == page.etag } ?? true
    let range = page.supportsRanges && isSame ? request.fields["range"] : nil
    guard let start = range.flatMap({ Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) }) else {
      return answer(connection, 200, tag, page.body[...], upTo: count, through: page.limit)
    }
    guard start < page.body.count else { return answer(connection, 416, tag, []) }
    let fields = tag + ["Content-Range: bytes \(start)-\(page.body.count - 1)/\(page.body.count)"]
    answer(connection, 206, fields, page.body[start...], upTo: count, through: page.limit)
  }

  private func answerEndlessly(_ connection: Int32, _ page: Page) {
    guard send(connection, Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8)) else { return }
    while send(connection, page.body) {}
  }

  private func answer(
    _ connection: Int32, _ status: Int, _ fields: [String], _ body: ArraySlice<UInt8>, upTo count: Int = .max,
    through limit: TransferLimit? = nil
  ) {
    let lines = ["HTTP/1.1 \(status) Said", "Content-Length: \(body.count)", "Connection: close"] + fields
    guard send(connection, Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)) else { return }
    var rest = body.prefix(count)
    while !rest.isEmpty {
      let piece = rest[..<min(rest.endIndex, limit?.wait(at: rest.startIndex) ?? .max)]
      if status < 300 { state.withLock { $0.bodyBytes += piece.count } }
      guard send(connection, Array(piece)) else { return }
      rest = rest[piece.endIndex...]
    }
  }
}

extension WebServer.Request {
  fileprivate init?(readFrom connection: Int32) {
    var text: [UInt8] = []
    while text.suffix(4) != [13, 10, 13, 10] {
      guard let byte = receive(connection), text.count < 65_536 else { return nil }
      text.append(byte)
    }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\r\n")
    guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
    path = String(words[1])
    fields = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst().drop { $0 == " " })
    }
  }
}

/// Reads the next byte; nil if the connection has ended.
private func receive(_ connection: Int32) -> UInt8? {
  var byte: UInt8 = 0
  return recv(connection, &byte, 1, 0) == 1 ? byte : nil
}

private func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard 0 < count else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// - Returns: The port, which the system has chosen if it was 0.
private func listen(on listener: Int32, _ port: UInt16) throws -> UInt16 {
  // The system keeps closed connections of an earlier server on this port for a minute.
  var yes: Int32 = 1
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) { address in
    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, size) == 0 && Glibc.listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
    }
  }
  guard code else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  return UInt16(bigEndian: address.sin_port)
}
