import Foundation
import TestSupport

/// A folder in which prosper finds too little space, and how the test arranges it.
enum SmallDisk: String, CaseIterable, Sendable {
  /// The kernel limits the size of files.
  case limited
  /// A preloaded library responds like a disk that is full or read-only. It is for users who may not mount one.
  case standIn
  /// A file system in memory, mounted only for this process and its children.
  case mounted

  /// What the disk permits.
  enum Room: Sendable {
    case bytes(Int), readOnly
  }

  /// The kinds that work on this machine. Each behaviour is tested with kinds that work everywhere, and with a real
  /// disk where possible.
  static let here = allCases.filter { $0 != .mounted || apart != nil }

  /// The options for a file system that nobody else sees. A user can mount one as root of a user namespace. Where that
  /// is forbidden, as in many containers, root can mount one without a user namespace.
  static let apart = [["--user", "--map-root-user", "--mount"], ["--mount"]].first { options in
    let trial = "mount -t tmpfs none /tmp && echo yes"
    return (try? output(of: "unshare", options + ["sh", "-c", trial], environment: [:])) == "yes\n"
  }

  /// The sizes at which a file of `size` bytes is cut off.
  func places(_ size: Int) -> [Int] {
    switch self {
    case .limited: return [0, 1, 43, 44, 60, size - 1] + [1, 3, 5].map { 1 + (size - 2) * $0 * $0 / 40 }
    case .standIn: return [0, 1, size / 2, size - 1]
    case .mounted:
      // The file system has whole pages, at least one.
      let (page, last) = (4_096, (size - 1) / 4_096)
      return Set([1, last / 2, last]).filter { 0 < $0 }.sorted().map { $0 * page }
    }
  }

  /// Runs prosper with the disk at `folder`.
  ///
  /// - Returns: As its stdout, everything that it printed, and then the names of the files on the disk, one per line.
  func run(_ arguments: [String], _ room: Room, at folder: String, in scratch: Scratch) async throws -> Prosper {
    let (wrapper, environment) = try place(room, at: folder)
    // The output goes through a pipe, because files are limited.
    let script = #"{ "$@" 2>&1 | cat; status="${PIPESTATUS[0]}"; ls -A "$0"; exit "$status"; }"#
    let shell = ["/bin/bash", "-c", mounting(room) + script, folder] + wrapper + [Prosper.executable.path]
    let program = self == .mounted ? ["/usr/bin/unshare"] + (Self.apart ?? []) + shell : shell
    return try await Prosper.run(arguments, environment: environment, in: scratch, program: program)
  }

  private func mounting(_ room: Room) -> String {
    guard self == .mounted else { return "" }
    return switch room {
    case .bytes(let count): #"mount -t tmpfs -o size=\#(count) none "$0" && "#
    case .readOnly: #"mount -t tmpfs -o ro none "$0" && "#
    }
  }

  /// The words before prosper on its command line, and its environment.
  private func place(_ room: Room, at folder: String) throws -> ([String], [String: String]) {
    switch (self, room) {
    case (.limited, .bytes(let count)): return (["prlimit", "--fsize=\(count)"], [:])
    case (.limited, .readOnly): throw Impossible()
    case (.standIn, .bytes(let count)): return ([], try standIn(folder, count))
    case (.standIn, .readOnly): return ([], try standIn(folder, -1))
    case (.mounted, _): return ([], [:])
    }
  }

  private func standIn(_ folder: String, _ room: Int) throws -> [String: String] {
    ["SMALL_DISK": folder, "SMALL_DISK_ROOM": "\(room)"].merging(try Prosper.preloading(.smallDisk)) { $1 }
  }

  /// A limit on the size of files does not prevent their creation.
  private struct Impossible: Error {}
}
