import Glibc
import ProsperKit
import Synchronization

/// Notices when a file is written or replaced. It watches the folders of the file and of what a link leads to, because
/// editors write a new file and rename it.
final class FileWatch: Sendable {
  /// Nanoseconds without a further change after which a change is reported: editors write in several steps.
  private static let quiet: Int64 = 300_000_000

  private let descriptor: Int32
  /// The names of the file in the watched folders.
  private let names: Set<String>
  private let wakeUp: PollWakeUp
  private let isClosed = Atomic<Bool>(false)
  private let changed: @Sendable () -> Void

  /// Nil if the system can't watch the file.
  ///
  /// - Parameter changed: called after each change, on a thread of its own; must not wait.
  init?(of path: String, changed: @escaping @Sendable () -> Void) {
    guard let wakeUp = try? PollWakeUp() else { return nil }
    let paths = [path, path.withCanonicalPath]
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    (self.wakeUp, self.changed, names) = (wakeUp, changed, Set(paths.map(\.lastComponent)))
    let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)
    let isWatched = Set(paths.map(\.folder)).map { inotify_add_watch(descriptor, $0.forSystem, mask) }.allSatisfy {
      0 <= $0
    }
    guard 0 <= descriptor, isWatched, OSThread.start({ [self] in run() }) else {
      if 0 <= descriptor { Glibc.close(descriptor) }
      return nil
    }
  }

  /// Ends the thread. May be called from any thread.
  func close() {
    isClosed.store(true, ordering: .releasing)
    wakeUp.call()
  }

  private func run() {
    var due: Int64?
    while !isClosed.load(ordering: .acquiring) {
      let wait = due.map { Int32(max(0, ($0 - monotonicNanoseconds() + 999_999) / 1_000_000)) } ?? -1
      var polled = [
        pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&polled, 2, wait)
      wakeUp.reset()
      if polled[1].revents != 0, read() { due = monotonicNanoseconds() + Self.quiet }
      if let time = due, time <= monotonicNanoseconds() {
        due = nil
        changed()
      }
    }
    Glibc.close(descriptor)
  }

  /// Reads the waiting events.
  ///
  /// - Returns: whether one of them is about the file.
  private func read() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    // Each event has four numbers of four bytes, of which the last is the length of the name that follows.
    var (offset, isFound) = (0, false)
    while offset + 16 <= count {
      let length = bytes[(offset + 12)..<(offset + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
      let name = bytes[(offset + 16)..<min(bytes.count, offset + 16 + length)].prefix { $0 != 0 }
      isFound = isFound || names.contains(String(decoding: name, as: UTF8.self))
      offset += 16 + length
    }
    return isFound
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
}
