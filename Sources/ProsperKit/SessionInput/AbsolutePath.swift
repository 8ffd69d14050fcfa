import Files
import Glibc

/// The absolute path of a file that is named from the current folder, without `.` and, where that names the same file,
/// without `..`.
package func absolutePath(of path: String) -> String {
  let whole = path.hasPrefix("/") ? path : ProcessInput.folder + "/" + path
  let parts = FilePath.parts(of: whole).reduce(into: [Substring]()) { parts, part in
    switch part {
    case ".": break
    // The parent of what a symbolic link leads to is not the folder of the link.
    case ".." where parts.isEmpty || !isLink("/" + parts.joined(separator: "/")): _ = parts.popLast()
    default: parts.append(part)
    }
  }
  return "/" + parts.joined(separator: "/")
}

/// Whether there is a file at a path. A folder is none.
package func isFile(at path: String) -> Bool {
  var facts = stat()
  return stat(path.forSystem, &facts) == 0 && facts.st_mode & S_IFMT != S_IFDIR
}

/// The name of a file without its folder and extension.
package func stem(of path: String) -> String {
  let name = FilePath.parts(of: path).last ?? ""
  return String(name.dropFirst().lastIndex(of: ".").map { name[..<$0] } ?? name)
}

private func isLink(_ path: String) -> Bool {
  var facts = stat()
  return lstat(path.forSystem, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
}
