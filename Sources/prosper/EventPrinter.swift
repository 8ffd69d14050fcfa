import Engine
import Glibc
import Player
import Synchronization

/// Prints events from a thread of its own, so that a terminal or a reader that stalls holds up nothing.
final class EventPrinter: Sendable {
  enum Format: Sendable {
    case text, off
    case jsonLines(StateSchema)
  }

  private struct State {
    var lines: [String] = []
    var sequence = 0
    var dropped = 0
    var isClosed = false
    var isDone = false
    var loss: WriteLoss?
  }

  /// Lines that wait at most; a live session then drops further ones and counts them.
  private static let capacity = 10_000

  private let format: Format
  private let descriptor: Int32
  /// Offline nothing is dropped: the render waits for its reader.
  private let waits: Bool
  private let isReleased = Atomic<Bool>(false)
  private let status: StatusLine?
  private let state = Mutex(State())
  private let filled = WakeUp()
  private let emptied = WakeUp()

  init(format: Format, descriptor: Int32, waits: Bool, status: StatusLine?) {
    self.format = format
    self.descriptor = descriptor
    self.waits = waits
    self.status = status
    OSThread.start { [self] in run() }
  }

  /// Why events are missing that somebody wanted; known once it is closed.
  var loss: WriteLoss? { state.withLock { $0.loss } }

  /// Called by the player for each event.
  func tell(_ event: StampedEvent) {
    status?.follow(event)
    while !enqueue(event) { emptied.wait(seconds: 0.5) }
    // Where nobody reads, nobody is woken.
    if status != nil || state.withLock({ !$0.lines.isEmpty }) { filled.call() }
  }

  /// Something that is no event, for a person who reads.
  func say(_ text: String) {
    guard case .text = format else { return Complaint.say(text) }
    state.withLock { if $0.lines.count < Self.capacity { $0.lines.append("  \(text.withoutControls)\n") } }
    filled.call()
  }

  /// Waits until all has been printed, for at most a second when the reader has stalled.
  func close() {
    state.withLock { $0.isClosed = true }
    filled.call()
    waitUntilPrinted()
    status?.clear()
    let dropped = state.withLock { $0.dropped }
    if 0 < dropped { Complaint.say("\(dropped) events were not printed: the reader of the events has stalled") }
  }

  private func waitUntilPrinted() {
    while !state.withLock({ $0.isDone }) {
      if !emptied.wait(seconds: 0.3), !waits || isReleased.load(ordering: .acquiring) { return }
    }
  }

  /// The session is to end: a reader that has stalled is waited for no longer.
  func release() {
    isReleased.store(true, ordering: .releasing)
    emptied.call()
  }

  /// - Returns: false when there is no room and the event should wait.
  private func enqueue(_ event: StampedEvent) -> Bool {
    state.withLock { state in
      if state.lines.count >= Self.capacity {
        if waits, !isReleased.load(ordering: .acquiring) { return false }
        state.dropped += 1
        return true
      }
      if let line = line(for: event, sequence: state.sequence + 1) {
        state.sequence += 1
        state.lines.append(line + "\n")
      }
      return true
    }
  }

  private func line(for event: StampedEvent, sequence: Int) -> String? {
    switch format {
    case .text: event.text
    case .jsonLines(let schema) where !event.isNews(in: schema): nil
    case .jsonLines(let schema): event.json(sequence: sequence, schema: schema)
    case .off: nil
    }
  }

  private func run() {
    var isOpen = true
    while true {
      let (lines, isClosed) = state.withLock { state in
        defer { state.lines.removeAll(keepingCapacity: true) }
        return (state.lines, state.isClosed)
      }
      if lines.isEmpty {
        if isClosed { break }
        // A pause may be the last that happens for long.
        filled.wait(seconds: status?.draw() ?? 3_600)
        continue
      }
      status?.clear()
      for line in lines where isOpen { isOpen = write(line) }
      emptied.call()
    }
    state.withLock { $0.isDone = true }
    emptied.call()
  }

  /// - Returns: false when the reader is gone: the session goes on without one.
  private func write(_ line: String) -> Bool {
    var bytes = Array(line.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        let code = errno
        state.withLock { $0.loss = WriteLoss(code, descriptor) }
        return false
      }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
