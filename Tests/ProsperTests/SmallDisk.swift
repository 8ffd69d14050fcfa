import Foundation
import TestSupport

/// A folder in which prosper finds too little room, and how that comes about.
enum SmallDisk: String, CaseIterable, Sendable {
  /// The kernel lets no file grow beyond it.
  case limited
  /// A preloaded library answers as a disk that is full, or can only be read, does. It serves whoever may not mount one.
  case standIn
  /// A file system in memory, mounted for this process and its children alone.
  case mounted

  /// What there is to be had of a disk.
  enum Room: Sendable {
    case bytes(Int), readOnly
  }

  /// Those of this machine. Every fact is proved by one that is everywhere, and by a real one where that can be had.
  static let here = allCases.filter { $0 != .mounted || apart != nil }

  /// What makes a file system that nobody else sees. A user may have one as the root of a namespace of his own; where
  /// that is forbidden, as in many containers, root may without.
  private static let apart = [["--user", "--map-root-user", "--mount"], ["--mount"]].first { options in
    let trial = "mount -t tmpfs none /tmp && echo yes"
    return (try? output(of: "unshare", options + ["sh", "-c", trial], environment: [:])) == "yes\n"
  }

  /// Places at which a file of `size` bytes is torn off.
  func places(_ size: Int) -> [Int] {
    switch self {
    case .limited: return [0, 1, 43, 44, 60, size - 1] + (1...6).map { 1 + (size - 2) * $0 * $0 / 40 }
    case .standIn: return [0, 1, size / 2, size - 1]
    case .mounted:
      // It has whole pages, and at least one.
      let (page, last) = (4_096, (size - 1) / 4_096)
      return Set([1, last / 2, last]).filter { 0 < $0 }.sorted().map { $0 * page }
    }
  }

  /// Runs prosper beside the disk, which is at `folder`.
  ///
  /// - Returns: as its stdout what it has said anywhere, and then the names of what is on the disk, a line each.
  func run(_ arguments: [String], _ room: Room, at folder: String, in scratch: Scratch) async throws -> Prosper {
    let (wrapper, environment) = try place(room, at: folder)
    // What it says is no file, and so not limited.
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

  /// What goes before prosper on its command line, and its environment.
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

  /// A limit for files forbids nobody to make one.
  private struct Impossible: Error {}
}
