import Foundation
import TestSupport

/// A way to run prosper as on a machine on which a library is not installed.
enum MissingLibrary: CaseIterable, Sendable {
  /// A preloaded library refuses to load it. This works for every user.
  case refused
  /// An empty file is mounted over the library, only for this process and its children.
  case covered

  /// The ways that work on this machine.
  static let here = allCases.filter { $0 != .covered || SmallDisk.apart != nil }

  /// - Parameter libraries: the file names of the libraries that are missing.
  func run(_ arguments: [String], without libraries: [String], in scratch: Scratch) async throws -> Prosper {
    let names = libraries.joined(separator: " ")
    switch self {
    case .refused:
      let environment = ["REFUSED_LIBRARIES": names].merging(try Prosper.preloading(.refusedLibraries)) { $1 }
      return try await Prosper.run(arguments, environment: environment, in: scratch)
    case .covered:
      // ldconfig prints lines like "libsoxr.so.0 (libc6,x86-64) => /lib/x86_64-linux-gnu/libsoxr.so.0".
      let script = #"""
        for name in $0; do
          for file in $(/sbin/ldconfig -p | awk -v name="$name" '$1 == name { print $NF }'); do
            mount --bind /dev/null "$(readlink -f "$file")" || exit 99
          done
        done
        exec "$@"
        """#
      let shell = ["/bin/bash", "-c", script, names, Prosper.executable.path]
      return try await Prosper.run(
        arguments, in: scratch, program: ["/usr/bin/unshare"] + (SmallDisk.apart ?? []) + shell)
    }
  }
}
