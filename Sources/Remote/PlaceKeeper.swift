import Dispatch
import Foundation
import Glibc
package import Player
package import Schedule
import Synchronization

/// Writes down where the listener is, on a queue of its own, each time in the other one of two slots of one file: a crash
/// in the middle of a write costs the last place, not both.
///
/// The place that an earlier run left stays until the first place of this one is written: at once in a run that resumes it,
/// otherwise after a minute, so that a session that was started anew by mistake can still be resumed.
package final class PlaceKeeper: Sendable {
  /// Seconds of run time for which a run that does not resume leaves an earlier place alone.
  package static let patience = 60.0

  /// The place that an earlier run left; nil where there is none.
  package let older: SavedPlace?
  private struct State {
    /// Where the listener is; nil before that is known.
    var here: SessionPlace?
    var isWaiting = false
    var isForgotten = false
    var hasFailed = false
    /// Whether a place was too large to be kept with all that led there.
    var isBare = false
    /// What is in the file by now; nil before this run has written anything.
    var written: SavedPlace?
    /// When the file was last known to be on the disk.
    var synced: SuspendingClock.Instant?
  }

  private let session: String
  private let state = Mutex(State())
  /// The run time of the first place that is written.
  private let begin: Double
  private var olderNumber: Int { older?.number ?? 0 }
  private let descriptor: Int32
  private let path: String
  private let folder: StateFolder
  private let print: @Sendable (Journal?) -> SessionPrint
  private let queue = DispatchQueue(label: "prosper.place")
  private let told: @Sendable (String) -> Void

  /// Nil where the folder can't be written: then the place is not kept, and the session is played anyway.
  ///
  /// - Parameters:
  ///   - resumes: whether this run resumes the place that an earlier one left.
  ///   - told: called with a sentence, once, when the place can't be kept; on any thread.
  ///   - print: of the session file and its sounds, as far as they are known by now, and of those that a past has brought in;
  ///     called before each place that is kept, on any thread.
  package init?(
    of session: String, in folder: StateFolder, resumes: Bool, told: @escaping @Sendable (String) -> Void,
    print: @escaping @Sendable (Journal?) -> SessionPrint
  ) {
    (self.session, self.folder, self.told, self.print) = (session, folder, told, print)
    try? FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder.file(SavedPlace.fileName(of: session))
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let code = errno
    older = SavedPlace.load(of: session, from: folder)
    begin = older == nil || resumes ? 0 : Self.patience
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

  /// The listener is here after so many seconds of run time; never waits.
  package func keep(_ place: SessionPlace, at run: Double) {
    if run < begin { return }
    let isFirst = state.withLock { state in
      state.here = place
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

  /// What is to be written now; nil for nothing. On the queue.
  private func nextPlace() -> SavedPlace? {
    let (here, written) = state.withLock { state in
      state.isWaiting = false
      return (state.isForgotten ? nil : state.here, state.written)
    }
    guard let here else { return nil }
    let print = print(here.past)
    // Where nothing has changed, as before the first frame is heard, an older place needn't go yet.
    if let written, (written.place, written.print) == (here, print) { return nil }
    var place = SavedPlace(session: session, print: print, place: here, savedAt: Date().timeIntervalSince1970)
    place.number = 1 + (written?.number ?? olderNumber)
    return place
  }

  /// Where the listener has done more than fits, the place alone.
  private func content(of place: SavedPlace) -> Data? {
    if let content = place.content() { return content }
    var bare = place
    bare.place.past = nil
    bare.print = print(nil)
    let isNews = state.withLock { state in
      defer { state.isBare = true }
      return !state.isBare
    }
    if isNews {
      told(
        "\(path): too much was changed for it to be kept: --resume will keep the volumes, "
          + "and go on with the stage as it was planned")
    }
    return bare.content()
  }

  private func write() {
    guard let place = nextPlace(), let content = content(of: place) else { return }
    let written = content.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, Self.offset(of: place.number))
    }
    let code = written < 0 ? errno : ENOSPC
    let isNews = state.withLock { state in
      let hasFailed = written < content.count
      defer { state.hasFailed = hasFailed || state.hasFailed }
      if !hasFailed { state.written = place }
      return hasFailed && !state.hasFailed
    }
    if isNews { told(Self.sentence(path, code)) }
    bringToDisk()
  }

  /// Has the kernel write the page now, and waits for the disk itself only every ten seconds: each wait is a wake-up. A loss
  /// of power costs a second where the file system overwrites in place, and ten seconds where it copies (btrfs).
  private func bringToDisk() {
    let now = SuspendingClock().now
    let isDue = state.withLock { state in
      if let synced = state.synced, now < synced + .seconds(10) { return false }
      state.synced = now
      return true
    }
    if isDue {
      fdatasync(descriptor)
    } else {
      // For pages that are yet to be written, this is the portable way to have that begin without waiting for it.
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
  }
}
