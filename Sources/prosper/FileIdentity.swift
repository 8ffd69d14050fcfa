import Glibc

/// Which file a path leads to, whatever it is called.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// Nil where there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
