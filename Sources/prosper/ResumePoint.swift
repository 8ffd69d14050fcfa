import Glibc
import ProsperKit

/// Finds the position at which a session was interrupted, and decides whether it can be resumed there.
struct ResumePoint {
  /// Why a session can't be resumed.
  enum Failure: Error {
    /// No position is saved.
    case nothingLeft
    /// No sit is saved.
    case noSit
    /// Another session has finished since the last interrupted one.
    case leftBefore(session: String, at: String)
    /// The session file or one of its sounds has changed since. `stage` and `time` are the stage, and the time in
    /// seconds from the session's start, that can be played instead; nil if there is none.
    case changed(session: String, at: String, stage: String?, time: Double?)
    /// The session had another length when it was interrupted.
    case otherLength(session: String, at: String, length: Double?)
    /// The listener's changes can't be repeated, and `--lenient` is not given.
    case journalLost(session: String)

    /// One line that says why nothing can be resumed, and what to do instead.
    var message: String {
      switch self {
      case .nothingLeft: "there is no unfinished session to resume; start one with 'prosper play SESSION'"
      case .noSit: "there is no sit to resume; start one with 'prosper sit 25m'"
      case .leftBefore(let session, let position):
        "the last session finished; \(session), played before it, was interrupted at \(position): "
          + "to resume it, give its path"
      case .changed(let session, let position, let stage, let time):
        "\(session) or one of its sounds has changed since it was interrupted at \(position); play it without --resume"
          + (stage.map { ", or start with that stage: --stage \(shellWord($0))" } ?? "")
          + (time.map { ", or at that time: --from \(clockText($0))" } ?? "")
      case .otherLength(let session, let position, let length):
        "\(session) was interrupted at \(position) with "
          + "\(length.map { "--duration \(TimeSpelling.text($0))" } ?? "its own length"); "
          + "to resume it, leave out --duration"
      case .journalLost(let session):
        "\(session): the changes made during playback can't be repeated; "
          + "leave out --strict, or add --lenient, to resume without them"
      }
    }

    var status: ExitStatus {
      switch self {
      case .nothingLeft, .noSit, .leftBefore: .missingInput
      case .changed, .otherLength, .journalLost: .invalidData
      }
    }
  }

  /// The path of the session that was interrupted last.
  ///
  /// - Throws: if there is none, or if another session has finished since.
  static func lastSession() throws(Failure) -> String {
    guard let folder = StateFolder(), let saved = SavedPosition.latest(in: folder) else { throw .nothingLeft }
    if saved.isBeforeLastEnd(in: folder) {
      throw .leftBefore(session: saved.session, at: text(saved.position))
    }
    return saved.session
  }

  /// The time in seconds that a session was fitted to when it was interrupted; nil for its own length.
  static func fittedLength(of path: String) -> Double? { saved(path)?.fittedLength }

  /// The failure for a session that has changed since it was interrupted; nil if it was not interrupted.
  static func change(of path: String) -> Failure? {
    saved(path).map { Failure.changed(session: path, at: text($0.position), stage: nil, time: nil) }
  }

  private static func saved(_ path: String) -> SavedPosition? {
    StateFolder().flatMap { SavedPosition.load(of: absolutePath(of: path), from: $0) }
  }

  /// The saved position of a session; nil if it was not interrupted. If the changes made during playback can't be
  /// repeated, they are dropped with a warning.
  ///
  /// - Parameter length: the time in seconds that the session is fitted to; nil for its own length.
  /// - Throws: if the session or one of its sounds has changed since, or if changes would be dropped and `isStrict` is
  ///   set.
  static func position(
    in programme: Programme, at path: String, fittedTo length: Double?, isStrict: Bool
  ) throws(Failure) -> SessionPosition? {
    guard let saved = saved(path) else { return nil }
    var position = saved.position
    let stage = programme.stages.indices.contains(position.stage) ? programme.stages[position.stage].name : nil
    guard saved.fittedLength == length else {
      throw .otherLength(session: path, at: text(position, in: stage), length: saved.fittedLength)
    }
    // The listener's changes may have added remote sounds. They are compared as a whole, so they must be complete.
    SessionPlan.fetch(
      position.journal?.sources ?? [], playsWhileDownloading: false, announcing: SessionPlan.announceDownload)
    guard SessionSounds(of: programme, at: path).match(saved.print, after: position.journal),
      stage != nil, 0 <= position.seconds, position.seconds < Programme.maximumSeconds,
      position.volumes?.isValid ?? true
    else {
      throw .changed(
        session: path, at: text(position, in: stage), stage: stage, time: time(of: position, in: programme))
    }
    if isatty(2) == 1 { StandardError.say("resuming \(path) at \(text(position, in: stage))") }
    if position.isJournalUnreadable || position.journal?.fits(programme) == false {
      if isStrict { throw .journalLost(session: path) }
      StandardError.say(
        "\(path): the changes made during playback can't be repeated; the stage resumes as planned, at the last volumes"
      )
      position.journal = nil
    }
    return position
  }

  /// The object that saves the position while the session plays; nil if it can't be saved.
  ///
  /// Also reports a position of an earlier run, if this run does not resume it but another one could.
  static func positionSaver(
    of programme: Programme, at path: String, fittedTo length: Double?, resumes: Bool
  ) -> PositionSaver? {
    let sounds = SessionSounds(of: programme, at: path)
    let positionSaver = StateFolder().flatMap { folder in
      PositionSaver(
        of: absolutePath(of: path), fittedTo: length, in: folder, resumes: resumes,
        isUseful: {
          programme.stages.indices.contains($0.position.stage) && sounds.match($0.print, after: $0.position.journal)
        }, report: StandardError.say
      ) { sounds.print(after: $0) }
    }
    if let saved = positionSaver?.older {
      let stage = programme.stages[saved.position.stage].name
      StandardError.say(
        "\(path) was interrupted at \(text(saved.position, in: stage)); to continue there, press Ctrl-C within a minute "
          + "and run: prosper play --resume \(shellWord(ofPath: path))")
    }
    return positionSaver
  }

  /// The time of a position from the session's start in seconds; nil if the session, which may have changed, has no such
  /// position.
  private static func time(of position: SessionPosition, in programme: Programme) -> Double? {
    guard programme.stages.indices.contains(position.stage), 0..<Programme.maximumSeconds ~= position.seconds else {
      return nil
    }
    let begin = programme.rate.seconds(programme.layout[position.stage].begin)
    let end = Schedule(programme).end.map(programme.rate.seconds) ?? Programme.maximumSeconds
    return begin + position.seconds < end ? begin + position.seconds : nil
  }

  /// A position as text: the time in its stage, and the name of the stage; nil for its number, counted from 1. The saved
  /// file may contain any numbers, so they are limited before they are formatted.
  private static func text(_ position: SessionPosition, in stage: String? = nil) -> String {
    let time = clockText(max(0, min(position.seconds, 1e9)))
    let name = stage.map { "'\($0)'" } ?? "\(max(0, min(position.stage, 999_999)) + 1)"
    return "\(time) of stage \(name)"
  }
}
