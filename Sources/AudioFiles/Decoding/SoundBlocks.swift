/// The blocks of a file that carry their own checksums, FLAC's frames or Ogg's pages: by them a reader knows how far the
/// sound is whole, and where it can be entered again behind a hole.
///
/// All of it is found out as the reading goes on; nothing is looked at twice, and nothing in front of an entry.
protocol SoundBlocks: AnyObject {
  /// What stands before the first block, without which a library can't decode any.
  var head: ByteView.Stretch { get }

  /// Begins to follow the blocks at an entry.
  func enter(_ entry: BlockEntry)

  /// Follows the blocks until they reach `frame` or are not whole any more; returns the frame up to which they are.
  func reach(to frame: Int64) -> Int64

  /// The first whole block behind the hole at which `reach` has stopped.
  func entryBehindHole() -> BlockEntry?

  /// The last whole block from which on all that is needed for `frame` is decoded.
  func entry(before frame: Int64) -> BlockEntry?
}

extension SoundBlocks {
  /// The file as if it began with the block at `offset`.
  func view(of file: RegularFile, from offset: Int64) -> ByteView {
    ByteView(of: file, [head, ByteView.Stretch(offset: offset, count: file.size - offset)])
  }
}

/// A block at which decoding can begin.
struct BlockEntry {
  /// The block's first byte.
  var offset: Int64
  /// The first frame that comes out, where the block says it: else a library finds it out.
  var frame: Int64?
}

/// How many bytes may be looked at in vain. In no file that was once intact are there as many that look like a block.
struct SearchBudget {
  private var left: Int64 = 256 << 20

  /// False when it is used up.
  mutating func spend(_ count: Int64) -> Bool {
    left -= count
    return left > 0
  }
}
