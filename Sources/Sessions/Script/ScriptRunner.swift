package import Player

/// Executes a script. It is a value without a clock: the player passes in the time and the events, and receives the
/// commands that are due.
///
/// A line with a run time is due at that time, whatever the other lines do. A line with `after` or `when` waits for the
/// line before it. An expectation that is due at the same time as a command on an earlier line is checked once that
/// command has its outcome.
package struct ScriptRunner: CommandSource {
  /// What a line is waiting for.
  private enum Stage {
    /// The execution of the previous line.
    case waiting
    /// A run time, in seconds.
    case due(at: Double)
    /// Its condition; the tally was copied when the wait began, so that only later events count.
    case watching(Tally)
    /// The outcome of its command, which was passed to the player at a run time, in seconds.
    case given(at: Double)
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
  /// All events that the script refers to, since the start.
  private var tally: Tally
  /// The commands whose outcomes are still to come: the indices of their lines, one list per prompt, in order.
  private var open: [[Int]] = []
  /// The outcome of the most recent command.
  private var lastOutcome: String?
  /// The moment of the last prompt or outcome; nil before the first.
  private var last: PlayerMoment?
  /// One line for each expectation that failed or was never reached.
  package private(set) var failures: [String] = []
  /// One line for each command that was never reached.
  package private(set) var warnings: [String] = []

  package init(_ script: Script) {
    lines = script.lines
    tally = Tally(of: Set(script.lines.flatMap(\.events)))
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
    arm(0, at: 0)
  }

  /// When the player must call `prompt` again: at the next run time, or continuously while a condition may hold at any
  /// moment.
  package var wake: CommandSourceWake {
    let hopes = watching.map { hope(of: $0) }
    let planned = schedule.first { !isHeld($0) }.flatMap { dueTime(of: $0) }
    let earliest = (hopes.compactMap(\.self) + [planned].compactMap(\.self)).min()
    return hopes.contains(nil) ? .watching(until: earliest) : earliest.map { .at(run: $0) } ?? .never
  }

  package mutating func note(_ event: StampedEvent) { tally.note(event) }

  /// Executes the lines that are due: returns the commands, and checks the expectations.
  package mutating func prompt(at moment: PlayerMoment) -> [Command] {
    last = moment
    open.append([])
    while let index = next(at: moment) {
      switch lines[index].act {
      case .command:
        let time = dueTime(of: index) ?? moment.run
        take(index)
        stages[index] = .given(at: time)
        open[open.count - 1].append(index)
      case .expect(let facts, let within):
        check(index, facts, within, at: time(of: index, at: moment))
        finish(index, at: moment)
      }
    }
    let given = open.last ?? []
    if given.isEmpty { open.removeLast() }
    return given.compactMap { if case .command(let command) = lines[$0].act { command } else { nil } }
  }

  /// Takes the outcomes of the oldest prompt that has not been settled, then checks the expectations that waited for
  /// them.
  package mutating func settle(_ outcomes: [CommandOutcome], at moment: PlayerMoment) {
    guard !outcomes.isEmpty, !open.isEmpty else { return }
    last = moment
    let given = open.removeFirst()
    if let last = outcomes.last { lastOutcome = last.word }
    for index in given { finish(index, at: moment) }
    checkDue(at: moment)
  }

  /// Checks the expectations at the session's end, and reports every line that was never reached.
  package mutating func end(at moment: PlayerMoment) {
    checkDue(at: moment)
    for index in lines.indices {
      switch (stages[index], lines[index].act) {
      case (.atEnd, .expect(let facts, let within)): check(index, facts, within, at: moment)
      case (.done, _), (.given, _): break
      case (_, .expect): failures.append("\(lines[index].location): \(neverCame(index, moment))")
      case (_, .command): warnings.append("\(lines[index].location): \(neverCame(index, moment))")
      }
      stages[index] = .done
    }
  }
}

extension ScriptRunner {
  /// The line that is due first. Of several lines that are due at the same time it is the one that comes first in the
  /// script.
  private func next(at moment: PlayerMoment) -> Int? {
    let timed = schedule.first { !isHeld($0) }.flatMap { index in
      (dueTime(of: index) ?? 0) <= moment.run ? index : nil
    }
    let seen = watching.first { isReached($0, at: moment) }
    guard let timed, let seen else { return timed ?? seen }
    return (dueTime(of: timed) ?? 0, timed) < (moment.run, seen) ? timed : seen
  }

  /// Whether the condition of a waiting line holds.
  private func isReached(_ index: Int, at moment: PlayerMoment) -> Bool {
    guard case .watching(let since) = stages[index], case .when(let facts) = lines[index].time else { return false }
    return facts.isReached(at: moment, tally.since(since), lastOutcome)
  }

  /// The moment at which an expectation is checked. After a condition on an event it is the moment of that event, not
  /// the later one at which the player was asked.
  private func time(of index: Int, at moment: PlayerMoment) -> PlayerMoment {
    guard case .watching(let since) = stages[index], case .when(let facts) = lines[index].time, let event = facts.event,
      let time = tally.since(since).time(of: event)
    else { return moment }
    return moment.at(time)
  }

  /// The earliest run time at which a condition can hold; nil if it can hold at any moment.
  ///
  /// Session time never advances faster than run time, so a condition on session time can't hold before the difference
  /// has passed.
  private func hope(of index: Int) -> Double? {
    guard let last, case .when(let facts) = lines[index].time, let session = facts.session else { return nil }
    let distance = session - last.session
    return 0.01 < distance ? last.run + distance : nil
  }

  /// The run time at which a line is due; nil while it waits for something else.
  private func dueTime(of index: Int) -> Double? {
    if case .due(let time) = stages[index] { time } else { nil }
  }

  /// Whether an expectation must wait for the outcome of a command that is due at the same time on an earlier line.
  private func isHeld(_ index: Int) -> Bool {
    guard !open.isEmpty, case .expect = lines[index].act, let time = dueTime(of: index) else { return false }
    return open.contains { given in
      given.contains { other in
        if other < index, case .given(let at) = stages[other] { at == time } else { false }
      }
    }
  }

  /// Checks the expectations that the outcomes made due. Stops at the first command, which has to wait for the next
  /// prompt.
  private mutating func checkDue(at moment: PlayerMoment) {
    while let index = next(at: moment), case .expect(let facts, let within) = lines[index].act {
      check(index, facts, within, at: time(of: index, at: moment))
      finish(index, at: moment)
    }
  }

  /// Marks a line as executed and starts the wait of the next one.
  private mutating func finish(_ index: Int, at moment: PlayerMoment) {
    take(index)
    stages[index] = .done
    arm(index + 1, at: moment.run)
  }

  /// Starts the wait of a line whose predecessor has been executed.
  private mutating func arm(_ index: Int, at time: Double) {
    guard lines.indices.contains(index), case .waiting = stages[index] else { return }
    switch lines[index].time {
    case .after(let seconds): plan(index, at: time + seconds)
    case .when:
      stages[index] = .watching(tally.fromHere())
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
  private mutating func take(_ index: Int) {
    if let location = schedule.firstIndex(of: index) { schedule.remove(at: location) }
    watching.removeAll { $0 == index }
  }

  /// Adds a failure if any of the facts does not hold.
  private mutating func check(_ index: Int, _ facts: Facts, _ within: Double, at moment: PlayerMoment) {
    let wrong = facts.differences(from: moment, tally, lastOutcome, within: within)
    guard !wrong.isEmpty else { return }
    let time = "run \(JSONLine.seconds(moment.run)) s, session \(JSONLine.seconds(moment.session)) s"
    failures.append("\(lines[index].location): \(wrong.joined(separator: "; ")) (at \(time))")
  }

  /// Why a line was not executed before the session ended.
  private func neverCame(_ index: Int, _ moment: PlayerMoment) -> String {
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
  /// The names of the events that the line's condition and expectation refer to.
  fileprivate var events: [String] {
    var facts: [Facts] = []
    if case .when(let condition) = time { facts.append(condition) }
    if case .expect(let expected, _) = act { facts.append(expected) }
    return facts.compactMap { $0.event?.name }
  }
}
