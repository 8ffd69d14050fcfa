import ArgumentParser
import ProsperKit

/// The page about a run of `prosper play`, and what it is made from.
struct RunReport {
  private let path: String
  private let plan: SessionPlan
  /// The files that it must not replace.
  private let inputs: [String]
  private let record = SessionRecord()

  init(path: String, plan: SessionPlan, inputs: [String]) {
    (self.path, self.plan, self.inputs) = (path, plan, inputs)
  }

  /// Keeps an event. May be called from any thread.
  func note(_ event: StampedEvent) { record.note(event) }

  /// Reads from now on what commands make of the plan.
  func follow(_ player: AudioPlayerService) { record.follow(player) }

  /// Writes the page after the run, or prints why it can't be written.
  ///
  /// - Parameter sound: what was heard.
  /// - Returns: the exit status of a page that can't be written; nil if it was written.
  func write(_ sound: SessionSound?) -> ExitStatus? {
    let changed = record.changes.map { (first: $0.events, timeline: Timelines.Timeline(planning: $0.programme)) }
    let facts = SessionFacts(record.events, planned: [(0, plan.timeline)] + changed, sound)
    let page = ReportPage(
      title: plan.layout?.programme.title ?? path, facts: facts,
      sound: sound, missing: record.missing)
    do {
      try TextFile.write(to: path, .replace, sparing: inputs) { $0.write(page.html) }
      return nil
    } catch let code as ExitCode { return ExitStatus(rawValue: code.rawValue) ?? .defect } catch { return .defect }
  }
}
