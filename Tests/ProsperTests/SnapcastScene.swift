import Foundation
import Glibc
import Signal
import Synchronization
import TestSupport

/// A private snapserver with the TCP source `hall`, and a pipe source `other`.
final class SnapcastScene: Sendable {
  let folder: Scratch
  private let (control, stream, source): (UInt16, UInt16, UInt16)
  private let server = Mutex<ChildProcess?>(nil)

  private let environment: [String: String]

  /// - Parameters:
  ///   - starts: whether the server runs at once.
  ///   - environment: further variables of the server.
  init(format: String = "48000:16:2", starts: Bool = true, environment: [String: String] = [:]) throws {
    self.environment = environment
    folder = try Scratch()
    let ports = FreePort.some(3)
    (control, stream, source) = (ports[0], ports[1], ports[2])
    if starts { try start(format: format) }
  }

  /// The address of a source.
  func address(_ name: String = "hall") -> String { "snapcast://127.0.0.1:\(control)/\(name)" }

  func start(format: String = "48000:16:2") throws {
    let configuration = try folder.write(
      "snapserver.conf",
      """
      [server]
      datadir = \(folder.path(""))
      [http]
      enabled = false
      [tcp]
      enabled = true
      bind_to_address = 127.0.0.1
      port = \(control)
      [stream]
      bind_to_address = 127.0.0.1
      port = \(stream)
      source = tcp://127.0.0.1:\(source)?name=hall&mode=server&codec=pcm&sampleformat=\(format)
      source = pipe://\(folder.path("other"))?name=other&mode=create&codec=pcm&sampleformat=48000:16:2
      [logging]
      """)
    let process = try ChildProcess(
      "snapserver", ["-c", configuration], environment: ["HOME": folder.path("")].merging(environment) { $1 },
      readsOutput: false)
    server.withLock { $0 = process }
    let isThere = eventually { FreePort.answers(control) && FreePort.answers(stream) }
    guard isThere else { throw SceneFailure("snapserver does not answer") }
  }

  func kill() { server.withLock { $0 = nil } }
  func stall() { server.withLock { $0?.send(SIGSTOP) } }
  func resume() { server.withLock { $0?.send(SIGCONT) } }

  /// A client that writes what it plays to a pipe.
  func room(_ name: String) throws -> Room { try Room(name, of: stream, in: folder) }

  /// Asks the server by JSON-RPC.
  func ask(_ method: String, _ parameters: String = "{}") throws -> [String: Any] {
    let script = """
      import json, socket, sys
      s = socket.create_connection(("127.0.0.1", \(control)), 5)
      s.sendall(b'{"id":1,"jsonrpc":"2.0","method":"\(method)","params":\(parameters)}\\r\\n')
      for line in s.makefile():
        if json.loads(line).get("id") == 1:
          print(line); break
      """
    let answer = try output(of: "python3", ["-c", script], environment: [:])
    let object = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
    return object?["result"] as? [String: Any] ?? [:]
  }

  /// The groups with their sources, by the names of their clients.
  func groups() throws -> [String: (id: String, source: String)] {
    let server = try ask("Server.GetStatus")["server"] as? [String: Any]
    var found: [String: (String, String)] = [:]
    for group in server?["groups"] as? [[String: Any]] ?? [] {
      for client in group["clients"] as? [[String: Any]] ?? [] {
        found[client["id"] as? String ?? ""] = (group["id"] as? String ?? "", group["stream_id"] as? String ?? "")
      }
    }
    return found
  }
}

/// Why a scene can't be set up.
struct SceneFailure: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}

/// A Snapcast client, and what it plays: it gives the frames for each moment at that moment.
final class Room: Sendable {
  private let client: ChildProcess
  private let tape = Tape()

  fileprivate init(_ name: String, of port: UInt16, in folder: Scratch) throws {
    let pipe = folder.path("room-\(name)")
    guard mkfifo(pipe, 0o600) == 0 else { throw SceneFailure("there is no FIFO") }
    let descriptor = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    client = try ChildProcess(
      "snapclient",
      [
        "-h", "127.0.0.1", "-p", "\(port)", "--hostID", name, "--player", "file:filename=\(pipe)", "--sampleformat",
        "48000:16:*",
      ], environment: ["HOME": folder.path("")], readsOutput: false)
    Thread.detachNewThread { [tape] in tape.record(descriptor) }
  }

  deinit { tape.stop() }

  /// Seconds at which the first of these frames was written, measured from the blocks that they came in.
  func time(of frames: Range<Int>) -> Double { tape.time(of: 4 * frames.lowerBound..<4 * frames.upperBound) }

  /// Stereo frames of 16 bits, each as one number.
  var frames: [UInt32] { tape.look(\.frames16) }

  /// Waits until the room has played at least a second of sound from now on.
  func waitForSound() -> Bool {
    let count = tape.look(\.count)
    return eventually(within: 30) { tape.look { bytes in 96_000 < bytes[count...].count { $0 != 0 } } }
  }
}

/// Bytes that come from a pipe in real time.
private final class Tape: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    /// The first byte of each block, and the seconds at which it came.
    var blocks: [(byte: Int, time: Double)] = []
    var isOver = false
  }

  private let state = Mutex(State())
  private let start = SuspendingClock().now

  func look<Value: Sendable>(_ body: ([UInt8]) -> Value) -> Value { state.withLock { body($0.bytes) } }

  /// A client writes blocks of 50 ms. The machine can delay a block, but none comes early, so the earliest block gives the
  /// time of the first byte. A piece that begins within a block is ignored, because it was written with that block's
  /// beginning.
  func time(of bytes: Range<Int>) -> Double {
    let blocks = state.withLock { state in
      state.blocks.filter { bytes.contains($0.byte) && $0.byte.isMultiple(of: 9600) }
    }
    return blocks.map { $0.time - Double($0.byte - bytes.lowerBound) / 192_000 }.min() ?? .infinity
  }

  func stop() { state.withLock { $0.isOver = true } }

  /// Reads until `stop`, and closes the pipe.
  func record(_ descriptor: Int32) {
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !state.withLock({ $0.isOver }) {
      var ask = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard 0 < poll(&ask, 1, 50) else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      guard 0 < count else { continue }
      let passed = (SuspendingClock().now - start) / .seconds(1)
      state.withLock { state in
        // A client writes a block at the moment for which it is.
        state.blocks.append((state.bytes.count, passed))
        state.bytes += buffer[..<count]
      }
    }
  }
}

extension Array where Element == UInt8 {
  /// Interleaved stereo samples of 16 bits: each frame as one number, which is fast to compare.
  var frames16: [UInt32] {
    withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)) }
    }
  }
}
