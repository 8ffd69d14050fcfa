/// What a header says about the size of its sound, compared with what the file holds.
struct StatedSize {
  /// The bytes of sound in the file.
  var present: Int64
  /// The bytes of sound that the header states for a file that breaks off in its middle; otherwise `present`.
  var stated: Int64
  /// Whether the file holds the size that its header states.
  var isHeld = false

  var isTruncated: Bool { present < stated }

  /// - Parameters:
  ///   - size: the stated size of the sound, in bytes; negative if the header states none.
  ///   - start: where the sound begins.
  ///   - end: where it ends at the latest; nil for the end of the file.
  ///   - isWhole: whether the size of the whole file that the header states fits to `size`; true if it states none.
  ///   - block: the bytes of the smallest piece of sound that can be decoded.
  init(_ size: Int64, in file: RegularFile, from start: Int64, to end: Int64? = nil, isWhole: Bool, block: Int64) {
    let room = (end ?? file.contentEnd) - start
    isHeld = 0 <= size && size <= (Self.isPlaceholder(size) ? room : file.size - start)
    present = isHeld ? size : max(0, room - room % max(1, block))
    stated = !isHeld && isWhole && !Self.isPlaceholder(size) ? size : present
  }

  /// Whether a writer that did not know the size has written it in advance: no size, one at the end of the range of
  /// numbers, or a large round one; more or less by the header's size, or by a piece of a block.
  static func isPlaceholder(_ size: Int64) -> Bool {
    guard 0 < size, size < 1 << 46 else { return true }
    return [(100_000_000, 64), (1 << 24, 64), (1 << 31, 65_536)].contains { (unit: Int64, margin: Int64) in
      unit <= size + margin && (size + margin) % unit <= 2 * margin
    }
  }
}
