import ArgumentParser
import Engine
import GeneratedSounds
import Schedule
import Sessions

/// A session file as the command line sees it: read, checked and laid out.
struct SessionPlan {
  /// Nil when it can't be played.
  var timeline: Timeline?
  /// What commands can refer to.
  var scope: CommandScope?
  let path: String
  /// Every use of a sound, in the order of the file.
  private(set) var sounds: [Session.Sound] = []
  /// Every problem and warning, in the order of the file.
  var diagnostics: [Diagnostic] = []
  /// What can't be opened at all, before there is a place to name.
  var failure: SessionFileError?
  /// What the exit code says of it.
  var status = ExitStatus.finished
  /// Sounds that are there and can't be played: a listener hears the rest.
  var skipped: [Programme.Skipped] = []

  /// - Parameter takesArriving: whether it is enough that sounds of other machines have begun to come.
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

  /// The programme for a performance, and what commands can refer to in it; complains and ends with the right code
  /// when there is none.
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

  func complain() {
    if let failure { Complaint.say(failure.description) }
    for diagnostic in diagnostics { Complaint.sayPlain(diagnostic.description) }
  }

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

  /// Once more, without the sounds that are there and can't be played.
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

  private mutating func tellLeftOut(of session: Session, in rest: Session) {
    let kept = Set(rest.stages.map(\.place))
    for stage in session.stages where !kept.contains(stage.place) {
      diagnostics.append(
        Diagnostic(
          .warning, path, stage.place,
          "the stage '\(stage.name)' is left out, for none of its tracks can be played and it has no duration",
          mend: "replace its tracks, or give it a duration"))
    }
    diagnostics.sort { $0.place < $1.place }
  }
}
