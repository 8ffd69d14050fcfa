import Dispatch
import Foundation
import Glibc
package import Player
import Synchronization

/// Writes down where the listener is, on a queue of its own, each time in the other one of two slots of one file: a crash
/// in the middle of a write costs the last place, not both.
///
/// What an older run has left stays until the first place of this one is written.
package final class PlaceKeeper: Sendable {
  private struct State {
    var place: SavedPlace
    var isWaiting = false
    var isForgotten = false
    var hasFailed = false
    /// Whether a place was too large to be kept with all that led there.
    var isBare = false
    /// What is in the file by now; nil before this run has written anything.
    var written: SavedPlace?
    var syncedAt = 0.0
  }

  private let state: Mutex<State>
  /// Of the place that an older run has left; 0 where there is none.
  private let olderNumber: Int
  private let descriptor: Int32
  private let path: String
  private let folder: StateFolder
  private let queue = DispatchQueue(label: "prosper.place")
  private let told: @Sendable (String) -> Void

  /// Nil where the folder can't be written: then the place is not kept, and the session is played anyway.
  ///
  /// - Parameters:
  ///   - print: of the session file and its sounds as they are.
  ///   - told: called with a sentence, once, when the place can't be kept; on any thread.
  package init?(
    of session: String, _ print: SessionPrint, in folder: StateFolder, told: @escaping @Sendable (String) -> Void
  ) {
    (self.folder, self.told) = (folder, told)
    try? FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder.file(SavedPlace.fileName(of: session))
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let code = errno
    olderNumber = SavedPlace.load(of: session, from: folder)?.number ?? 0
    var first = SavedPlace(session: session, print: print, place: SessionPlace(stage: 0, seconds: 0), savedAt: 0)
    first.number = olderNumber
    state = Mutex(State(place: first))
    if descriptor < 0 {
      told(Self.sentence(path, code))
      return nil
    }
    // Of two players of one session the first keeps its place, and only the one that keeps it takes it away.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
  }

  private static func sentence(_ path: String, _ code: Int32) -> String {
    "\(path): can't be written (\(String(cString: strerror(code)).lowercased())): --resume will not find this session"
  }

  deinit { if 0 <= descriptor { Glibc.close(descriptor) } }

  /// More is known of the session's sounds than before: what `print` returns goes with the place from now on.
  package func identify(by print: @escaping @Sendable () -> SessionPrint) {
    queue.async { [self] in
      let print = print()
      let hasBegun = state.withLock { state in
        state.place.print = print
        return state.written != nil
      }
      if hasBegun { write() }
    }
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
    queue.sync {
      _ = unlink(path)
      try? folder.write("", to: SavedPlace.endMark)
    }
  }

  /// The session never began: what was left before is what was left last.
  package func withdraw() {
    let written = state.withLock { state in
      state.isForgotten = true
      return state.written
    }
    queue.sync {
      if olderNumber == 0 {
        _ = unlink(path)
      } else if let written, written.number == olderNumber + 1 {
        _ = pwrite(descriptor, "\n", 1, Self.offset(of: written.number))
      }
    }
  }

  /// Waits until the last place is on the disk.
  package func close() { queue.sync { _ = fdatasync(descriptor) } }

  private static func offset(of number: Int) -> off_t { off_t((number % 2) * SavedPlace.slot) }

  /// Where the listener has done more than fits, the place alone.
  private func content(of place: SavedPlace) -> Data? {
    if let content = place.content() { return content }
    var bare = place
    bare.place.past = nil
    let isNews = state.withLock { state in
      defer { state.isBare = true }
      return !state.isBare
    }
    if isNews {
      told("\(path): too much was changed for it to be kept: --resume will go on with the stage as it was planned")
    }
    return bare.content()
  }

  private func write() {
    let now = Date().timeIntervalSince1970
    let place = state.withLock { state -> SavedPlace? in
      state.isWaiting = false
      if state.isForgotten { return nil }
      // Where nothing has changed, as before the first frame is heard, an older place needn't go yet.
      if let written = state.written, (written.place, written.print) == (state.place.place, state.place.print) {
        return nil
      }
      state.place.number += 1
      state.place.savedAt = now
      return state.place
    }
    guard let place, let content = content(of: place) else { return }
    let written = content.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, Self.offset(of: place.number))
    }
    let code = written < 0 ? errno : ENOSPC
    let (isNews, isDue) = state.withLock { state in
      let hasFailed = written < content.count
      defer { state.hasFailed = hasFailed || state.hasFailed }
      if !hasFailed { state.written = place }
      // A page a second is what a loss of power may cost, and what a memory card bears for years.
      let isDue = 1 <= abs(now - state.syncedAt)
      if isDue { state.syncedAt = now }
      return (hasFailed && !state.hasFailed, isDue)
    }
    if isNews { told(Self.sentence(path, code)) }
    if isDue { fdatasync(descriptor) }
  }
}
