import Engine
import Files
import Foundation
import Glibc
package import Player
package import Schedule
import Synchronization

/// Saves the listener's position, for `--resume`.
///
/// The file has two slots, which are written alternately, so a crash during a write loses only the latest position. A
/// separate thread writes them, so that a slow disk does not delay the player.
///
/// The position of an earlier run is kept until this run writes its first one: immediately if this run resumes it, or
/// if no run can, otherwise after a minute. So a session that was started again by mistake can still be resumed.
package final class PositionSaver: Sendable {
  /// Seconds of run time for which a run that does not resume keeps the position of an earlier run.
  package static let grace = 60.0

  /// The position that an earlier run saved, and that this one keeps for a minute; nil if there is none.
  package let older: SavedPosition?

  /// What has been written so far. Its lock is held while the file is written.
  private struct Progress {
    /// Whether nothing may be written any more.
    var isOver = false
    /// Whether a write has failed, which is reported once.
    var hasFailed = false
    /// Whether the listener's changes were once too many to save, which is reported once.
    var isBare = false
    /// The position that this run has written last; nil before the first.
    var written: SavedPosition?
    /// When the file was last known to be on the disk.
    var synced: SuspendingClock.Instant?
    var encoder = SlotEncoder()
  }

  private let session: String
  /// The time in seconds that the session was fitted to; nil for its own length.
  private let fittedLength: Double?
  /// The values that were given for the session's parameters, by name.
  private let settings: [String: String]
  /// The seed of the run; nil if no random moment depends on it.
  private let seed: UInt64?
  /// The latest position; nil before the first one.
  private let here = Mutex<SessionPosition?>(nil)
  private let progress = Mutex(Progress())
  /// Wakes the writing thread.
  private let wake = WakeUp()
  /// The run time in seconds before which nothing is written.
  private let begin: Double
  /// The number of the last write of an earlier run; 0 if there was none.
  private let olderNumber: Int
  /// The open file. A lock on it keeps other players of the same session from writing.
  private let descriptor: Int32
  private let path: String
  private let folder: StateFolder
  /// The fingerprint of the session with the listener's changes.
  private let print: @Sendable (Journal?) -> SessionFingerprint
  private let report: @Sendable (String) -> Void

  /// Opens the file of a session. Nil if it can't be written, or if another player of the same session writes it: the
  /// session then plays without saving its position.
  ///
  /// - Parameters:
  ///   - fittedLength: the time in seconds that the session was fitted to; nil for its own length.
  ///   - settings: the values that were given for the session's parameters, by name.
  ///   - seed: the seed of the run; nil if no random moment depends on it.
  ///   - resumes: whether this run resumes the position that an earlier one saved.
  ///   - isUseful: whether a later run could resume the position that an earlier one saved. Called if this run does not.
  ///   - report: called once with a sentence if positions can't be saved; on any thread.
  ///   - print: returns the fingerprint of the session file and its sounds, as far as they are known, and of the sounds
  ///     that the listener's changes have added. Called before a write, on any thread, until all sounds are known, and
  ///     after each change.
  package init?(
    of session: String, fittedTo fittedLength: Double? = nil, settings: [String: String] = [:],
    seed: UInt64? = nil, in folder: StateFolder, resumes: Bool,
    isUseful: (SavedPosition) -> Bool = { _ in true }, report: @escaping @Sendable (String) -> Void,
    print: @escaping @Sendable (Journal?) -> SessionFingerprint
  ) {
    (self.session, self.folder, self.report, self.print) = (session, folder, report, print)
    (self.fittedLength, self.settings, self.seed) = (fittedLength, settings, seed)
    FilePath.createPrivateFolder(folder.path)
    path = folder.file(SavedPosition.fileName(of: session))
    descriptor = open(path.forSystem, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let code = errno
    // An older file may be readable for others.
    if 0 <= descriptor { fchmod(descriptor, 0o600) }
    let last = SavedPosition.load(of: session, from: folder)
    olderNumber = last?.number ?? 0
    older = resumes ? nil : last.flatMap { isUseful($0) ? $0 : nil }
    begin = older == nil ? 0 : Self.grace
    if descriptor < 0 {
      report(Self.sentence(path, code))
      return nil
    }
    // Only the first of several players of a session saves its position, and only the one that saves it removes it.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
    let isStarted = OSThread.start { [weak self, wake] in
      while true {
        wake.wait()
        guard let self else { return }
        self.write()
      }
    }
    if !isStarted {
      report(Self.sentence(path, EAGAIN))
      return nil
    }
  }

  /// The message for a file that can't be written, with the cause in `code`, a value of `errno`.
  private static func sentence(_ path: String, _ code: Int32) -> String {
    "\(path): can't be written (\(String(cString: strerror(code)).lowercased())): this session can't be resumed"
  }

  deinit {
    wake.call()
    if 0 <= descriptor { Glibc.close(descriptor) }
  }

  /// Records the listener's position at a run time in seconds. May be called from any thread, and does not wait.
  package func record(_ position: SessionPosition, at run: Double) {
    if run < begin { return }
    here.withLock { $0 = position }
    wake.call()
  }

  /// Removes the position, because the session has ended. Blocks until that is done.
  package func remove() {
    progress.withLock {
      _ = unlink(path.forSystem)
      RunOrder.note(isEnd: true, in: folder)
      end(&$0)
    }
  }

  /// Discards the positions of this run, because nothing was heard: the earlier position is valid again. Blocks until
  /// that is done.
  package func discard() {
    progress.withLock {
      if olderNumber == 0 {
        _ = unlink(path.forSystem)
      } else if let written = $0.written, written.number == olderNumber + 1 {
        _ = pwrite(descriptor, "\n", 1, Self.offset(of: written.number))
      }
      end(&$0)
    }
  }

  /// Whether a position of this run has been written, or will be by `close`. Doesn't wait for the disk.
  package var isSaved: Bool {
    here.withLock { $0 != nil } && progress.withLockIfAvailable { !$0.hasFailed && !$0.isOver } ?? true
  }

  /// Stops saving positions. Blocks until the latest one is on the disk.
  package func close() {
    flush()
    progress.withLock { end(&$0) }
  }

  /// Blocks until the latest position is on the disk.
  func flush() {
    write()
    _ = fdatasync(descriptor)
  }

  /// Stops writing, so that another player of the session may save its position.
  private func end(_ progress: inout Progress) {
    progress.isOver = true
    _ = flock(descriptor, LOCK_UN)
  }

  /// The offset in the file of the slot for a write, in bytes.
  private static func offset(of number: Int) -> off_t { off_t((number % 2) * SavedPosition.slot) }

  /// Writes the latest position into the next slot. May be called from any thread.
  private func write() {
    let messages = progress.withLock { progress -> [String] in
      guard var next = nextPosition(after: progress) else { return [] }
      if progress.written == nil { RunOrder.note(isEnd: false, in: folder) }
      next.order = RunOrder(in: folder).last
      var messages: [String] = []
      guard let content = content(of: next, &progress, &messages) else { return messages }
      let written = content.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, Self.offset(of: next.number))
      }
      let code = written < 0 ? errno : ENOSPC
      if written == content.count {
        progress.written = next
      } else if !progress.hasFailed {
        progress.hasFailed = true
        messages.append(Self.sentence(path, code))
      }
      sync(&progress)
      return messages
    }
    for message in messages { report(message) }
  }

  /// The position to write now; nil if there is nothing to write.
  private func nextPosition(after progress: borrowing Progress) -> SavedPosition? {
    guard !progress.isOver, let here = here.withLock({ $0 }) else { return nil }
    let print = print(for: here.journal, after: progress.written)
    // If nothing has changed, for example before the first frame is heard, nothing needs to be written.
    if let written = progress.written, (written.position, written.print) == (here, print) { return nil }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var next = SavedPosition(
      session: session, print: print, position: here, savedAt: Double(now.tv_sec) + Double(now.tv_nsec) / 1e9)
    next.fittedLength = fittedLength
    next.seed = seed
    next.settings = settings.isEmpty ? nil : settings
    next.number = 1 + (progress.written?.number ?? olderNumber)
    return next
  }

  /// The fingerprint of the session with the listener's changes. The last one is still valid if it contains all sounds
  /// and the listener has changed nothing since.
  private func print(for journal: Journal?, after written: SavedPosition?) -> SessionFingerprint {
    if let written, written.print.isComplete, written.position.journal == journal { return written.print }
    return print(journal)
  }

  /// The content of a slot. If the listener's changes don't fit, only the position and the volumes are saved.
  private func content(of saved: SavedPosition, _ progress: inout Progress, _ messages: inout [String]) -> [UInt8]? {
    if let content = progress.encoder.content(of: saved) { return content }
    var bare = saved
    bare.position.journal = nil
    bare.print = print(nil)
    if !progress.isBare {
      progress.isBare = true
      messages.append(
        "\(path): there are too many changes to save: a resumed session will have its volumes, "
          + "and continue the stage as it was planned")
    }
    return progress.encoder.content(of: bare)
  }

  /// Makes the kernel write the page now, but waits for the disk only every ten seconds, because each wait wakes the
  /// disk up. A power failure loses one second on file systems that overwrite in place, and up to ten seconds on those
  /// that copy on write, such as btrfs.
  private func sync(_ progress: inout Progress) {
    let now = SuspendingClock().now
    if let synced = progress.synced, now < synced + .seconds(10) {
      // Starts to write dirty pages without waiting for them; `sync_file_range` would be specific to Linux.
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    } else {
      progress.synced = now
      fdatasync(descriptor)
    }
  }
}
