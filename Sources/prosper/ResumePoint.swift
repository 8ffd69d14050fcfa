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
    case changed(session: String, at: String)

    var message: String {
      switch self {
      case .nothingLeft: "no session was left in the middle; start one with 'prosper play SESSION'"
      case .changed(let session, let position):
        "\(session) or one of its sounds has changed since it was left at \(position); "
          + "play it from its beginning, or from a position of yours with --from"
      }
    }

    var status: ExitStatus { if case .nothingLeft = self { .missingInput } else { .invalidData } }
  }

  /// The path of the session that was left last.
  static func lastSession() throws(Failure) -> String {
    guard let folder = StateFolder(), let saved = SavedPlace.latest(in: folder) else { throw .nothingLeft }
    return saved.session
  }

  /// The place in a session; nil where it wasn't left in the middle.
  static func place(in programme: Programme, at path: String) throws(Failure) -> SessionPlace? {
    guard let folder = StateFolder(), let saved = SavedPlace.load(of: absolute(path), from: folder) else { return nil }
    let place = saved.place
    guard saved.fingerprint == fingerprint(of: path, programme), programme.stages.indices.contains(place.stage),
      0 <= place.seconds, place.seconds < 1e9
    else { throw .changed(session: path, at: clockText(max(0, min(place.seconds, 1e9)))) }
    return place
  }

  /// Keeps the place while the session is played, from when all its sounds are here; nil where nothing can be kept.
  static func keeper(of programme: Programme, at path: String) -> PlaceKeeper? {
    guard let folder = StateFolder(), let keeper = PlaceKeeper(of: absolute(path), in: folder, told: Complaint.say)
    else {
      return nil
    }
    let print = localFingerprint(of: path, programme)
    let addresses = addresses(in: programme)
    RemoteSounds.shared.whenHere(addresses) { keeper.identify(by: complete(print, with: addresses)) }
    return keeper
  }

  private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  /// Of the file's text, of the size and the time of each sound's file, and of the content of what was fetched.
  private static func fingerprint(of path: String, _ programme: Programme) -> String {
    complete(localFingerprint(of: path, programme), with: addresses(in: programme))
  }

  private static func localFingerprint(of path: String, _ programme: Programme) -> Fingerprint {
    var print = Fingerprint((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
    let sounds = programme.sources.compactMap { if case .file(let path) = $0.origin { path } else { nil } }
    for sound in Set(sounds).sorted() {
      var facts = stat()
      guard stat(sound, &facts) == 0 else { continue }
      print.add("\(sound) \(facts.st_size) \(facts.st_mtim.tv_sec) \(facts.st_mtim.tv_nsec)\n".utf8)
    }
    return print
  }

  private static func addresses(in programme: Programme) -> [String] {
    let addresses = programme.sources.compactMap { if case .remote(let address) = $0.origin { address } else { nil } }
    return Set(addresses).sorted()
  }

  private static func complete(_ local: Fingerprint, with addresses: [String]) -> String {
    var print = local
    let lines = addresses.map { "\($0) \(RemoteSounds.shared.content(of: $0) ?? "")\n" }
    for line in lines.sorted() { print.add(line.utf8) }
    return print.text
  }
}
