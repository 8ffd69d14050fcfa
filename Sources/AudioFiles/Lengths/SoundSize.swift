extension AudioFileLibrary {
  /// The bytes of a file between the tags at its beginning and its end; nil if it can't be opened. Waits for the disk.
  package static func soundSize(ofFile path: String) -> Int64? {
    guard let file = try? RegularFile(path: path) else { return nil }
    return Int64(ID3Tag.sound(of: file).count)
  }
}
