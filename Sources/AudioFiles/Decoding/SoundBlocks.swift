/// The blocks of a file that have their own checksums: FLAC frames or Ogg pages. They tell a reader how far the sound
/// is undamaged, and where it can continue after a gap.
///
/// Blocks are checked while reading proceeds, each once, and none before an entry.
protocol SoundBlocks: AnyObject {
  /// The bytes before the first block, which a library needs to decode any block.
  var head: ByteView.Stretch { get }

  /// Starts to follow the blocks at an entry.
  func enter(_ entry: BlockEntry)

  /// Follows the blocks until they reach `frame` or a gap. Returns the frame up to which they are complete.
  func reach(to frame: Int64) -> Int64

  /// The first complete block after the gap at which `reach` has stopped; nil if there is none.
  func entryBehindHole() -> BlockEntry?

  /// The last complete block from which everything that `frame` needs is decoded; nil if there is none.
  func entry(before frame: Int64) -> BlockEntry?
}

extension SoundBlocks {
  /// The file as if it began with the block at byte `offset`.
  func view(of file: RegularFile, from offset: Int64) -> ByteView {
    ByteView(of: file, [head, ByteView.Stretch(offset: offset, count: file.size - offset)])
  }
}

/// A block at which decoding can start.
struct BlockEntry {
  /// The first byte of the block.
  var offset: Int64
  /// The first frame that is decoded there; nil if only the library can find it out.
  var frame: Int64?
}

/// Limits the bytes that are searched in vain: 256 MiB, more than look like a block in any file that was once intact.
struct SearchBudget {
  private var left: Int64 = 256 << 20

  /// Spends `count` bytes. Returns false when the budget is used up.
  mutating func spend(_ count: Int64) -> Bool {
    left -= count
    return left > 0
  }
}
