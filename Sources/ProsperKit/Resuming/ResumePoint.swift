import AudioFiles
package import Player
package import SavedState
package import Schedule
import Signal
import Sounds

/// The position at which a session was interrupted, if it can be resumed there.
package struct ResumePoint: Sendable {
  /// Why a session can't be resumed.
  package enum Failure: Error, Sendable, CustomStringConvertible {
    /// No position is saved.
    case nothingLeft
    /// Another session has finished since the last interrupted one.
    case leftBefore(session: String, at: Place)
    /// The session file or one of its sounds has changed since. `stage` and `time` are the stage, and the time in
    /// seconds from the session's start, that can be played instead; nil if there is none.
    case changed(session: String, at: Place, stage: String?, time: Double?)
    /// The session had another length when it was interrupted; nil for its own length.
    case otherLength(session: String, at: Place, length: Double?)
    /// The session's parameters had other values when it was interrupted: those that were given, by name.
    case otherSettings(session: String, at: Place, settings: [String: String])
    /// The listener's changes can't be repeated, and must not be dropped.
    case journalLost(session: String)

    /// One sentence that says why nothing can be resumed.
    package var description: String {
      switch self {
      case .nothingLeft: "there is no unfinished session"
      case .leftBefore(let session, let place):
        "another session has finished since \(session) was interrupted at \(place)"
      case .changed(let session, let place, _, _):
        "\(session) or one of its sounds has changed since it was interrupted at \(place); start it anew"
      case .otherLength(let session, let place, let length):
        "\(session) was interrupted at \(place) with \(length.map { "a length of \($0) s" } ?? "its own length"); "
          + "give it that length"
      case .otherSettings(let session, let place, let settings):
        "\(session) was interrupted at \(place) with "
          + (settings.isEmpty
            ? "its defaults"
            : settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", "))
          + "; give its parameters these values"
      case .journalLost(let session): "\(session): the changes made during playback can't be repeated"
      }
    }
  }

  /// A position as text: the time in its stage, and the name of the stage, or its number, counted from 1.
  package struct Place: Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameter stage: the name of the stage; nil for its number. The saved file may contain any numbers, so they are
    ///   limited before they are formatted.
    init(_ position: SessionPosition, in stage: String? = nil) {
      let time = clockText(max(0, min(position.seconds, 1e9)))
      let name = stage.map { "'\($0)'" } ?? "\(max(0, min(position.stage, 999_999)) + 1)"
      description = "\(time) of stage \(name)"
    }

    package init(_ saved: SavedPosition, in programme: Programme) {
      let stage = saved.position.stage
      self.init(saved.position, in: programme.stages.indices.contains(stage) ? programme.stages[stage].name : nil)
    }
  }

  /// Where to resume, without changes that can't be repeated.
  package let position: SessionPosition
  /// The same as text.
  package let place: Place
  /// Whether the changes made during playback can't be repeated, so that the stage resumes as planned.
  package let isJournalLost: Bool

  /// Finds the saved position of a session. Blocks while it downloads sounds that the listener has added.
  ///
  /// - Parameters:
  ///   - identity: the session's files, and the values given for its parameters.
  ///   - length: the time in seconds that the session is fitted to; nil for its own length.
  ///   - isStrict: whether it is a failure if the listener's changes can't be repeated.
  ///   - folder: where positions are saved.
  ///   - announcing: called with each address that is downloaded.
  /// - Returns: nil if the session was not interrupted.
  /// - Throws: if the session or one of its sounds has changed since.
  package init?(
    in programme: Programme, _ identity: SessionIdentity, fittedTo length: Double?, isStrict: Bool,
    folder: StateFolder? = StateFolder(), announcing: (String) -> Void
  ) throws(Failure) {
    let path = identity.path
    guard let saved = Self.saved(path, in: folder) else { return nil }
    var position = saved.position
    let stage = programme.stages.indices.contains(position.stage) ? programme.stages[position.stage].name : nil
    place = Place(position, in: stage)
    guard saved.fittedLength == length else {
      throw .otherLength(session: path, at: place, length: saved.fittedLength)
    }
    guard saved.settings ?? [:] == identity.settings else {
      throw .otherSettings(session: path, at: place, settings: saved.settings ?? [:])
    }
    // The listener's changes may have added remote sounds. They are compared as a whole, so they must be complete.
    SessionPlan.fetch(position.journal?.sources ?? [], playsWhileDownloading: false, announcing: announcing)
    guard SessionSounds(of: programme, identity).match(saved.print, after: position.journal),
      stage != nil, 0 <= position.seconds, position.seconds < Programme.maximumSeconds,
      position.volumes?.isValid ?? true
    else {
      throw .changed(session: path, at: place, stage: stage, time: Self.time(of: position, in: programme))
    }
    isJournalLost = position.isJournalUnreadable || position.journal?.fits(programme) == false
    if isJournalLost {
      if isStrict { throw .journalLost(session: path) }
      position.journal = nil
    }
    self.position = position
  }

  /// The path of the session that was interrupted last.
  ///
  /// - Throws: if there is none, or if another session has finished since.
  package static func lastSession() throws(Failure) -> String {
    guard let folder = StateFolder(), let saved = SavedPosition.latest(in: folder) else { throw .nothingLeft }
    if saved.isBeforeLastEnd(in: folder) { throw .leftBefore(session: saved.session, at: Place(saved.position)) }
    return saved.session
  }

  /// The time in seconds that a session was fitted to when it was interrupted; nil for its own length.
  package static func fittedLength(of path: String) -> Double? { saved(path)?.fittedLength }

  /// The values that were given for the parameters of a session when it was interrupted, by name.
  package static func settings(of path: String) -> [String: String] { saved(path)?.settings ?? [:] }

  /// The seed of the run in which a session was interrupted; nil if no random moment depended on it.
  package static func seed(of path: String, in folder: StateFolder? = StateFolder()) -> UInt64? {
    saved(path, in: folder)?.seed
  }

  /// The failure for a session that has changed since it was interrupted; nil if it was not interrupted.
  package static func change(of path: String) -> Failure? {
    saved(path).map { Failure.changed(session: path, at: Place($0.position), stage: nil, time: nil) }
  }

  /// The time from the session's start in seconds at which a session was interrupted; nil if it was not. Whether it has
  /// changed since is checked when it is resumed.
  package static func time(of path: String, in programme: Programme) -> Double? {
    saved(path).flatMap { time(of: $0.position, in: programme) }
  }

  private static func saved(_ path: String, in folder: StateFolder? = StateFolder()) -> SavedPosition? {
    folder.flatMap { SavedPosition.load(of: absolutePath(of: path), from: $0) }
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
}

