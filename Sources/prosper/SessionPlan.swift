import ArgumentParser
import Engine
import GeneratedSounds
import Schedule
import Sessions

/// A session file that has been read, checked and laid out for the command line.
struct SessionPlan {
  /// Nil if the session can't be played.
  var timeline: Timeline?
  /// What commands may refer to; nil if the file has errors.
  var scope: CommandScope?
  let path: String
  /// Every use of a sound, in the order of the file.
  private(set) var sounds: [Session.Sound] = []
  /// Every error and warning, in the order of the file.
  var diagnostics: [Diagnostic] = []
  /// Why the file can't be opened; nil if it can.
  var failure: SessionFileError?
  /// The exit status that follows from the problems.
  var status = ExitStatus.finished
  /// Sounds that exist but can't be played. They are left out, so that the listener hears the rest.
  var skipped: [Programme.Skipped] = []

  /// - Parameter takesArriving: whether a remote sound is good enough once its download has begun.
  init(path: String, takesArriving: Bool = false) {
    self.path = path
    do throws(SessionFileError) {
      let reading = try SessionReader(catalogue: GeneratedSoundLibrary.catalogue).read(path: path)
      diagnostics = reading.diagnostics
      scope = reading.session.map { CommandScope(of: $0) }
      sounds = reading.session.map { $0.sounds.sorted { $0.place < $1.place } } ?? []
      if let session = reading.session {
        fetch(takesArriving: takesArriving)
        layOut(session, Sounds(takesArriving: takesArriving))
        noteCopies()
      } else {
        status = .invalidData
      }
    } catch {
      failure = error
      status = .missingInput
    }
  }

  /// The programme to play, and what commands may refer to in it.
  ///
  /// - Throws: the exit code if there is nothing to play. All problems have been printed to stderr by then.
  static func programme(
    of path: String, takesArriving: Bool
  ) throws -> (programme: Programme, scope: CommandScope) {
    let plan = SessionPlan(path: path, takesArriving: takesArriving)
    plan.complain()
    guard let timeline = plan.timeline, let scope = plan.scope else { throw plan.status.code }
    var programme = timeline.programme
    programme.skipped = plan.skipped
    return (programme, scope)
  }

  /// Prints all problems to stderr.
  func complain() {
    if let failure { Complaint.say(failure.description) }
    for diagnostic in diagnostics { Complaint.sayPlain(diagnostic.description) }
  }

  /// Lays out the session; if only unplayable sounds prevent that, lays it out without them. A missing sound always
  /// prevents it.
  private mutating func layOut(_ session: Session, _ library: any SoundLibrary) {
    do throws(TimelineFailure) {
      let (timeline, warnings) = try Timeline.compile(session, library: library)
      self.timeline = timeline
      diagnostics = (diagnostics + warnings).sorted { $0.place < $1.place }
    } catch {
      refuse(error)
      if error.problems.allSatisfy({ $0.cause.map { !$0.isMissing } ?? false }) {
        layOut(session, without: error.problems, library)
      }
    }
  }

  private mutating func refuse(_ failure: TimelineFailure) {
    diagnostics = (diagnostics + failure.problems.map(\.diagnostic)).sorted { $0.place < $1.place }
    status = failure.problems.contains { $0.cause == nil } ? .invalidData : .missingInput
  }

  /// Lays out the session without the sounds that exist but can't be played.
  private mutating func layOut(
    _ session: Session, without problems: [TimelineFailure.Problem], _ library: any SoundLibrary
  ) {
    let unplayable = session.sounds.filter { sound in problems.contains { $0.diagnostic.place == sound.place } }
    let rest = session.without(Set(unplayable.map(\.source)))
    guard !rest.stages.isEmpty, !rest.sounds.isEmpty,
      let timeline = try? Timeline.compile(rest, library: library).timeline
    else { return }
    self.timeline = timeline
    scope = CommandScope(of: rest)
    tellLeftOut(of: session, in: rest)
    for problem in problems {
      guard let cause = problem.cause, let sound = unplayable.first(where: { $0.place == problem.diagnostic.place })
      else { continue }
      skipped.append(Programme.Skipped(title: sound.title, reason: cause))
    }
  }

  /// Warns of each stage that was left out with its last track.
  private mutating func tellLeftOut(of session: Session, in rest: Session) {
    let kept = Set(rest.stages.map(\.place))
    for stage in session.stages where !kept.contains(stage.place) {
      diagnostics.append(
        Diagnostic(
          .warning, path, stage.place,
          "the stage '\(stage.name)' is left out, because none of its tracks can be played and it has no duration",
          mend: "replace its tracks, or give it a duration"))
    }
    diagnostics.sort { $0.place < $1.place }
  }
}
