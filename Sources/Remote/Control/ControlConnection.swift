import Glibc
import Player
import Synchronization

/// One client of a control server: what is still to be written to it, and how far it lags.
///
/// Replies and events come from tasks; the server's thread writes them out.
final class ControlConnection: Sendable {
  enum Limit {
    /// Bytes that wait; further events are then lost and counted.
    static let waiting = 1 << 20
    /// Commands of one client that are under way.
    static let commands = 64
    /// Seconds in which a client with something to read has to read some of it.
    static let patience = 30.0
  }

  fileprivate struct State {
    var bytes: [UInt8] = []
    /// Of `bytes`, how many have been written.
    var written = 0
    var commands = 0
    var isStreaming = false
    /// Which states its client knows.
    var schema = StateSchema.full
    var sequence = 0
    var lost = 0
    var isClosed = false
    var pump: Task<Void, Never>?

    var waiting: Int { bytes.count - written }
  }

  let descriptor: Int32
  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// - Parameter wake: has the server's thread look at what is to be written.
  init(descriptor: Int32, wake: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.wake = wake
  }

  func reply(_ line: String) {
    state.withLock { $0.bytes += Array(line.utf8) + [0x0A] }
    wake()
  }

  /// - Parameter lost: events before this one that didn't get as far as here.
  /// - Returns: false when the client is gone.
  func tell(_ event: StampedEvent, behind lost: Int = 0) -> Bool {
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

  fileprivate mutating func tellLoss(at event: StampedEvent) {
    let words = "\(lost) events were lost: they were not read in time"
    lost = 0
    var notice = event
    notice.event = .warning(words)
    add(notice)
  }
}

/// For the server's thread.
extension ControlConnection {
  var hasOutput: Bool { state.withLock { 0 < $0.waiting } }
  /// Whether more commands can be taken from it.
  var takesInput: Bool { state.withLock { $0.commands < Limit.commands && $0.waiting < Limit.waiting } }
  /// Whether something is still to come for it.
  var isBusy: Bool { state.withLock { 0 < $0.waiting || 0 < $0.commands || $0.isStreaming } }

  func commandBegins() { state.withLock { $0.commands += 1 } }

  func commandEnds(_ line: String) {
    state.withLock { $0.commands -= 1 }
    reply(line)
  }

  /// - Returns: false where its events are already being told.
  func streamBegins(in schema: StateSchema) -> Bool {
    state.withLock { state in
      if state.isStreaming { return false }
      (state.isStreaming, state.schema) = (true, schema)
      return true
    }
  }

  func keep(_ pump: Task<Void, Never>) { state.withLock { $0.pump = pump } }

  func streamEnds() {
    state.withLock { $0.isStreaming = false }
    wake()
  }

  /// Writes what the client takes now.
  ///
  /// - Returns: bytes written; nil when the client is gone.
  func write() -> Int? {
    state.withLock { state -> Int? in
      var total = 0
      while 0 < state.waiting {
        let count = state.bytes[state.written...].withUnsafeBytes {
          send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
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
