import Foundation
import Player
import Signal
import Synchronization
import TestSupport
import Testing

@testable import prosper

/// Readers that have stopped reading do not delay a signal.
@Suite struct StalledReaderTests {
  static let outputs: [(output: String, stalls: String)] = [
    ("-", "sound"), ("null:fast", "events"), ("a.wav", "events"), ("null", "events"),
  ]

  @Test(arguments: outputs)
  func `a signal ends the program even if nobody reads its output`(output: String, stalls: String) async throws {
    try await best(where: { $0 < .seconds(2) }) {
      let (status, took) = try await interrupt(output: output, redirecting: stalls)
      #expect(status == 130)
      return took
    }
  }

  @Test func `events that a stalled reader leaves unprinted at the end are counted as dropped`() async throws {
    try await onOwnThread {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let printer = try EventPrinter(format: .jsonLines(.full), descriptor: ends[1], waits: false, status: nil)
      for _ in 0..<2_000 { printer.print(StampedEvent(run: 0, session: 0, event: .gong(title: "bell"))) }
      printer.close()
      let dropped = printer.dropped
      // What the pipe holds now; the printer continues as soon as there is room.
      var bytes = [UInt8](repeating: 0, count: Int(fcntl(ends[0], 1_032)))
      let count = read(ends[0], &bytes, bytes.count)
      let printed = bytes.prefix(max(0, count)).count { $0 == UInt8(ascii: "\n") }
      // The pipe stays open, because the printer's thread writes on.
      #expect(0 < printed && 0 < dropped && printed + dropped == 2_000)
    }
  }

  @Test func `a non-blocking output that is full is waited for`() async throws {
    try await onOwnThread {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
      let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
      let reading = Background { [end = ends[0]] in
        var (received, block) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while case let count = read(end, &block, block.count), 0 < count { received += block[..<count] }
        return received
      }
      let failure = writeAll(bytes, to: ends[1])
      close(ends[1])
      let received = try reading.value()
      #expect(received == bytes && failure == nil)
      close(ends[0])
    }
  }

  /// Plays a session with a hundred events a second into a full pipe, sends it a signal, and returns its status and how
  /// long it took to end.
  private func interrupt(output: String, redirecting stalls: String) async throws -> (Int32, Duration) {
    let scratch = try Scratch()
    let session = try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Much to tell
      stages:
        - name: A
          duration: 8m
          gongs: [{sound: {generate: wood, end: 15ms}, every: 10ms}]
      """)
    let pipe = scratch.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // Open for reading and writing, so that neither end waits for the other.
    let descriptor = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(descriptor) }
    fill(descriptor, leaving: 4_096)
    let sent = Mutex(ContinuousClock.now)
    let run = try await Prosper.run(
      [Prosper.executable.path, "play", session, "-o", output == "a.wav" ? scratch.path(output) : output], in: scratch,
      program: ["/bin/sh", "-c", "exec \"$0\" \"$@\" > \(pipe)"]
    ) { running in
      _ = eventually { isFull(descriptor) }
      sent.withLock { $0 = ContinuousClock.now }
      running.send(SIGINT)
      // A program that does not end would block the test.
      if !eventually({ kill(running.pid, 0) != 0 }) { running.send(SIGKILL) }
    }
    return (run.status, run.endedAt - sent.withLock { $0 })
  }

  private func fill(_ descriptor: Int32, leaving room: Int32) {
    let size = fcntl(descriptor, 1_032)
    let bytes = [UInt8](repeating: 0x20, count: Int(max(0, size - room)))
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
  }
}

/// Whether the pipe is full.
private func isFull(_ descriptor: Int32) -> Bool {
  var ask = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  return poll(&ask, 1, 0) == 0
}
