import ArgumentParser
import Glibc
import ProsperKit

/// `prosper schedule remove`: stops timers, and removes their files.
struct ScheduleRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes scheduled sessions from the schedule.",
    discussion: "A session that is playing continues. Session files are kept.")

  @Argument(help: "Names from 'prosper schedule list', session files that have only one timer, or days.")
  var names: [String] = []

  @Flag(help: "Removes all scheduled sessions.")
  var all = false

  func validate() throws {
    if names.isEmpty != all { throw ValidationError("give either the names of timers, or --all") }
  }

  func run() throws {
    try ScheduleCommand.reporting {
      let folder = try TimerFolder()
      let entries = folder.entries
      // All names are looked up first, so that a mistyped one leaves everything as it is.
      let chosen = all ? entries : try names.flatMap { try timers(of: $0, among: entries) }
      var failure: UserManager.Failure?
      for entry in chosen {
        do throws(UserManager.Failure) { try folder.remove(entry) } catch { failure = failure ?? error }
        print("removed \(entry.name)".withoutControls)
      }
      if let failure { throw failure }
      if !chosen.isEmpty { try UserManager.reload() }
    }
  }

  /// The timers that an argument means: one, or all of a day.
  private func timers(of name: String, among entries: [TimerFolder.Entry]) throws -> [TimerFolder.Entry] {
    if let entry = entries.first(where: { $0.name == name || $0.unit == name }) { return [entry] }
    let path = absolutePath(of: name)
    let ofDay = entries.filter { $0.timer.day?.name == name || $0.timer.day?.path == path }
    if !ofDay.isEmpty { return ofDay }
    let ofSession = entries.filter { $0.timer.session == path }
    if ofSession.count == 1 { return ofSession }
    if 1 < ofSession.count {
      let names = ofSession.map { "'\($0.name)'" }.joined(separator: ", ")
      throw Refusal("\(name.withoutControls) has several timers; give one of their names: \(names)")
    }
    let fix =
      entries.isEmpty
      ? "nothing is scheduled"
      : Suggestion.fix(for: name, among: entries.map(\.name) + Set(entries.compactMap(\.timer.day?.name)).sorted())
    throw Refusal("there is no timer '\(name.withoutControls)'; \(fix)")
  }
}
