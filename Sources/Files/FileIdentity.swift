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

  /// Whether a path leads to one of the files at `others`, by whatever name: to write it would destroy that one. Files that
  /// don't exist yet are the same if they have the same name in the same folder.
  package static func isOne(_ path: String, of others: [String]) -> Bool {
    guard let place = FilePlace(path) else { return false }
    return others.contains { FilePlace($0) == place }
  }
}

/// Where a file is, or will be.
private enum FilePlace: Equatable {
  case file(FileIdentity)
  case new(folder: FileIdentity, name: Substring)

  /// How many symbolic links are followed, as by Linux.
  private static let mostLinks = 40

  /// Nil if the folder does not exist.
  init?(_ path: String) {
    if let file = FileIdentity(path) {
      self = .file(file)
      return
    }
    var path = path
    for _ in 0..<Self.mostLinks {
      guard let target = FilePath.link(at: path) else { break }
      path = target.hasPrefix("/") ? target : FilePath.folder(of: path) + "/" + target
    }
    guard let name = FilePath.parts(of: path).last, let folder = FileIdentity(FilePath.folder(of: path)) else {
      return nil
    }
    self = .new(folder: folder, name: name)
  }
}
