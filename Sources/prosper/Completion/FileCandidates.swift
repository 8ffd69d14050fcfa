import Glibc
import ProsperKit

/// Files and folders that begin with what has been typed.
struct FileCandidates {
  /// The folder that has been typed, with a slash at its end; empty for the current folder.
  private let folder: String
  private let entries: [String]

  init(beginning prefix: String) {
    let slash = prefix.lastIndex(of: "/").map { prefix.index(after: $0) } ?? prefix.startIndex
    let (folder, begin) = (String(prefix[..<slash]), prefix[slash...])
    let all = FilePath.names(in: folder.isEmpty ? "." : TypedLine.expanded(folder))
    self.folder = folder
    entries = all.filter { $0.hasPrefix(begin) && (begin.hasPrefix(".") || !$0.hasPrefix(".")) }.sorted()
  }

  /// The folders, and those files whose name satisfies a condition.
  func candidates(where isWanted: (String) -> Bool) -> [Candidate] {
    entries.compactMap { name in
      let path = folder + name
      var facts = stat()
      guard stat(TypedLine.expanded(path).forSystem, &facts) == 0 else { return nil }
      if facts.st_mode & S_IFMT == S_IFDIR { return Candidate(path + "/") }
      return isWanted(name) ? Candidate(path) : nil
    }
  }
}
