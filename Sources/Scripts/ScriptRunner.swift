package import Player

/// Executes a script. It is a value without a clock: the player passes in the time and the events, and receives the
/// commands that are due.
///
/// A line with a run time is due at that time, independent of the other lines. A line with `after` or `when` waits
/// until the line before it has been executed. An expectation that is due at the same time as a command on an earlier
/// line is checked after the outcome of that command is known.
package struct ScriptRunner: CommandSource {
  /// What a line is waiting for.
  private enum Stage {
    /// The execution of the previous line.
    case waiting
    /// A run time, in seconds.
    case due(at: Double)
    /// Its condition. The events were copied when the wait began, so that only later ones count.
    case watching(RecordedEvents)
    /// The outcome of its command, which was passed to the player at a run time in seconds, with a batch.
    case running(at: Double, batch: Int)
    /// The end of the session.
    case atEnd
    /// Nothing: it has been executed.
    case done
  }

  private let lines: [Script.Line]
  private var stages: [Stage]
  /// Indices of the lines that are due at a known time, in the order of their times.
  private var schedule: [Int] = []
  /// Indices of the lines that wait for a condition.
  private var watching: [Int] = []
  /// All events since the start to which the script refers.
  private var recorded: RecordedEvents
  /// What had occurred when the line before was executed, for the lines that count from there.
  private var before: [Int: RecordedEvents] = [:]
  /// The indices of the lines whose commands have no outcome yet.
  private var open: [Int] = []
  /// The outcome of the most recent command.
  private var lastOutcome: CommandOutcome?
  /// The moment of the last call of `dueCommands` or of the last outcome; nil before the first.
  private var last: PlayerMoment?
  /// One line for each expectation that failed or was never reached.
  package private(set) var failures: [ScriptFailure] = []
  /// One line for each command that was never reached, and for each rejected one whose outcome the script does not check.
  package private(set) var warnings: [String] = []

  package init(_ script: Script) {
    lines = script.lines
    recorded = RecordedEvents(of: script.lines.flatMap(\.events))
    stages = Array(repeating: .waiting, count: script.lines.count)
    for index in lines.indices {
      switch lines[index].time {
      case .at(let time): stages[index] = .due(at: time)
      case .end: stages[index] = .atEnd
      case .after, .when: break
      }
    }
    let timed = lines.indices.filter { dueTime(of: $0) != nil }
    schedule = timed.sorted { (dueTime(of: $0) ?? 0, $0) < (dueTime(of: $1) ?? 0, $1) }
    startWait(of: 0, at: 0)
  }

  /// When the player must call `dueCommands` again: at the next run time, or continuously while a condition may become
  /// true at any moment.
  package var wake: CommandSourceWake {
    let conditions = watching.map { earliestTime(of: $0) }
    let planned = schedule.first { !waitsForOutcome($0) }.flatMap { dueTime(of: $0) }
    guard let earliest = (conditions.compactMap(\.self) + [planned].compactMap(\.self)).min() else {
      return conditions.isEmpty ? .never : .watching(until: nil)
    }
    let time = CommandSourceTime(run: earliest, isCheck: planned == earliest && isCheck(at: earliest))
    return conditions.contains(nil) ? .watching(until: time) : .at(time)
  }

  /// Whether only expectations are due at a run time, and no command or condition can follow one of them at the same
  /// time.
  private func isCheck(at time: Double) -> Bool {
    schedule.lazy.filter { dueTime(of: $0) == time }.allSatisfy { onlyChecks(from: $0) }
  }

  /// Whether a line and those that are executed at the same time because they wait for it only check.
  private func onlyChecks(from first: Int) -> Bool {
    for index in first..<lines.count {
      guard case .expect = lines[index].act else { return false }
      guard lines.indices.contains(index + 1), case .waiting = stages[index + 1] else { return true }
      guard case .after(let seconds) = lines[index + 1].time else { return false }
      if 0 < seconds { return true }
    }
    return true
  }

  package mutating func note(_ event: StampedEvent) { recorded.note(event) }

  /// Executes the lines that are due: returns the commands, and checks the expectations.
  package mutating func dueCommands(at moment: PlayerMoment, batch: Int) -> [Command] {
    last = moment
    let known = open.count
    while let index = next(at: moment) {
      switch lines[index].act {
      case .command:
        let time = dueTime(of: index) ?? moment.run
        remove(index)
        stages[index] = .running(at: time, batch: batch)
        // Its effects may be reported before its outcome.
        remember(before: index + 1)
        open.append(index)
      case .expect(let facts, let within):
        let due = dueTime(of: index) ?? moment.run
        check(index, facts, within, at: time(of: index, at: moment))
        // A check is made up to a frame after its time.
        finish(index, at: open.isEmpty && isCheck(at: due) ? due : moment.run)
      }
    }
    return open[known...].compactMap { if case .command(let command) = lines[$0].act { command } else { nil } }
  }

  /// Receives the outcomes of the commands of a batch, and checks the expectations that waited for them.
  package mutating func settle(_ outcomes: [CommandOutcome], of batch: Int, at moment: PlayerMoment) {
    let started = open.filter { if case .running(_, batch) = stages[$0] { true } else { false } }
    guard !outcomes.isEmpty, !started.isEmpty else { return }
    last = moment
    open.removeAll(where: started.contains)
    if let last = outcomes.last { lastOutcome = last }
    for (index, outcome) in zip(started, outcomes) {
      if case .rejected(let error) = outcome, !checksOutcome(of: index) {
        warnings.append("\(lines[index].location): this command was rejected: \(error)")
      }
    }
    for index in started { finish(index, at: moment.run) }
    checkDue(at: moment)
  }

  /// Checks the expectations at the session's end, and reports every line that was never reached.
  package mutating func end(at moment: PlayerMoment) {
    checkDue(at: moment)
    for index in lines.indices {
      switch (stages[index], lines[index].act) {
      case (.atEnd, .expect(let facts, let within)): check(index, facts, within, at: moment)
      case (.done, _), (.running, _): break
      case (_, .expect): failures.append(ScriptFailure(at: "\(lines[index].location)", neverReached(index, moment)))
      case (_, .command): warnings.append("\(lines[index].location): \(neverReached(index, moment))")
      }
      stages[index] = .done
    }
  }
}

