import Foundation
import Glibc

/// The absolute path of a file that is named from the current folder.
func absolutePath(of path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

/// Whether there is a file at a path. A folder is none.
func isFile(at path: String) -> Bool {
  var facts = stat()
  return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFDIR
}
