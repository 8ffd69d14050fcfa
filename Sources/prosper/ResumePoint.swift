import AudioFiles
import Engine
import Foundation
import Glibc
import Player
import Remote
import Schedule

/// Where a session was left, and whether it can go on there.
struct ResumePoint {
  enum Failure: Error {
    case nothingLeft
    case leftBefore(session: String, at: String)
    case changed(session: String, at: String)
    case pastLost(session: String)

    var message: String {
      switch self {
      case .nothingLeft: "no session was left in the middle; start one with 'prosper play SESSION'"
      case .leftBefore(let session, let position):
        "the session that was played last has come to its end; before it \(session) was left at \(position): "
          + "go on with that one by naming it"
      case .changed(let session, let position):
        "\(session) or one of its sounds has changed since it was left at \(position); "
          + "play it from its beginning, or from a position of yours with --from"
      case .pastLost(let session):
        "\(session): what was changed in it can't be done again; continue without these changes with --lenient"
      }
    }

    var status: ExitStatus {
      switch self {
      case .nothingLeft, .leftBefore: .missingInput
      case .changed, .pastLost: .invalidData
      }
    }
  }

  /// The path of the session that was left last, unless another one has come to its end since.
  static func lastSession() throws(Failure) -> String {
    guard let folder = StateFolder(), let saved = SavedPlace.latest(in: folder) else { throw .nothingLeft }
    if let end = SavedPlace.lastEnd(in: folder), saved.savedAt < end {
      throw .leftBefore(session: saved.session, at: position(of: saved.place))
    }
    return saved.session
  }

  /// The place in a session; nil where it wasn't left in the middle.
  ///
  /// - Parameter isStrict: whether a place is refused whose changes can't be made again; otherwise it continues without them.
  static func place(in programme: Programme, at path: String, isStrict: Bool) throws(Failure) -> SessionPlace? {
    guard let folder = StateFolder(), let saved = SavedPlace.load(of: absolute(path), from: folder) else { return nil }
    var place = saved.place
    SessionPlan.fetch(place.past?.sources ?? [], takesArriving: false)
    guard SessionSounds(of: programme, at: path).match(saved.print, after: place.past),
      programme.stages.indices.contains(place.stage), 0 <= place.seconds,
      place.seconds < Journal.longest, place.volumes?.isPossible ?? true
    else { throw .changed(session: path, at: position(of: place)) }
    tell(place, in: programme, at: path)
    if place.isPastUnreadable || place.past?.fits(programme) == false {
      if isStrict { throw .pastLost(session: path) }
      Complaint.say(
        "\(path): what was changed in it can't be done again: it goes on with the stage as it was planned, at its last volumes"
      )
      place.past = nil
    }
    return place
  }

  /// Keeps the place while the session is played; nil where nothing can be kept. Reports a place that an earlier run left,
  /// if this one does not resume it and another could.
  static func keeper(of programme: Programme, at path: String, resumes: Bool) -> PlaceKeeper? {
    let sounds = SessionSounds(of: programme, at: path)
    let keeper = StateFolder().flatMap { folder in
      PlaceKeeper(of: absolute(path), in: folder, resumes: resumes, told: Complaint.say) { sounds.print(after: $0) }
    }
    if !resumes, let saved = keeper?.older, programme.stages.indices.contains(saved.place.stage),
      sounds.match(saved.print, after: saved.place.past)
    {
      let stage = programme.stages[saved.place.stage].name
      Complaint.say(
        "\(path) was left at \(position(of: saved.place)) of '\(stage)'; to continue there, interrupt this run within a "
          + "minute and run 'prosper play --resume \(path)'")
    }
    return keeper
  }

  /// Who sits at a terminal wants to know what it is that goes on, and where.
  private static func tell(_ place: SessionPlace, in programme: Programme, at path: String) {
    guard isatty(2) == 1 else { return }
    Complaint.say("goes on with \(path) at \(position(of: place)) of '\(programme.stages[place.stage].name)'")
  }

  private static func position(of place: SessionPlace) -> String { clockText(max(0, min(place.seconds, 1e9))) }

  private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
