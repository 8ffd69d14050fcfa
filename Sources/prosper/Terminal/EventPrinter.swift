import ProsperKit
import Synchronization

/// Prints events on a separate thread, so that a slow terminal or reader does not delay the player.
///
/// A live session drops events if the reader stalls. A render waits for its reader, so that no event is lost.
final class EventPrinter: Sendable {
  /// How events are printed.
  enum Format: Sendable {
    case text, off
    case jsonLines(StateSchema)
  }

  private struct State {
    var lines: [String] = []
    /// How many lines the thread has taken from `lines` and not written yet.
    var taken = 0
    /// The number of the last event that became a line.
    var sequence = 0
    /// The number of events that were dropped because there was no room.
    var dropped = 0
    /// Whether no further events come.
    var isClosed = false
    /// Whether the thread has ended.
    var isDone = false
    var loss: WriteLoss?
    /// The damage that was printed as text. A damaged sound that is repeated is printed once for each damaged place.
    var damage: Set<PlayerError> = []
  }

  /// Maximum number of lines that wait to be printed. A live session drops and counts further ones.
  private static let capacity = 10_000

  private let format: Format
  private let descriptor: Int32
  /// Whether the player waits for the reader instead of dropping events: true for a render.
  private let waits: Bool
  /// Set when the session has to end: from then on nothing waits for the reader.
  private let isReleased = Atomic<Bool>(false)
  private let status: StatusLine?
  private let state = Mutex(State())
  /// `filled` wakes the printer's thread when there are lines; `emptied` wakes the threads that wait for it.
  private let filled = WakeUp()
  private let emptied = WakeUp()

  /// - Throws: `noThread`, because without its thread nothing would be printed.
  init(format: Format, descriptor: Int32, waits: Bool, status: StatusLine?) throws(SinkError) {
    self.format = format
    self.descriptor = descriptor
    self.waits = waits
    self.status = status
    guard OSThread.start({ [self] in run() }) else { throw .noThread }
  }

  /// Why lines could not be written although there is a reader, as on a full disk. Valid after `close`.
  var loss: WriteLoss? { state.withLock { $0.loss } }

  /// How many events were not printed because their reader stalled. Valid after `close`.
  var dropped: Int { state.withLock { $0.dropped + $0.lines.count + $0.taken } }

  /// Receives an event from the player. Returns immediately in a live session; a render waits until there is room.
  func print(_ event: StampedEvent) {
    status?.follow(event)
    while !enqueue(event) { emptied.wait(seconds: 0.5) }
    // The thread is not woken for events that the format omits.
    if status != nil || state.withLock({ !$0.lines.isEmpty }) { filled.call() }
  }

  /// Prints a text that is not an event, such as the list of keys. It goes to stderr unless events are printed as text.
  func say(_ text: String) {
    guard case .text = format else { return StandardError.say(text) }
    state.withLock { if $0.lines.count < Self.capacity { $0.lines.append("  \(text.withoutControls)\n") } }
    filled.call()
  }

  /// Prints why a command of a key was rejected, unless the events show it.
  func explain(_ rejection: String) { if case .text = format {} else { StandardError.say(rejection) } }

  /// Shows a text in the status line for two seconds; without a status line it is omitted.
  func show(_ note: String) {
    status?.show(note)
    filled.call()
  }

  /// Reads the player's status for the status line.
  func read(_ current: @escaping @Sendable () -> PlayerStatus?) { status?.read(current) }

  /// Prints the remaining lines and ends the thread. Blocks until they are printed. A live session stops waiting for a
  /// reader that has stalled.
  func close() {
    state.withLock { $0.isClosed = true }
    filled.call()
    waitUntilPrinted()
    status?.clear()
    let dropped = dropped
    guard 0 < dropped else { return }
    StandardError.say("\(counted(dropped, "event was", "events were")) dropped because the reader stalled")
  }

  /// Waits until all lines are printed. A render waits for its reader without a limit, until `release`. A live session
  /// stops waiting after 0.3 s without progress.
  private func waitUntilPrinted() {
    while !state.withLock({ $0.isDone }) {
      if !emptied.wait(seconds: 0.3), !waits || isReleased.load(ordering: .acquiring) { return }
    }
  }

  /// Stops waiting for a stalled reader, because the session has to end. May be called from any thread, but not from a
  /// signal handler.
  func release() {
    isReleased.store(true, ordering: .releasing)
    emptied.call()
  }

  /// - Returns: false if there is no room and the caller must try again.
  private func enqueue(_ event: StampedEvent) -> Bool {
    state.withLock { state in
      if state.lines.count >= Self.capacity {
        if waits, !isReleased.load(ordering: .acquiring) { return false }
        state.dropped += 1
        return true
      }
      if case .text = format, case .error(let error) = event.event, !state.damage.insert(error).inserted { return true }
      if let line = line(for: event, sequence: state.sequence + 1) {
        state.sequence += 1
        state.lines.append(line + "\n")
      }
      return true
    }
  }

  /// The event as a line without its line break; nil if the format omits it.
  private func line(for event: StampedEvent, sequence: Int) -> String? {
    switch format {
    case .text: event.text
    case .jsonLines(let schema) where !event.isNews(in: schema): nil
    case .jsonLines(let schema): event.json(sequence: sequence, schema: schema)
    case .off: nil
    }
  }

  /// The printer's thread: writes lines, and draws the status line when there are none.
  private func run() {
    var isOpen = true
    while true {
      let (lines, isClosed) = state.withLock { state in
        defer { state.lines.removeAll(keepingCapacity: true) }
        state.taken = state.lines.count
        return (state.lines, state.isClosed)
      }
      if lines.isEmpty {
        if isClosed { break }
        // One hour: the status line changes only with events, which wake this thread.
        filled.wait(seconds: status?.draw() ?? 3_600)
        continue
      }
      status?.clear()
      for line in lines {
        if isOpen { isOpen = write(line) }
        state.withLock { $0.taken -= 1 }
      }
      emptied.call()
    }
    state.withLock { $0.isDone = true }
    emptied.call()
  }

  /// - Returns: false if the reader has closed the output. The session continues without a reader.
  private func write(_ line: String) -> Bool {
    guard let code = writeAll(Array(line.readable.utf8), to: descriptor) else { return true }
    state.withLock { $0.loss = WriteLoss(code, descriptor) }
    return false
  }
}
