import ArgumentParser
import ProsperKit

/// What a timer plays: a session or a sit, with the options of its command.
struct ScheduledPlay {
  /// The path of the session as it was given; `sit` for a sit.
  var session: String
  /// The length of a sit, as it was given; nil for a session.
  var sit: String?
  /// The options of `prosper play` or `prosper sit`.
  var options: [String]

  /// What is known of it after it has been read.
  struct Facts {
    var title: String
    /// How long it plays, in seconds; nil if only the listener ends it.
    var length: Double?
    /// Its outputs, of which two sessions may have none in common.
    var outputs: Set<String>
  }

  /// Reads the session, and checks the options, to find mistakes early.
  ///
  /// - Throws: a `Refusal`, or the exit code, after an error has been printed.
  func facts() throws -> Facts {
    if SessionFile.isStream(session) {
      throw Refusal("a session on stdin or in a pipe can't be scheduled; save it as a file")
    }
    if let sit {
      let command = try Self.parsed(SitCommand.self, [sit] + options)
      if command.save != nil || command.playing.resume {
        throw Refusal("a sit with --save or --resume can't be scheduled")
      }
      return try Self.facts(SessionPlan(session: try command.session()), at: nil, command.options)
    }
    let play = try Self.parsed(PlayCommand.self, [session] + options)
    var plan = SessionPlan.read(session, settings: play.parameters.settings)
    try plan.fit(to: try FittedLength.seconds(play.duration))
    return try Self.facts(plan, at: session, play.options)
  }

  private static func facts(_ plan: SessionPlan, at path: String?, _ options: PlaybackOptions) throws -> Facts {
    let setup = try SessionPlayback(options: options).check(plan, at: path)
    return Facts(
      title: setup.programme.title, length: setup.seconds,
      outputs: Set(options.output.choices.map { "\($0)" }))
  }

  private static func parsed<Command: ParsableCommand>(_ command: Command.Type, _ words: [String]) throws -> Command {
    do { return try command.parse(words) } catch { throw Refusal(Prosper.sentence(command.message(for: error))) }
  }

  /// The timer that plays it.
  func timer(_ facts: Facts, at times: CalendarTimes, grace: Double, wakes: Bool) -> SessionTimer {
    SessionTimer(
      session: sit.map { "sit \($0)" } ?? absolutePath(of: session), sit: sit, title: facts.title,
      at: times.times.map(\.description), days: times.days.description, grace: grace, wakes: wakes, options: options,
      length: facts.length, outputs: facts.outputs.sorted())
  }
}
