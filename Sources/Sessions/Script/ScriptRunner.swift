package import Player

/// Carries a script out: a value that is told the time and the events, and says what is due.
///
/// Lines with a run time come at that time, whatever the others do. A line with `after` or `when` waits for the line
/// before it. An expectation that is due together with a command that stands before it is checked when that command
/// has its outcome.
package struct ScriptRunner: Prompter {
  private enum Stage {
    /// For the line before it.
    case waiting
    /// Seconds of the run.
    case due(at: Double)
    /// Events are counted from here on.
    case watching(Tally)
    /// Handed to the player, its outcome not yet known.
    case given(at: Double)
    case atEnd
    case done
  }

  private let lines: [Script.Line]
  private var stages: [Stage]
  /// The lines that are due at a time, in the order of their times.
  private var schedule: [Int] = []
  /// Those that wait for a condition.
  private var watching: [Int] = []
  private var tally: Tally
  /// The lines of each prompt whose outcomes are still to come.
  private var open: [[Int]] = []
  private var lastOutcome: String?
  /// At which it was asked or told last; nil before.
  private var last: PlayerMoment?
  package private(set) var failures: [String] = []
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

  package var wake: PrompterWake {
    let hopes = watching.map { hope(of: $0) }
    let planned = schedule.first { !isHeld($0) }.flatMap { dueTime(of: $0) }
    let earliest = (hopes.compactMap(\.self) + [planned].compactMap(\.self)).min()
    return hopes.contains(nil) ? .watching(until: earliest) : earliest.map { .at(run: $0) } ?? .never
  }

  package mutating func note(_ event: StampedEvent) { tally.note(event) }

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

  package mutating func settle(_ outcomes: [CommandOutcome], at moment: PlayerMoment) {
    guard !outcomes.isEmpty, !open.isEmpty else { return }
    last = moment
    let given = open.removeFirst()
    if let last = outcomes.last { lastOutcome = last.word }
    for index in given { finish(index, at: moment) }
    checkDue(at: moment)
  }

  package mutating func end(at moment: PlayerMoment) {
    checkDue(at: moment)
    for index in lines.indices {
      switch (stages[index], lines[index].act) {
      case (.atEnd, .expect(let facts, let within)): check(index, facts, within, at: moment)
      case (.done, _), (.given, _): break
      case (_, .expect): failures.append("\(lines[index].place): \(neverCame(index, moment))")
      case (_, .command): warnings.append("\(lines[index].place): \(neverCame(index, moment))")
      }
      stages[index] = .done
    }
  }
}

extension ScriptRunner {
  /// The line that is due first; of several at one time the one that stands first.
  private func next(at moment: PlayerMoment) -> Int? {
    let timed = schedule.first { !isHeld($0) }.flatMap { index in
      (dueTime(of: index) ?? 0) <= moment.run ? index : nil
    }
    let seen = watching.first { isReached($0, at: moment) }
    guard let timed, let seen else { return timed ?? seen }
    return (dueTime(of: timed) ?? 0, timed) < (moment.run, seen) ? timed : seen
  }

  private func isReached(_ index: Int, at moment: PlayerMoment) -> Bool {
    guard case .watching(let since) = stages[index], case .when(let facts) = lines[index].time else { return false }
    return facts.isReached(at: moment, tally.since(since), lastOutcome)
  }

  /// What is expected of an event is expected of the moment at which it came.
  private func time(of index: Int, at moment: PlayerMoment) -> PlayerMoment {
    guard case .watching(let since) = stages[index], case .when(let facts) = lines[index].time, let event = facts.event,
      let time = tally.since(since).time(of: event)
    else { return moment }
    return moment.at(time)
  }

  /// The run time before which a condition can't hold, for session time never goes faster than run time; nil where it
  /// can hold at any moment.
  private func hope(of index: Int) -> Double? {
    guard let last, case .when(let facts) = lines[index].time, let session = facts.session else { return nil }
    let distance = session - last.session
    return 0.01 < distance ? last.run + distance : nil
  }

  private func dueTime(of index: Int) -> Double? {
    if case .due(let time) = stages[index] { time } else { nil }
  }

  /// Whether an expectation waits for the outcome of a command of its time that stands before it.
  private func isHeld(_ index: Int) -> Bool {
    guard !open.isEmpty, case .expect = lines[index].act, let time = dueTime(of: index) else { return false }
    return open.contains { given in
      given.contains { other in
        if other < index, case .given(let at) = stages[other] { at == time } else { false }
      }
    }
  }

  /// What became due with the outcomes is checked with them: commands wait for the next prompt.
  private mutating func checkDue(at moment: PlayerMoment) {
    while let index = next(at: moment), case .expect(let facts, let within) = lines[index].act {
      check(index, facts, within, at: time(of: index, at: moment))
      finish(index, at: moment)
    }
  }

  private mutating func finish(_ index: Int, at moment: PlayerMoment) {
    take(index)
    stages[index] = .done
    arm(index + 1, at: moment.run)
  }

  /// The line before it has been carried out.
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

  private mutating func plan(_ index: Int, at time: Double) {
    stages[index] = .due(at: time)
    let place = schedule.firstIndex { (time, index) < (dueTime(of: $0) ?? 0, $0) } ?? schedule.endIndex
    schedule.insert(index, at: place)
  }

  private mutating func take(_ index: Int) {
    if let place = schedule.firstIndex(of: index) { schedule.remove(at: place) }
    watching.removeAll { $0 == index }
  }

  private mutating func check(_ index: Int, _ facts: Facts, _ within: Double, at moment: PlayerMoment) {
    let wrong = facts.differences(from: moment, tally, lastOutcome, within: within)
    guard !wrong.isEmpty else { return }
    let time = "run \(JSONLine.seconds(moment.run)) s, session \(JSONLine.seconds(moment.session)) s"
    failures.append("\(lines[index].place): \(wrong.joined(separator: "; ")) (at \(time))")
  }

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
  /// The names of the events that it asks for.
  fileprivate var events: [String] {
    var facts: [Facts] = []
    if case .when(let condition) = time { facts.append(condition) }
    if case .expect(let expected, _) = act { facts.append(expected) }
    return facts.compactMap { $0.event?.name }
  }
}
