import Foundation
import Glibc
import Signal
import TestSupport

/// Captures what live runs write to a FIFO with `prosper -o pipe:PATH --encoding f32`, even if they are killed.
final class FIFOCapture: Sendable {
  struct Refused: Error {}

  let path: String
  private let descriptor: Int32
  private let isOver = Flag()
  private let bytes: Background<[UInt8]>

  init(in scratch: Scratch) throws {
    path = scratch.path("fifo-\(UUID())")
    guard mkfifo(path, 0o600) == 0 else { throw Refused() }
    // The descriptor is also a writer, so the FIFO keeps its contents when another writer is killed.
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard 0 <= descriptor else { throw Refused() }
    self.descriptor = descriptor
    bytes = Background { [isOver] in Self.read(descriptor, until: isOver) }
  }

  deinit { close(descriptor) }

  /// All frames that were written. Call this after the last run has ended.
  func frames() async throws -> [Frame] {
    isOver.raise()
    let bytes = try await onOwnThread { [bytes] in try bytes.value() }
    return bytes.withUnsafeBytes { raw in
      (0..<raw.count / 8).map { raw.loadUnaligned(fromByteOffset: 8 * $0, as: Frame.self) }
    }
  }

  private static func read(_ descriptor: Int32, until isOver: Flag) -> [UInt8] {
    let (setPipeSize, roomy): (Int32, Int32) = (1031, 1 << 20)
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      // The player shrinks the FIFO and drops what does not fit, and on a busy machine this thread may be late.
      _ = fcntl(descriptor, setPipeSize, roomy)
      let isLast = isOver.isRaised
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if 0 < count {
        all += bytes[..<count]
      } else if isLast {
        return all
      } else {
        var reader = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&reader, 1, 10)
      }
    }
  }
}
