import Dispatch
import Foundation
import Glibc
package import Player
import Synchronization

/// Writes down where the listener is, on a queue of its own, each time in the other one of two pages of one file: a
/// crash in the middle of a write costs the last place, not both. The disk itself is asked for only every few seconds.
///
/// Nothing is written before it is known what the place belongs to: what can't be compared can't be gone on with.
package final class PlaceKeeper: Sendable {
  /// Places between two that are forced onto the disk.
  private static let stride = 5

  private struct State {
    var place: SavedPlace
    var isIdentified = false
    var isWaiting = false
    var isForgotten = false
    var hasFailed = false
  }

  private let state: Mutex<State>
  private let descriptor: Int32
  private let path: String
  private let queue = DispatchQueue(label: "prosper.place")
  private let told: @Sendable (String) -> Void

  /// Nil where the folder can't be written: then the place is not kept, and the session is played anyway.
  ///
  /// - Parameter told: called with a sentence, once, when the place can't be kept; on any thread.
  package init?(of session: String, in folder: StateFolder, told: @escaping @Sendable (String) -> Void) {
    self.told = told
    let manager = FileManager.default
    try? manager.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder.file(SavedPlace.fileName(of: session))
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let number = SavedPlace.load(of: session, from: folder)?.number ?? 0
    var first = SavedPlace(
      session: session, fingerprint: "", place: SessionPlace(stage: 0, seconds: 0), savedAt: 0)
    first.number = number
    state = Mutex(State(place: first))
    if descriptor < 0 {
      told(Self.sentence(path, errno))
      return nil
    }
  }

  private static func sentence(_ path: String, _ code: Int32) -> String {
    "\(path): can't be written (\(String(cString: strerror(code)).lowercased())): --resume will not find this session"
  }

  deinit { if 0 <= descriptor { Glibc.close(descriptor) } }

  /// From now on places can be written down: it is known of what.
  ///
  /// - Parameter fingerprint: of the session file and its sounds as they are.
  package func identify(by fingerprint: String) {
    let isLate = state.withLock { state in
      state.place.fingerprint = fingerprint
      state.isIdentified = true
      return state.isWaiting
    }
    if isLate { queue.async { [self] in write() } }
  }

  /// The listener is here now; never waits.
  package func keep(_ place: SessionPlace) {
    let isFirst = state.withLock { state in
      state.place.place = place
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    if isFirst { queue.async { [self] in write() } }
  }

  /// The session has come to its end: there is nothing to go on with.
  package func forget() {
    state.withLock { $0.isForgotten = true }
    queue.sync { _ = unlink(path) }
  }

  /// Waits until the last place is on the disk.
  package func close() { queue.sync { _ = fdatasync(descriptor) } }

  private func write() {
    // There is nothing yet to go on with, and what an older run has left is no place of this one.
    guard state.withLock({ $0.isIdentified }) else {
      _ = ftruncate(descriptor, 0)
      return
    }
    let place = state.withLock { state -> SavedPlace? in
      state.isWaiting = false
      state.place.number += 1
      state.place.savedAt = Date().timeIntervalSince1970
      return state.isForgotten ? nil : state.place
    }
    guard let place, let page = place.page() else { return }
    let offset = off_t((place.number % 2) * SavedPlace.slot)
    let written = page.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
    let isNews = state.withLock { state in
      defer { state.hasFailed = written < page.count || state.hasFailed }
      return written < page.count && !state.hasFailed
    }
    if isNews {
      told(Self.sentence(path, written < 0 ? errno : ENOSPC))
    }
    if place.number % Self.stride == 0 { fdatasync(descriptor) }
  }
}
