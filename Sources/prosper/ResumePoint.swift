import AudioFiles
import Engine
import Foundation
import Glibc
import Player
import Remote

/// Where a session was left, and whether it can go on there.
struct ResumePoint {
  enum Failure: Error {
    case nothingLeft
    case leftBefore(session: String, at: String)
    case changed(session: String, at: String)

    var message: String {
      switch self {
      case .nothingLeft: "no session was left in the middle; start one with 'prosper play SESSION'"
      case .leftBefore(let session, let position):
        "the session that was played last has come to its end; before it \(session) was left at \(position): "
          + "go on with that one by naming it"
      case .changed(let session, let position):
        "\(session) or one of its sounds has changed since it was left at \(position); "
          + "play it from its beginning, or from a position of yours with --from"
      }
    }

    var status: ExitStatus { if case .changed = self { .invalidData } else { .missingInput } }
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
  static func place(in programme: Programme, at path: String) throws(Failure) -> SessionPlace? {
    guard let folder = StateFolder(), let saved = SavedPlace.load(of: absolute(path), from: folder) else { return nil }
    var place = saved.place
    let sounds = SessionSounds(of: programme, at: path)
    guard sounds.match(saved.print), programme.stages.indices.contains(place.stage), 0 <= place.seconds,
      place.seconds < SessionPast.longest
    else { throw .changed(session: path, at: position(of: place)) }
    tell(place, in: programme, at: path)
    if let past = place.past, !past.fits(programme) {
      Complaint.say("\(path): what was changed in it can't be done again: it goes on with the stage as it was planned")
      place.past = nil
    }
    return place
  }

  /// Keeps the place while the session is played; nil where nothing can be kept.
  static func keeper(of programme: Programme, at path: String) -> PlaceKeeper? {
    let sounds = SessionSounds(of: programme, at: path)
    guard let folder = StateFolder(),
      let keeper = PlaceKeeper(of: absolute(path), sounds.print, in: folder, told: Complaint.say)
    else { return nil }
    for address in sounds.coming {
      RemoteSounds.shared.whenHere([address]) { keeper.identify { sounds.print } }
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

/// What a session is made of, as far as it is there: its file's text, of each sound's file the size and the time, and the
/// content of what was fetched.
private struct SessionSounds: Sendable {
  private let text: Data
  private let files: [String: String?]
  private let addresses: [String]

  init(of programme: Programme, at path: String) {
    text = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
    var (files, addresses): ([String: String?], Set<String>) = ([:], [])
    for source in programme.sources {
      switch source.origin {
      case .file(let path): files.updateValue(Self.facts(of: path), forKey: path)
      case .remote(let address): addresses.insert(address)
      case .generated: continue
      }
    }
    (self.files, self.addresses) = (files, addresses.sorted())
  }

  var print: SessionPrint { SessionPrint(of: text, sounds: all) }

  func match(_ print: SessionPrint) -> Bool { print.holds(for: text, sounds: all) }

  /// Those that are not here yet.
  var coming: [String] { addresses.filter { RemoteSounds.shared.content(of: $0) == nil } }

  private var all: [String: String?] {
    var all = files
    for address in addresses { all.updateValue(RemoteSounds.shared.content(of: address), forKey: address) }
    return all
  }

  private static func facts(of path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return "\(facts.st_size) \(facts.st_mtim.tv_sec) \(facts.st_mtim.tv_nsec)"
  }
}
