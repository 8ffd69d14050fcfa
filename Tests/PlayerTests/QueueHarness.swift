import Logging
import Synchronization

@testable import Player

/// A queue with a clock that the test advances. Its first operation blocks the queue until the test releases it, so
/// exactly the operations that the test has submitted are waiting.
struct QueueHarness: Sendable {
  let queue: AsyncOperationQueue
  let clock = ManualClock()
  let record = RunRecord()
  private let gate = Gate()

  init(overtakes: Bool = true, maxDepth: Int = 3, metrics: Bool = true) {
    let (clock, record) = (clock, record)
    let log = Logger(label: "test") { _ in RecordHandler(record: record, logLevel: .debug) }
    queue = AsyncOperationQueue(
      overtakes: overtakes, maxDepth: maxDepth, clock: { clock.now }, metrics: metrics, log: log)
  }

  /// The operations that ran, and the outcome of each submitted operation, in order.
  struct Result: Equatable {
    var ran: [String]
    var outcomes: [CommandOutcome]
  }

  /// Submits each call while `running` runs, then releases it and waits for all outcomes.
  func play(_ calls: [[String]], while running: String = "hold") async -> Result {
    let held = await hold(running)
    var submitted: [Task<[CommandOutcome], Never>] = []
    for call in calls { submitted.append(await submit(call.map(operation))) }
    await gate.open()
    var outcomes = await held.value
    for task in submitted { outcomes += await task.value }
    return Result(ran: record.ran, outcomes: outcomes)
  }

  /// Starts an operation that runs until it is released. It ends as cancelled if it was asked to stop.
  ///
  /// - Parameter isLoading: whether it waits for a load.
  func hold(_ name: String = "hold", isLoading: Bool = false) async -> Task<[CommandOutcome], Never> {
    let (gate, record) = (gate, record)
    var held = operation(name)
    held.body = { context in
      record.ran(name, context.steps)
      if isLoading { context.waitForLoad { _ in Task { await gate.open() } } }
      await gate.pass()
      return context.shouldStop.map { .cancelled(by: $0) } ?? .done
    }
    let task = await submit([held])
    await gate.reached()
    return task
  }

  func letGo() async { await gate.open() }

  /// Returns as soon as the queue has accepted or rejected all operations.
  func submit(_ operations: [Operation]) async -> Task<[CommandOutcome], Never> {
    let before = await queue.arrivals
    let task = Task { await queue.perform(operations) }
    while await queue.arrivals < before + operations.count { await Task.yield() }
    return task
  }

  /// The operation of the tables with this name. It records its name and, if it has any, its steps.
  func operation(_ name: String) -> Operation {
    let record = record
    return Operation(
      name: name, priority: Self.priority(of: name), navigation: Self.navigation(of: name),
      isInterruption: name == "cork", outlastsInterruptions: name == "volume"
    ) { context in
      record.ran(name, context.steps)
      return .done
    }
  }

  private static func priority(of name: String) -> OperationPriority {
    switch name {
    case "edit": .low
    case "pause", "finish", "leap", "play": .high
    case "lost", "cork": .critical
    default: .normal
    }
  }

  private static func navigation(of name: String) -> Navigation? {
    switch name {
    case "next": .step(1)
    case "previous": .step(-1)
    case "jump", "goto", "leap": .other
    case "seek": .within
    case "play": .resume
    default: nil
    }
  }
}

extension AsyncOperationQueue {
  /// How many operations were accepted or rejected so far, according to the metrics.
  fileprivate var arrivals: Int { metrics.totalOperations + metrics.rejected }
}

/// A clock in nanoseconds that only the test advances.
final class ManualClock: Sendable {
  private let time = Atomic<Int64>(0)

  var now: Int64 { time.load(ordering: .relaxed) }

  func advance(milliseconds: Int64) { time.add(milliseconds * 1_000_000, ordering: .relaxed) }
}

/// Records what happened, in order.
final class RunRecord: Sendable {
  private let entries = Mutex((ran: [String](), lines: [String]()))

  var ran: [String] { entries.withLock(\.ran) }
  var lines: [String] { entries.withLock(\.lines) }

  func ran(_ name: String, _ steps: Int) { entries.withLock { $0.ran.append(steps == 0 ? name : "\(name) \(steps)") } }
  func log(_ line: String) { entries.withLock { $0.lines.append(line) } }
}

/// Records the lines that are logged.
struct RecordHandler: LogHandler {
  let record: RunRecord
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { record.log("\(event.level) \(event.message)") }
}

/// Blocks callers until it is opened, and stays open.
actor Gate {
  private var isOpen = false
  private var isReached = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private var watching: [CheckedContinuation<Void, Never>] = []

  func pass() async {
    isReached = true
    for watcher in watching { watcher.resume() }
    watching = []
    if !isOpen { await withCheckedContinuation { held.append($0) } }
  }

  /// Returns when a caller waits at the gate or has passed it.
  func reached() async {
    if !isReached { await withCheckedContinuation { watching.append($0) } }
  }

  func open() {
    isOpen = true
    for waiter in held { waiter.resume() }
    held = []
  }
}
