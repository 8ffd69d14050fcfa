import Glibc

/// Identifies a file by device and inode, independent of its path.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// The file at a path, after symbolic links. `-` is the file that stdin reads. Nil if there is no such file.
  package init?(_ path: String) {
    var status = stat()
    guard (path == "-" ? fstat(0, &status) : stat(path.forSystem, &status)) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }

  /// Whether a path leads to one of the files at `inputs`, by whatever name: to write it would destroy an input.
  package static func isOne(_ path: String, of inputs: [String]) -> Bool {
    guard let file = FileIdentity(path) else { return false }
    return inputs.contains { FileIdentity($0) == file }
  }
}
