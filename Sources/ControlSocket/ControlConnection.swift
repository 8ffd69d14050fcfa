import Glibc
import Player
import Synchronization

/// The server's state of one client: the output that has not been written, and the number of commands that are
/// executing.
///
/// Replies and events are added by tasks, on any thread. Only the server's thread writes them to the socket.
final class ControlConnection: Sendable {
  /// The limits of one client.
  enum Limit {
    /// Maximum number of bytes that wait to be written. Further events are dropped and counted.
    static let waiting = 1 << 20
    /// Maximum number of commands that execute at the same time.
    static let commands = 64
    /// Seconds after which a client that does not read its output is disconnected.
    static let stall = 30.0
  }

  fileprivate struct State {
    var bytes: [UInt8] = []
    /// How many of `bytes` have been written.
    var written = 0
    /// The number of commands that are executing.
    var commands = 0
    /// Whether the client receives events.
    var isStreaming = false
    /// The schema in which the client receives states.
    var schema = StateSchema.full
    /// The `seq` of the last event.
    var sequence = 0
    /// Events that were dropped since the last one that was added.
    var lost = 0
    var isClosed = false
    /// The task that sends the events.
    var eventTask: Task<Void, Never>?

    var waiting: Int { bytes.count - written }
  }

  let descriptor: Int32
  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// - Parameter wake: wakes the server's thread, so that it writes what has been added.
  init(descriptor: Int32, wake: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.wake = wake
  }

  /// Adds a reply. Replies are never dropped, because the number of commands is limited.
  func reply(_ line: String) {
    state.withLock { $0.add(line) }
    wake()
  }

  /// Adds an event, or drops and counts it if the client does not read.
  ///
  /// - Parameter lost: the number of events before this one that the reader's buffer has dropped.
  /// - Returns: false if the client has disconnected.
  func send(_ event: StampedEvent, after lost: Int = 0) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.lost += lost
      if Limit.waiting <= state.waiting {
        state.lost += 1
        return true
      }
      if 0 < state.lost { state.reportLoss(at: event) }
      state.add(event)
      return true
    }
    wake()
    return isOpen
  }
}

extension ControlConnection.State {
  fileprivate mutating func add(_ line: String) { bytes += Array(line.utf8) + [0x0A] }

  fileprivate mutating func add(_ event: StampedEvent) {
    guard event.isNews(in: schema) else { return }
    sequence += 1
    add(event.json(sequence: sequence, schema: schema))
  }

  /// Adds a warning with the number of dropped events. It has the time of the event that follows it.
  fileprivate mutating func reportLoss(at event: StampedEvent) {
    let words = "\(counted(lost, "event was", "events were")) lost because the client did not read in time"
    lost = 0
    var warning = event
    warning.event = .warning(words)
    add(warning)
  }
}

/// The server's thread calls these, except `commandEnds` and `streamEnds`, which tasks call.
extension ControlConnection {
  var hasOutput: Bool { state.withLock { 0 < $0.waiting } }
  /// Whether the client may send more commands.
  var takesInput: Bool { state.withLock { $0.commands < Limit.commands && $0.waiting < Limit.waiting } }
  /// Whether the client has output or events to receive.
  var isBusy: Bool { state.withLock { 0 < $0.waiting || 0 < $0.commands || $0.isStreaming } }

  func commandBegins() { state.withLock { $0.commands += 1 } }

  /// Adds the reply to a command and releases its slot.
  func commandEnds(_ line: String) {
    // Both at once: between them, a server that is stopping would take the client for one that waits for nothing.
    state.withLock { state in
      state.commands -= 1
      state.add(line)
    }
    wake()
  }

  /// Records that the client receives events in a schema from now on.
  ///
  /// - Returns: false if it already receives them.
  func streamBegins(in schema: StateSchema) -> Bool {
    state.withLock { state in
      if state.isStreaming { return false }
      (state.isStreaming, state.schema) = (true, schema)
      return true
    }
  }

  /// Stores the task that sends events, so that `close` can cancel it.
  func setEventTask(_ task: Task<Void, Never>) { state.withLock { $0.eventTask = task } }

  func streamEnds() {
    state.withLock { $0.isStreaming = false }
    wake()
  }

  /// Writes as many bytes as the socket accepts without blocking.
  ///
  /// - Returns: the number of bytes; nil if the client has disconnected.
  func write() -> Int? {
    state.withLock { state -> Int? in
      var total = 0
      while 0 < state.waiting {
        let count = state.bytes[state.written...].withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { break }
        if count <= 0 { return nil }
        total += count
        state.written += count
      }
      if state.waiting == 0 || Limit.waiting < state.written { state.removeWritten() }
      return total
    }
  }

  /// Closes the socket and stops the events. Commands that are executing continue; their replies are discarded.
  func close() {
    let eventTask = state.withLock { state in
      state.isClosed = true
      return state.eventTask
    }
    eventTask?.cancel()
    Glibc.close(descriptor)
  }
}

extension ControlConnection.State {
  fileprivate mutating func removeWritten() {
    bytes.removeFirst(written)
    written = 0
  }
}