extension ScriptRunner {
  /// The line that is due first; nil if none is due. Lines that are due at the same time are in the order of the
  /// script.
  private func next(at moment: PlayerMoment) -> Int? {
    let timed = schedule.first { !waitsForOutcome($0) }.flatMap { index in
      (dueTime(of: index) ?? 0) <= moment.run ? index : nil
    }
    let conditional = watching.first { isReached($0, at: moment) }
    guard let timed, let conditional else { return timed ?? conditional }
    return (dueTime(of: timed) ?? 0, timed) < (moment.run, conditional) ? timed : conditional
  }

  /// Whether the condition of a waiting line holds.
  private func isReached(_ index: Int, at moment: PlayerMoment) -> Bool {
    guard case .watching(let since) = stages[index], case .when(let facts) = lines[index].time else { return false }
    return facts.isReached(at: moment, recorded.since(since), lastOutcome)
  }

  /// The moment for which an expectation is checked. After a condition on an event it is the moment of that event, not
  /// the later one of the call.
  private func time(of index: Int, at moment: PlayerMoment) -> PlayerMoment {
    guard case .watching(let since) = stages[index], case .when(let facts) = lines[index].time, let event = facts.event,
      let time = recorded.since(since).time(of: event)
    else { return moment }
    return moment.at(time)
  }

  /// The earliest run time at which a condition can hold; nil if it can hold at any moment.
  ///
  /// Session time never advances faster than run time, so a condition on session time can't hold before the difference
  /// has passed.
  private func earliestTime(of index: Int) -> Double? {
    guard let last, case .when(let facts) = lines[index].time, let session = facts.session else { return nil }
    let distance = session - last.session
    return 0.01 < distance ? last.run + distance : nil
  }

  /// The run time at which a line is due; nil while it waits for something else.
  private func dueTime(of index: Int) -> Double? {
    if case .due(let time) = stages[index] { time } else { nil }
  }

  /// Whether an expectation must wait for the outcome of a command that is due at the same time on an earlier line.
  private func waitsForOutcome(_ index: Int) -> Bool {
    guard !open.isEmpty, case .expect = lines[index].act, let time = dueTime(of: index) else { return false }
    return open.contains { other in
      if other < index, case .running(let at, _) = stages[other] { at == time } else { false }
    }
  }

