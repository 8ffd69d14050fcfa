import Glibc
import ProsperKit
import Synchronization

/// Keeps the events of a run that its report shows, and the plans that commands have made. May be used from any thread.
final class SessionRecord: Sendable {
  /// A plan, and the number of events before it was in force.
  struct Change: Sendable {
    var events: Int
    var programme: Programme
  }

  private struct Player { weak var service: AudioPlayerService? }

  private let kept = Mutex<[StampedEvent]>([])
  private let made = Mutex<[Change]>([])
  private let player = Mutex(Player())
  private let left = Atomic<Int>(0)

  /// A report of a session that runs for days must not fill the memory.
  private static let most = 50_000

  /// Keeps an event, unless the report does not show it.
  func note(_ event: StampedEvent) {
    switch event.event {
    case .state, .position, .crossfadeProgress, .loadStarted, .loadProgress, .loadCancellable, .loadCompleted,
      .command(_, _, .accepted):
      return
    default: break
    }
    let count = kept.withLock { events in
      if events.count < Self.most { events.append(event) } else { left.add(1, ordering: .relaxed) }
      return events.count
    }
    guard case .command(let name, _, .ended(.done)) = event.event, SessionFacts.changesPlan(name) else { return }
    player.withLock(\.service)?.readProgramme { [self] programme in
      made.withLock { $0.append(Change(events: count, programme: programme)) }
    }
  }

  /// Reads from now on what commands make of the plan.
  func follow(_ player: AudioPlayerService) { self.player.withLock { $0.service = player } }

  /// The plans that commands have made, in their order.
  var changes: [Change] { made.withLock { $0 } }

  var events: [StampedEvent] { kept.withLock { $0 } }
  /// How many events were not kept.
  var missing: Int { left.load(ordering: .relaxed) }
}

/// What was planned, and what happened: the facts that a report shows, without their form.
struct SessionFacts {
  struct Crossfade {
    var from: String
    var to: String
    var begin: Double
    var duration: Double
    /// How far its middle third is above or below the levels around it, in decibels; nil if there is no sound there.
    var error: Double?
  }

  /// A time without sound, or of a single sound.
  struct Gap {
    var at: Double
    var seconds: Double
    var what: String
  }

  var cues: [ReportedCue] = []
  var crossfades: [Crossfade] = []
  var gaps: [Gap] = []
  var commands: [(at: Double, name: String, outcome: String)] = []
  var notes: [(at: Double, text: String)] = []
  var stages: [(name: String, begin: Double, end: Double)] = []
  var metrics: QueueMetrics?
  var totals: Totals?
  var reason: FinishReason?
  var origin = SessionOrigin()
  /// When it began, in seconds since 1970; nil in a render.
  var time: Double?
  /// Session time in seconds.
  var (begin, end) = (0.0, 0.0)

  /// Whether a command makes another plan of the session.
  static func changesPlan(_ name: String) -> Bool { ["extend", "reload"].contains(name) }

  /// - Parameters:
  ///   - events: those that `SessionRecord` has kept.
  ///   - plans: what was planned, from which event on; at least one.
  ///   - sound: what was heard.
  init(_ events: [StampedEvent], planned plans: [(first: Int, timeline: Timelines.Timeline?)], _ sound: SessionSound?) {
    begin = events.first?.session ?? 0
    end = events.last?.session ?? 0
    var parts: [[ReportedCue]] = []
    for (plan, last) in zip(plans, plans.dropFirst().map(\.first) + [events.count]) {
      var began: [CuePairs.Begun] = []
      for event in events[plan.first..<last] { note(event, &began, sound) }
      // The command that has made the plan is also where it begins.
      let during = events[max(0, plan.first - 1)..<last]
      parts.append(CuePairs(plan.timeline, began: began, during: Array(during)).reported)
    }
    for index in stages.indices { stages[index].end = index + 1 < stages.count ? stages[index + 1].begin : end }
    cues = Self.joined(parts)
  }

  /// The cues under all plans. What has begun under one of them did not fail to begin under another one, and only the last
  /// plan has something that was not reached.
  private static func joined(_ parts: [[ReportedCue]]) -> [ReportedCue] {
    let begun = parts.map { part in Set(part.filter { $0.actual != nil }.map(\.identity)) }
    return parts.indices.flatMap { index in
      parts[index].filter { cue in
        if cue.actual != nil { return true }
        if cue.fate == .unreached, index + 1 < parts.count { return false }
        return !begun.indices.contains { $0 != index && begun[$0].contains(cue.identity) }
      }
    }
  }

  private mutating func note(_ event: StampedEvent, _ began: inout [CuePairs.Begun], _ sound: SessionSound?) {
    let at = event.session
    let (opens, visit) = (at == (stages.last?.begin ?? begin), stages.count)
    let begins = { CuePairs.Begun(kind: $0, title: $1, at: event, visit: visit, opensVisit: opens) }
    switch event.event {
    case .sessionStarted(_, _, _, let origin): (self.origin, time) = (origin, event.time)
    case .stageStarted(let name, _, _):
      stages.append((name, at, at))
      began.append(CuePairs.Begun(kind: .stage, title: name, at: event, visit: stages.count, opensVisit: true))
    case .track(let title, _, _, _): began.append(begins(.track, title))
    case .overlayStarted(let title): began.append(begins(.overlay, title))
    case .gong(let title): began.append(begins(.gong, title))
    case .crossfadeStarted(let from, let to, let duration):
      let error = sound.flatMap { Self.error(from: at, over: duration, $0) }
      crossfades.append(Crossfade(from: from, to: to, begin: at, duration: duration, error: error))
    case .underrun(let layer, let title, let milliseconds):
      let what = layer == nil ? "underrun of the output" : "underrun of \(title)"
      gaps.append(Gap(at: at, seconds: milliseconds / 1_000, what: what))
    case .output(.restored(let seconds), _): gaps.append(Gap(at: at, seconds: seconds, what: "outage of the output"))
    case .command(let name, _, .ended(let outcome)): commands.append((at, name, outcome.words))
    case .metrics(let metrics): self.metrics = metrics
    case .sessionFinished(let reason, let totals): (self.reason, self.totals) = (reason, totals)
    default: if let text = event.text { notes.append((at, text.trimmingTime)) }
    }
  }

  /// How far the middle third of a crossfade is from the levels around it, in decibels. Those are what the tracks have in
  /// the three seconds before and after, and power passes evenly from one to the other.
  private static func error(from begin: Double, over duration: Double, _ sound: SessionSound) -> Double? {
    let end = begin + duration
    guard 0.3 <= duration, let before = sound.power(of: .music, from: begin - 3, to: begin),
      let after = sound.power(of: .music, from: end, to: end + 3),
      let middle = sound.power(of: .music, from: begin + duration / 3, to: end - duration / 3),
      0 < before, 0 < after, 0 < middle
    else { return nil }
    return 10 * log10(2 * middle / (before + after))
  }
}

extension CommandOutcome {
  /// The outcome in words.
  var words: String {
    switch self {
    case .done: "done"
    case .cancelled(let other): "cancelled by '\(other)'"
    case .coalesced: "merged into a later one"
    case .rejected(let error): "rejected: \(error)"
    }
  }
}

extension String {
  /// The text of an event without its time.
  fileprivate var trimmingTime: String { split(separator: "  ", maxSplits: 1).last.map { String($0) } ?? self }
}
