import Glibc
import Player
import Synchronization

/// The server's state of one client: what is still to be written, and how many commands are being executed.
///
/// Replies and events are added by tasks, on any thread. Only the server's thread writes them to the socket.
final class ControlConnection: Sendable {
  /// What one client may occupy.
  enum Limit {
    /// The largest number of bytes that may wait to be written. Events beyond it are dropped and counted.
    static let waiting = 1 << 20
    /// The largest number of commands of one client that may be executing at the same time.
    static let commands = 64
    /// How long a client may leave its output unread before it is disconnected, in seconds.
    static let patience = 30.0
  }

  fileprivate struct State {
    var bytes: [UInt8] = []
    /// How many of `bytes` have been written.
    var written = 0
    /// The number of commands that are executing.
    var commands = 0
    /// Whether the client receives events.
    var isStreaming = false
    /// The form in which the client receives states.
    var schema = StateSchema.full
    /// The `seq` of the last event.
    var sequence = 0
    /// Events that were dropped since the last one that was added.
    var lost = 0
    var isClosed = false
    /// The task that passes the events on.
    var pump: Task<Void, Never>?

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

  /// Adds a reply. Replies are never dropped: the number of commands is limited instead.
  func reply(_ line: String) {
    state.withLock { $0.bytes += Array(line.utf8) + [0x0A] }
    wake()
  }

  /// Adds an event, or drops and counts it if the client does not read.
  ///
  /// - Parameter lost: the number of events that were dropped before this one on their way here.
  /// - Returns: false if the client has gone.
  func send(_ event: StampedEvent, behind lost: Int = 0) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.lost += lost
      if Limit.waiting <= state.waiting {
        state.lost += 1
        return true
      }
      if 0 < state.lost { state.tellLoss(at: event) }
      state.add(event)
      return true
    }
    wake()
    return isOpen
  }
}

extension ControlConnection.State {
  fileprivate mutating func add(_ event: StampedEvent) {
    guard event.isNews(in: schema) else { return }
    sequence += 1
    bytes += Array(event.json(sequence: sequence, schema: schema).utf8) + [0x0A]
  }

  /// Adds a warning that says how many events were dropped, with the time of the event that follows it.
  fileprivate mutating func tellLoss(at event: StampedEvent) {
    let words = "\(lost) events were lost because they were not read in time"
    lost = 0
    var notice = event
    notice.event = .warning(words)
    add(notice)
  }
}

/// The server's thread calls these, except `commandEnds` and `streamEnds`, which tasks call.
extension ControlConnection {
  var hasOutput: Bool { state.withLock { 0 < $0.waiting } }
  /// Whether the client may send more commands.
  var takesInput: Bool { state.withLock { $0.commands < Limit.commands && $0.waiting < Limit.waiting } }
  /// Whether the client still has to receive something.
  var isBusy: Bool { state.withLock { 0 < $0.waiting || 0 < $0.commands || $0.isStreaming } }

  func commandBegins() { state.withLock { $0.commands += 1 } }

  /// Adds the reply to a command and releases its slot.
  func commandEnds(_ line: String) {
    state.withLock { $0.commands -= 1 }
    reply(line)
  }

  /// - Returns: false if the client receives the events already.
  func streamBegins(in schema: StateSchema) -> Bool {
    state.withLock { state in
      if state.isStreaming { return false }
      (state.isStreaming, state.schema) = (true, schema)
      return true
    }
  }

  /// Keeps the task that passes events on, so that `close` can cancel it.
  func keep(_ pump: Task<Void, Never>) { state.withLock { $0.pump = pump } }

  func streamEnds() {
    state.withLock { $0.isStreaming = false }
    wake()
  }

  /// Writes as much as the client takes without blocking.
  ///
  /// - Returns: the number of bytes; nil if the client has gone.
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
      if state.waiting == 0 || Limit.waiting < state.written { state.forgetWritten() }
      return total
    }
  }

  /// Closes the socket and stops the events. Commands that are executing continue; their replies are discarded.
  func close() {
    let pump = state.withLock { state in
      state.isClosed = true
      return state.pump
    }
    pump?.cancel()
    Glibc.close(descriptor)
  }
}

extension ControlConnection.State {
  fileprivate mutating func forgetWritten() {
    bytes.removeFirst(written)
    written = 0
  }
}
