import Glibc
package import Signal

/// Records everything that a sink of a private server plays from the creation of this object on.
///
/// Use it on one thread at a time. It reads the recording only in `wait`; in between, up to ten seconds of sound are
/// buffered.
package final class Capture {
  package private(set) var frames: [Frame] = []
  /// The range from the first frame that is not silent to the last.
  private var sounding = 0..<0
  private var rest: [UInt8] = []
  private let recorder: ChildProcess
  /// Keeps the server alive as long as the capture.
  private let server: any SoundServer

  /// Starts the recording, and waits for its first frame: everything that is played after that is captured.
  ///
  /// - Parameter milliseconds: The latency that the recorder requests. A device that adapts to its clients buffers no
  ///   more than that.
  package init(
    of server: any SoundServer, sink: String? = nil, rate: Int = 48_000, milliseconds: Int = 20
  ) throws {
    self.server = server
    // Without the property PipeWire 0.3.65 moves even a capture of a named sink when the default sink changes.
    recorder = try ChildProcess(
      "parec",
      [
        "-d", "\(sink ?? server.sink).monitor", "--raw", "--format=float32le", "--rate=\(rate)", "--channels=2",
        "--latency-msec=\(milliseconds)", "--property=node.dont-reconnect=true",
      ], environment: server.environment, readsOutput: true)
    guard wait(until: { !$0.frames.isEmpty }) else {
      throw ChildFailure(program: "parec", code: ETIMEDOUT)
    }
  }

  /// Reads the recording until `condition` is true. Returns false if it does not become true within `seconds` or before
  /// the server exits.
  package func wait(seconds: Double = Hang.limit, until condition: (Capture) -> Bool) -> Bool {
    let clock = SuspendingClock()
    let deadline = clock.now + .seconds(seconds)
    while !condition(self) {
      let left = deadline - clock.now
      guard left > .zero, listen(for: left) else { return condition(self) }
    }
    return true
  }

  /// Reads the recording until the server exits, so that it contains everything that the server has played.
  package func waitForServerExit() { _ = wait { _ in false } }

  /// The frames from the first one that is not silent to the last.
  package var sound: ArraySlice<Frame> { frames[sounding] }

  /// The number of silent frames at the end.
  package var silenceAtEnd: Int { frames.count - sounding.upperBound }

  /// Waits until sound and then half a second of silence have been captured.
  package func waitForTheEnd(seconds: Double = Hang.limit) -> Bool {
    wait(seconds: seconds) { !$0.sound.isEmpty && $0.silenceAtEnd > 24_000 }
  }

  private func listen(for left: Duration) -> Bool {
    guard let output = recorder.output else { return false }
    var ask = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
    guard poll(&ask, 1, Int32(clamping: milliseconds + 1)) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &bytes, bytes.count)
    guard count > 0 else { return false }
    take(bytes[..<count])
    return true
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    rest += bytes
    let whole = rest.count / MemoryLayout<Frame>.size * MemoryLayout<Frame>.size
    rest.withUnsafeBytes { raw in
      for offset in stride(from: 0, to: whole, by: MemoryLayout<Frame>.size) {
        let frame = raw.loadUnaligned(fromByteOffset: offset, as: Frame.self)
        if frame != .silence {
          sounding = (sounding.isEmpty ? frames.count : sounding.lowerBound)..<frames.count + 1
        }
        frames.append(frame)
      }
    }
    rest.removeFirst(whole)
  }
}
