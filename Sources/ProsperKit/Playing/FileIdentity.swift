import Glibc

/// Identifies a file by device and inode, independent of its path.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// Nil if there is no such file.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
