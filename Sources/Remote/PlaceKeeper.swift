import Dispatch
import Foundation
import Glibc
package import Player
package import Schedule
import Synchronization

/// Saves the listener's position, for `--resume`.
///
/// The file has two slots, which are written alternately: a crash in the middle of a write costs the latest position,
/// but not the one before. Writing happens on a queue of its own, so that a slow disk does not delay the player.
///
/// The position that an earlier run saved is kept until this run writes its first one: at once if the run resumes it,
/// otherwise after a minute. A session that was started again by mistake can still be resumed.
package final class PlaceKeeper: Sendable {
  /// For how many seconds of run time a run that does not resume keeps an earlier position.
  package static let patience = 60.0

  /// The position that an earlier run saved; nil if there is none.
  package let older: SavedPlace?
  private struct State {
    /// The latest position; nil before the first one.
    var here: SessionPlace?
    /// Whether a write is queued. It will take the latest position, so further positions cause no write.
    var isWaiting = false
    /// Whether nothing is to be written any more.
    var isForgotten = false
    /// Whether a write has failed, which is reported once.
    var hasFailed = false
    /// Whether the listener's changes were once too many to save, which is reported once.
    var isBare = false
    /// The position that this run has written last; nil before the first.
    var written: SavedPlace?
    /// When the file was last known to be on the disk.
    var synced: SuspendingClock.Instant?
  }

  private let session: String
  private let state = Mutex(State())
  /// The run time in seconds before which nothing is written.
  private let begin: Double
  private var olderNumber: Int { older?.number ?? 0 }
  /// The open file. A lock on it keeps other players of the same session from writing.
  private let descriptor: Int32
  private let path: String
  private let folder: StateFolder
  /// The fingerprint of the session with the listener's changes.
  private let print: @Sendable (Journal?) -> SessionPrint
  private let queue = DispatchQueue(label: "prosper.place")
  private let told: @Sendable (String) -> Void

  /// Opens the file of a session. Nil if it can't be written, or if another player of the same session writes it: the
  /// session then plays without saving its position.
  ///
  /// - Parameters:
  ///   - resumes: whether this run resumes the position that an earlier one saved.
  ///   - told: called once with a sentence if positions can't be saved; on any thread.
  ///   - print: returns the fingerprint of the session file and its sounds, as far as they are known, and of the sounds
  ///     that the listener's changes have added. Called before each write, on the keeper's queue.
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
    // Only the first of several players of a session saves its position, and only the one that saves it removes it.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
  }

  private static func sentence(_ path: String, _ code: Int32) -> String {
    "\(path): can't be written (\(String(cString: strerror(code)).lowercased())): --resume will not find this session"
  }

  deinit { if 0 <= descriptor { Glibc.close(descriptor) } }

  /// Records the listener's position at a run time in seconds. Any thread; never waits.
  package func keep(_ place: SessionPlace, at run: Double) {
    if run < begin { return }
    let isFirst = state.withLock { state in
      state.here = place
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    if isFirst { queue.async { [self] in write() } }
  }

  /// Removes the position, because the session has ended. Blocks until that is done.
  package func forget() {
    state.withLock { $0.isForgotten = true }
    queue.sync {
      _ = unlink(path)
      try? folder.write("", to: SavedPlace.endMark)
    }
  }

  /// Discards what this run has written, because nothing was heard: the earlier position is valid again. Blocks until
  /// that is done.
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

  /// Waits until the latest position is on the disk.
  package func close() { queue.sync { _ = fdatasync(descriptor) } }

  /// Where the slot of a write begins in the file, in bytes.
  private static func offset(of number: Int) -> off_t { off_t((number % 2) * SavedPlace.slot) }

  /// The position to write now; nil if there is nothing to write. On the queue.
  private func nextPlace() -> SavedPlace? {
    let (here, written) = state.withLock { state in
      state.isWaiting = false
      return (state.isForgotten ? nil : state.here, state.written)
    }
    guard let here else { return nil }
    let print = print(here.past)
    // If nothing has changed, as before the first frame is heard, an earlier position need not be overwritten yet.
    if let written, (written.place, written.print) == (here, print) { return nil }
    var place = SavedPlace(session: session, print: print, place: here, savedAt: Date().timeIntervalSince1970)
    place.number = 1 + (written?.number ?? olderNumber)
    return place
  }

  /// The content of a slot. If the listener's changes don't fit, only the position and the volumes are saved.
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
        "\(path): there are too many changes to save: --resume will restore the volumes, "
          + "and resume the stage as it was planned")
    }
    return bare.content()
  }

  /// Writes the latest position into the next slot. On the queue.
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

  /// Makes the kernel write the page now, but waits for the disk only every ten seconds, because each wait wakes it up.
  /// A power failure costs one second on file systems that overwrite in place, and up to ten seconds on those that copy
  /// on write (btrfs).
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
      // Starts to write dirty pages without waiting for them; `sync_file_range` would be specific to Linux.
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
  }
}
