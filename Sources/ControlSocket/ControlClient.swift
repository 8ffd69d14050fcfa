import Engine
import Foundation
import Glibc
package import Player

/// The client side of a control socket: sends lines to one player and reads its replies. Its methods block, and only
/// one thread may call them.
package final class ControlClient {
  private let descriptor: Int32
  private var splitter = LineSplitter(limit: LineSplitter.replyLimit)
  private var lines: [String] = []

  /// Connects to a player of the same user.
  ///
  /// - Parameter path: the path of the player's socket.
  package init(path: String) throws(ControlError) {
    descriptor = try LocalSocket.connected(to: path)
    guard LocalSocket.peer(of: descriptor) == getuid() else {
      throw .disconnected(cause: "it belongs to another user")
    }
  }

  deinit { close(descriptor) }

  /// Connects to the player with that name. Without a name, connects to the only player in the first folder that has
  /// any.
  package convenience init(
    player name: String?, in folders: [ControlFolder] = ControlFolder.all
  ) throws(ControlError) {
    try self.init(path: PlayerSearch(folders).socket(of: name))
  }

  /// Sends a line and returns the next line that arrives.
  ///
  /// - Parameter seconds: the timeout; nil to wait until the player answers or ends.
  package func ask(_ line: String, within seconds: Double? = nil) throws(ControlError) -> String {
    try send(line)
    guard let reply = try next(within: seconds) else { throw .disconnected(cause: "it has ended") }
    return reply
  }

  /// Sends a line with a line feed at its end. Blocks until the system has accepted all of it.
  package func send(_ line: String) throws(ControlError) {
    var bytes = Array(line.utf8) + [0x0A]
    while !bytes.isEmpty {
      let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      if count <= 0 { throw .disconnected(cause: String(cString: strerror(errno))) }
      bytes.removeFirst(count)
    }
  }

  /// The next line without its end; nil if the player has ended.
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

  /// The line with escapes for characters that a terminal could execute or hide. In JSON they mean the same.
  package static func escaped(_ line: String) -> String {
    guard line.unicodeScalars.contains(where: { 0x7F <= $0.value && $0.isUnprintable }) else { return line }
    return line.unicodeScalars.map { scalar in
      guard 0x7F <= scalar.value, scalar.isUnprintable else { return String(scalar) }
      return String(scalar).utf16.map { #"\u"# + String(0x1_0000 + Int($0), radix: 16).dropFirst() }.joined()
    }.joined()
  }

  /// Reads the bytes that have arrived.
  ///
  /// - Returns: false if the player has closed the connection.
  private func receive() throws(ControlError) -> Bool {
    var block = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &block, block.count, 0)
    if count < 0, errno == EINTR { return true }
    if count == 0 || count < 0 && errno == ECONNRESET { return false }
    guard 0 < count, let more = splitter.take(block[..<count]) else {
      throw .disconnected(cause: "its reply can't be read")
    }
    lines += more.map(Self.escaped)
    return true
  }
}

/// A player's reply to one line.
package struct ControlAnswer: Sendable, Decodable {
  /// An output that follows the leading one.
  package struct Follower: Decodable, Sendable {
    package var output: String
    /// `playing` or `lost`.
    package var state: String
    package var listeners: Int?
  }

  /// The title and artist from a sound file.
  package struct Tags: Sendable, Decodable {
    package var title: String?
    package var artist: String?
  }

  /// The track after the current one.
  package struct Next: Sendable, Decodable {
    package var track: String
    package var tags: Tags?
  }

  /// The state of the player.
  ///
  /// Times are in seconds; `progress` of a crossfade and `volume` are from 0 to 1; `index` counts tracks from 0. An
  /// absent value is unknown or does not apply.
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
    package var stages: [String]?
    package var track: String?
    package var index: Int?
    package var position: Double?
    package var trackDuration: Double?
    package var tags: Tags?
    package var next: Next?
    package var overlays: [String]?
    package var pausedOverlays: [String]?
    package var followers: [Follower]?
    package var volume: Double
    package var outputLost: Bool?
    package var underruns: Int?
    package var starved: Int?
    package var late: Int?
  }

  /// Whether the request was executed.
  package var ok: Bool
  /// The outcome of a command, such as `done` or `rejected`.
  package var outcome: String?
  /// Why the request failed.
  package var error: String?
  package var metrics: QueueMetrics?
  package var status: Status?

  /// Decodes one line. Unknown members are ignored, so that a newer player can be controlled.
  package init(_ line: String) throws(ControlError) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
    } catch {
      throw .disconnected(cause: "its reply can't be understood")
    }
  }
}

extension ControlClient {
  /// Seconds to wait for a reply. The queue may be busy with a slow load.
  package static let replyTimeout = 15.0

  /// The current metrics of the player's queue; an error if the player does not record them. Reading them is not counted
  /// as an operation and causes no event.
  package func metrics() throws(ControlError) -> QueueMetrics {
    let answer = try ControlAnswer(try ask(#"{"do":"status","metrics":true}"#, within: Self.replyTimeout))
    if let problem = answer.error { throw .refused(cause: problem) }
    guard let metrics = answer.metrics else {
      throw .refused(cause: "its metrics are not recorded; start it with metrics")
    }
    return metrics
  }

  /// Resets the counters of the player's queue.
  package func resetMetrics() throws(ControlError) {
    let answer = try ControlAnswer(try ask(#"{"do":"metrics","reset":true}"#, within: Self.replyTimeout))
    if let problem = answer.error { throw .refused(cause: problem) }
    guard answer.ok else { throw .disconnected(cause: "it did not reset its counters") }
  }

  /// Waits for `seconds`, or until the player ends. Lines that the player sends in the meantime are dropped.
  ///
  /// - Returns: false if the player has ended.
  package func isRunning(for seconds: Double) -> Bool {
    do throws(ControlError) {
      return try next(within: seconds) != nil
    } catch {
      if case .noAnswer = error { return true }
      return false
    }
  }
}
