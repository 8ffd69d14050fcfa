import Glibc
import ProsperKit
import Synchronization

/// Notices when a file, or one of those that it includes, has been written or replaced. It watches the folders of the files and of what a link leads to,
/// because editors write a new file and rename it. A file that is still being written is not read: the first half of a
/// session is often a session, too.
final class FileWatch: Sendable {
  /// Nanoseconds without a further change after which a change is reported, because editors write in several steps; and
  /// for how long changes can put it off.
  private static let (quiet, longest): (Int64, Int64) = (300_000_000, 2_000_000_000)
  /// Milliseconds between two attempts to watch a folder that has gone.
  private static let again: Int32 = 1_000

  private static let changes = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)
  private static let departures = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)

  private let path: String
  private let included: @Sendable () -> [String]
  private let descriptor: Int32
  private let wakeUp: PollWakeUp
  private let isClosed = Atomic<Bool>(false)
  private let changed: @Sendable (FileWatch) -> Void

  /// Nil if the system can't watch the file.
  ///
  /// - Parameters:
  ///   - included: returns the paths of the other files.
  ///   - changed: called after each change, on a thread of its own; must not wait.
  init?(
    of path: String, and included: @escaping @Sendable () -> [String],
    changed: @escaping @Sendable (FileWatch) -> Void
  ) {
    guard let wakeUp = try? PollWakeUp() else { return nil }
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    (self.path, self.included, self.wakeUp, self.changed) = (path, included, wakeUp, changed)
    guard 0 <= descriptor, watch(), OSThread.start({ [self] in run() }) else {
      if 0 <= descriptor { Glibc.close(descriptor) }
      return nil
    }
  }

  /// Looks which files there are to watch by now. May be called from any thread.
  func refresh() { wakeUp.call() }

  /// Ends the thread. May be called from any thread.
  func close() {
    isClosed.store(true, ordering: .releasing)
    wakeUp.call()
  }

  /// The files, and what they lead to by now.
  private var paths: [String] { ([path] + included()).flatMap { [$0, $0.withCanonicalPath] } }

  /// Watches the folders; a folder that is watched already stays so.
  ///
  /// - Returns: whether all of them can be watched.
  private func watch() -> Bool {
    let mask = Self.changes | Self.departures | UInt32(IN_CREATE)
    return Set(paths.map(\.folder)).map { inotify_add_watch(descriptor, $0.forSystem, mask) }.allSatisfy { 0 <= $0 }
  }

  private func run() {
    var (first, due): (Int64?, Int64?)
    var isWatched = true
    while !isClosed.load(ordering: .acquiring) {
      let wait = due.map { Int32(max(0, ($0 - monotonicNanoseconds() + 999_999) / 1_000_000)) }
      var polled = [
        pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&polled, 2, wait ?? (isWatched ? -1 : Self.again))
      wakeUp.reset()
      if polled[0].revents != 0, isWatched { isWatched = watch() }
      let news = polled[1].revents != 0 ? read() : News()
      // A folder that is back has another file.
      let isBack = !isWatched && watch()
      isWatched = (isWatched || isBack) && !news.isGone
      if news.isChanged || isBack {
        let now = monotonicNanoseconds()
        first = first ?? now
        due = min(now + Self.quiet, (first ?? now) + Self.longest)
      }
      if let time = due, time <= monotonicNanoseconds() {
        (first, due) = (nil, nil)
        // A link may lead to another folder now.
        isWatched = watch()
        changed(self)
      }
    }
    Glibc.close(descriptor)
  }

  private struct News {
    /// The file has been written, or another one has its name.
    var isChanged = false
    /// A folder has been removed, or has another name.
    var isGone = false
  }

  /// Reads the waiting events.
  private func read() -> News {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    let paths = paths
    let (names, hasLink) = (Set(paths.map(\.lastComponent)), paths.contains(where: \.isLink))
    // Each event has four numbers of four bytes, the second of which says what has happened; the last is the length of
    // the name that follows.
    var (offset, news) = (0, News())
    while offset + 16 <= count {
      let number = { (place: Int) in
        bytes[(offset + place)..<(offset + place + 4)].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      }
      let (mask, length) = (number(4), Int(number(12)))
      let name = bytes[(offset + 16)..<min(bytes.count, offset + 16 + length)].prefix { $0 != 0 }
      news.isGone = news.isGone || mask & Self.departures != 0
      // A new link is complete at once; a new file is being written.
      let isComplete = mask & Self.changes != 0 || mask & UInt32(IN_CREATE) != 0 && hasLink
      news.isChanged = news.isChanged || isComplete && names.contains(String(decoding: name, as: UTF8.self))
      offset += 16 + length
    }
    return news
  }
}

extension String {
  fileprivate var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }

  fileprivate var folder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// The path without links; the same path if the file can't be found.
  fileprivate var withCanonicalPath: String {
    guard let resolved = realpath(forSystem, nil) else { return self }
    defer { free(resolved) }
    return String(ofSystem: resolved)
  }

  fileprivate var isLink: Bool {
    var status = stat()
    return lstat(forSystem, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