  /// Checks the expectations that are due after the outcomes. Stops at the first command, which the next call of
  /// `dueCommands` returns.
  private mutating func checkDue(at moment: PlayerMoment) {
    while let index = next(at: moment), case .expect(let facts, let within) = lines[index].act {
      check(index, facts, within, at: time(of: index, at: moment))
      finish(index, at: moment.run)
    }
  }

  /// Whether a line after a command, up to the next command, refers to its outcome.
  private func checksOutcome(of index: Int) -> Bool {
    for line in lines[(index + 1)...] {
      if line.refersToOutcome { return true }
      if case .command = line.act { return false }
    }
    return false
  }

  /// Keeps what has occurred before a line that counts from here.
  private mutating func remember(before index: Int) {
    if lines.indices.contains(index), lines[index].countsSinceLine { before[index] = recorded.emptied() }
  }

  /// Marks a line as executed and starts the wait of the next one.
  private mutating func finish(_ index: Int, at time: Double) {
    remove(index)
    stages[index] = .done
    if before[index + 1] == nil { remember(before: index + 1) }
    startWait(of: index + 1, at: time)
  }

  /// Starts the wait of a line whose predecessor has been executed.
  private mutating func startWait(of index: Int, at time: Double) {
    guard lines.indices.contains(index), case .waiting = stages[index] else { return }
    switch lines[index].time {
    case .after(let seconds): plan(index, at: time + seconds)
    case .when:
      stages[index] = .watching(recorded.emptied())
      watching.append(index)
    case .at, .end: break
    }
  }

  /// Inserts a line into the schedule, which stays sorted by time and then by index.
  private mutating func plan(_ index: Int, at time: Double) {
    stages[index] = .due(at: time)
    let location = schedule.firstIndex { (time, index) < (dueTime(of: $0) ?? 0, $0) } ?? schedule.endIndex
    schedule.insert(index, at: location)
  }

  /// Removes a line from the schedule and from the lines that wait for a condition.
  private mutating func remove(_ index: Int) {
    if let location = schedule.firstIndex(of: index) { schedule.remove(at: location) }
    watching.removeAll { $0 == index }
  }

  /// Adds a failure if any of the facts does not hold.
  private mutating func check(_ index: Int, _ facts: Facts, _ within: Double, at moment: PlayerMoment) {
    let events = before[index].map { recorded.since($0) } ?? recorded
    let wrong = facts.differences(from: moment, events, lastOutcome, within: within)
    guard !wrong.isEmpty else { return }
    let time = "run \(JSONLine.seconds(moment.run)) s, session \(JSONLine.seconds(moment.session)) s"
    failures.append(
      ScriptFailure(
        at: "\(lines[index].location)", "\(wrong.joined(separator: "; ")) (at \(time)\(earliness(of: index)))"))
  }

  /// Says that an expectation does not include what the session plans for its very time; empty if it does.
  private func earliness(of index: Int) -> String {
    guard let due = dueTime(of: index), !isCheck(at: due) else { return "" }
    let isWatched = lines.indices.contains(index + 1) && lines[index + 1].isConditional
    let cause = isWatched ? "the 'when' of the next line counts from here" : "a command can be due at the same time"
    return ", before what begins at this time, because \(cause)"
  }

  /// Why a line was not executed before the session ended.
  private func neverReached(_ index: Int, _ moment: PlayerMoment) -> String {
    let end = "the session ended at run \(JSONLine.seconds(moment.run)) s"
    let what = if case .expect = lines[index].act { "expectation" } else { "command" }
    return switch (stages[index], lines[index].time) {
    case (.waiting, _): "this \(what) was never reached: \(end), before the previous line was executed"
    case (_, .when): "this \(what) was never reached: \(end), before its condition held"
    default: "this \(what) was never reached: \(end)"
    }
  }
}

extension Script.Line {
  /// The line's condition and expectation.
  private var facts: [Facts] {
    var facts: [Facts] = []
    if case .when(let condition) = time { facts.append(condition) }
    if case .expect(let expected, _) = act { facts.append(expected) }
    return facts
  }

  /// The events to which the line refers.
  fileprivate var events: [Facts.Event] { facts.compactMap(\.event) }

  /// Whether its expectation counts events since the line before.
  fileprivate var countsSinceLine: Bool {
    if case .expect(let facts, _) = act { facts.event?.countsSinceLine == true } else { false }
  }

  fileprivate var isConditional: Bool { if case .when = time { true } else { false } }

  fileprivate var refersToOutcome: Bool { facts.contains { $0.outcome != nil } }
}
