import Foundation
import Glibc
package import Player

/// Talks to one player through its control socket; for a thread that may wait.
package final class ControlClient {
  private let descriptor: Int32
  private var splitter = LineSplitter()
  private var lines: [String] = []

  /// - Parameter path: of the player's socket.
  package init(path: String) throws(ControlError) {
    descriptor = try LocalSocket.connected(to: path)
    guard LocalSocket.peer(of: descriptor) == getuid() else {
      throw .disconnected(cause: "it belongs to another user")
    }
  }

  deinit { close(descriptor) }

  /// The one player that is meant: the one of that name, or else the only one in the first folder that has any.
  package convenience init(
    player name: String?, in folders: [ControlFolder] = ControlFolder.all
  ) throws(ControlError) {
    try self.init(path: PlayerSearch(folders).socket(of: name))
  }

  /// Sends a line and returns the next one that comes.
  ///
  /// - Parameter seconds: to wait at most; nil waits as long as the player lives.
  package func ask(_ line: String, within seconds: Double? = nil) throws(ControlError) -> String {
    try send(line)
    guard let reply = try next(within: seconds) else { throw .disconnected(cause: "it has ended") }
    return reply
  }

  package func send(_ line: String) throws(ControlError) {
    var bytes = Array(line.utf8) + [0x0A]
    while !bytes.isEmpty {
      let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      if count <= 0 { throw .disconnected(cause: String(cString: strerror(errno))) }
      bytes.removeFirst(count)
    }
  }

  /// The next line; nil when the player has ended.
  package func next(within seconds: Double? = nil) throws(ControlError) -> String? {
    while lines.isEmpty {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&polled, 1, seconds.map { Int32($0 * 1_000) } ?? -1)
      if ready < 0, errno == EINTR { continue }
      if ready == 0 { throw .noAnswer(seconds: seconds ?? 0) }
      guard try receive() else { return nil }
    }
    return lines.removeFirst()
  }

  private func receive() throws(ControlError) -> Bool {
    var block = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &block, block.count, 0)
    if count < 0, errno == EINTR { return true }
    if count == 0 || count < 0 && errno == ECONNRESET { return false }
    guard 0 < count, let more = splitter.take(block[..<count]) else {
      throw .disconnected(cause: "what it says can't be read")
    }
    lines += more
    return true
  }
}

/// A player's answer to one line.
package struct ControlAnswer: Sendable, Decodable {
  /// What a sound's source says of itself.
  package struct Tags: Sendable, Decodable {
    package var title: String?
    package var artist: String?
  }

  /// The track that comes next.
  package struct Next: Sendable, Decodable {
    package var track: String
    package var tags: Tags?
  }

  package struct Status: Sendable, Decodable {
    package var title: String
    package var state: String
    package var run: Double
    package var session: Double
    package var duration: Double?
    package var planned: Double?
    package var plannedDuration: Double?
    package var music: String?
    package var progress: Double?
    package var stage: String?
    package var track: String?
    package var index: Int?
    package var position: Double?
    package var trackDuration: Double?
    package var tags: Tags?
    package var next: Next?
    package var overlays: [String]?
    package var pausedOverlays: [String]?
    package var volume: Double
    package var outputLost: Bool?
    package var underruns: Int?
    package var starved: Int?
    package var late: Int?
  }

  package var ok: Bool
  package var outcome: String?
  package var error: String?
  package var metrics: QueueMetrics?
  package var status: Status?

  package init(_ line: String) throws(ControlError) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
    } catch {
      throw .disconnected(cause: "what it says can't be understood")
    }
  }
}