extension PositionSaver {
  /// Saves the positions of a session while it plays; nil if they can't be saved.
  ///
  /// - Parameters:
  ///   - identity: the session's files, and the values given for its parameters.
  ///   - length: the time in seconds that the session is fitted to; nil for its own length.
  ///   - folder: where positions are saved.
  ///   - resumes: whether this run resumes the position that an earlier one saved.
  ///   - reload: reads the session file again; the position then belongs to the new file.
  ///   - report: called once with a sentence if positions can't be saved; on any thread.
  package convenience init?(
    of programme: Programme, _ identity: SessionIdentity, fittedTo length: Double?,
    in folder: StateFolder? = StateFolder(),
    resumes: Bool, reload: SessionReload? = nil, report: @escaping @Sendable (String) -> Void
  ) {
    guard let folder else { return nil }
    let sounds = SessionSounds(of: programme, identity)
    reload?.follow(sounds)
    self.init(
      of: absolutePath(of: identity.path), fittedTo: length, settings: identity.settings, seed: identity.seed,
      in: folder, resumes: resumes,
      isUseful: {
        // With other values, the session has other stages and sounds.
        $0.settings ?? [:] != identity.settings
          || programme.stages.indices.contains($0.position.stage) && sounds.match($0.print, after: $0.position.journal)
      }, report: report
    ) { sounds.print(after: $0) }
  }

  /// Removes the saved position after a complete session, restores the earlier one if nothing was played, and otherwise
  /// keeps the last position. Blocks until that is done.
  ///
  /// - Parameter isKept: called before the last position is written: a slow disk may take long.
  package func leave(after result: PlaybackResult, isKept: () -> Void = {}) {
    let isOver = result.failure == nil && (result.reason == .completed || result.reason == .stopped)
    if isOver { return remove() }
    if result.totals.played == 0 { return discard() }
    if isSaved { isKept() }
    close()
  }
}

extension StampedEvent {
  /// True for the events after which the listener's position is saved: once a second, and after every change, because
  /// no position events occur during a pause.
  var movesPosition: Bool {
    // The progress of a crossfade does not change the name of the state.
    if case .state(let state, let previous) = event { return state.kind.rawValue != previous }
    return ["position", "stage.started", "command"].contains(event.name)
  }
}

/// Seconds as `M:SS`, or as `H:MM:SS` from one hour on; a dash if they are not a time.
package func clockText(_ seconds: Double) -> String {
  guard seconds.isFinite, 0 <= seconds, seconds < 1e9 else { return "–" }
  let whole = Int(seconds)
  let pair = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
  let minutes = whole / 60 % 60
  return whole < 3_600 ? "\(minutes):\(pair(whole % 60))" : "\(whole / 3_600):\(pair(minutes)):\(pair(whole % 60))"
}
